import type { Configuration, ServerMetadata } from 'openid-client'
import type { ContactResult } from '../../domain/operators/support.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { Unanswered } from '../../egress/outgoing.ts'
import type { Connection } from '../../store/records.ts'

type OpenidClient = typeof import('openid-client')
type Read = (url: string, options: RequestInit) => Promise<Response>

/** A user of GitHub, with the claims of OpenID Connect. */
export interface GithubUser extends Record<string, unknown> {
  iss: string
  sub: string
  name: string
  email: string | undefined
  email_verified: boolean
}

/**
 * The endpoints of GitHub, or of an Enterprise Server at another issuer. Neither has a discovery
 * document.
 */
export function githubMetadata(issuer: string): ServerMetadata {
  return {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  }
}

/**
 * Corrects the status of a response of the token endpoint: GitHub sends errors with 200, but OAuth
 * requires 400.
 */
export async function withErrorStatus(response: Response): Promise<Response> {
  if (response.status !== 200) return response
  const text = await response.text()
  const { headers } = response
  return new Response(text, { status: errorIn(text) === undefined ? 200 : 400, headers })
}

/**
 * The user of an access token: the number of the account, which never changes, and the primary
 * address if GitHub has verified it. Login names are not used, because they can pass to other
 * people.
 */
export async function readGithubUser(
  client: OpenidClient,
  config: Configuration,
  accessToken: string,
): Promise<GithubUser> {
  const { issuer } = config.serverMetadata()
  const ask = async (path: string): Promise<unknown> => {
    const headers = new Headers({
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    })
    const url = new URL(apiOf(issuer) + path)
    const response = await client.fetchProtectedResource(
      config,
      accessToken,
      url,
      'GET',
      null,
      headers,
    )
    if (!response.ok) throw new Error(`The API answered GET ${path} with ${response.status}.`)
    return response.json()
  }
  const [user, emails] = await Promise.all([ask('/user'), ask('/user/emails')])
  const { id, name, login } = user as Record<string, unknown>
  if (!Number.isSafeInteger(id) || Number(id) <= 0) throw new Error('"id" is not a number.')
  const primary = Array.isArray(emails) ? emails.find((one) => one?.primary === true) : undefined
  const isVerified = primary?.verified === true
  return {
    iss: issuer,
    sub: String(id),
    name: [name, login].find((one) => typeof one === 'string' && one !== '') as string,
    email: isVerified ? primary.email : undefined,
    email_verified: isVerified,
  }
}

/**
 * Checks a client secret, with a request for a token and a code that does not exist. The error in
 * the response tells whether the secret is right.
 *
 * @throws Unanswered for any other response.
 */
export async function contactGithub(
  read: Read,
  { issuer, clientId }: Connection,
  secret: string,
): Promise<ContactResult> {
  const { token_endpoint: endpoint = '', authorization_endpoint: start } = githubMetadata(issuer)
  const response = await read(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: clientId, client_secret: secret, code: 'none' }),
  })
  const error = errorIn(await response.text())
  const isKnown = error === 'bad_verification_code'
  if (!isKnown && error !== 'incorrect_client_credentials') {
    const answer = { address: endpoint, status: response.status }
    throw new Unanswered(reason('provider_not_github', answer))
  }
  return {
    kind: 'answered',
    facts: [
      ...(isKnown ? [reason('provider_knows_client')] : []),
      reason('provider_login_at', { address: String(start) }),
    ],
    warnings: isKnown ? [] : [reason('provider_knows_no_client')],
  }
}

/**
 * The URL of the API. That of github.com or a ghe.com domain has a separate host; that of an
 * Enterprise Server is below a path.
 */
function apiOf(issuer: string): string {
  const { protocol, host } = new URL(issuer)
  const hasHost = host === 'github.com' || host.endsWith('.ghe.com')
  return hasHost ? `${protocol}//api.${host}` : `${issuer}/api/v3`
}

function errorIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}
