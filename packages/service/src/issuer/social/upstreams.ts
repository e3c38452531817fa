import type { AuthorizationResponseError, ServerMetadata } from 'openid-client'
import { recipes } from '../../domain/connections/connection-recipes.ts'
import { openConnectionSecret } from '../../domain/connections/connections.ts'
import type { SocialAccount } from '../../domain/factors/social.ts'
import type { ContactResult } from '../../domain/operators/support.ts'
import { type Reason, reason } from '../../domain/writes/reasons/index.ts'
import { isEmail } from '../../domain/writes/rules.ts'
import { RefusedAddress, Unanswered } from '../../egress/outgoing.ts'
import type { Connection } from '../../store/records.ts'
import { createConfigurations, type UpstreamContext } from './configurations.ts'
import { factsOf, reach, Unreachable } from './failures.ts'
import { contactGithub, readGithubUser } from './github.ts'

/** The values that bind a provider's response to the browser that was redirected there. */
export interface Binding {
  state: string
  nonce: string
  codeVerifier: string
  /** The redirect URI that the provider got, at which its response must arrive. */
  redirectUri: string
}

/** Options for the redirect of a browser to a provider. */
export interface UpstreamRequest extends Binding {
  /**
   * The maximum age of the user's login at the provider, in seconds. With 0, the provider must
   * authenticate the user again; `undefined` for any age.
   */
  maxAge: number | undefined
  uiLocales: string | undefined
}

/** A user of a provider, from the ID Token and userinfo, or from GitHub's API. */
export interface Asserted {
  account: SocialAccount
  /** Whether the provider says that the user has verified the email address. */
  emailVerified: boolean
  name: string
  /**
   * The time at which the provider authenticated the user, in seconds since the epoch; 0 if
   * unknown.
   */
  provenAt: number
}

/**
 * The reason why a login at a provider failed: the provider did not respond, the provider or its
 * user refused, or the response is invalid.
 */
export type UpstreamProblem = 'unreachable' | 'denied' | 'failed'

/** The error for a failed login at a provider. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly problem: UpstreamProblem

  constructor(problem: UpstreamProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** The client side of the connections' providers. */
export interface Upstreams {
  /** Returns the URL to redirect the browser to. @throws {@link UpstreamError} */
  begin(connection: Connection, request: UpstreamRequest): Promise<string>
  /**
   * Redeems the provider's response, and returns its user. The tokens are not stored. A response
   * at the redirect URI of another provider is refused, and no provider is asked.
   *
   * @param url - The full URL to which the browser returned.
   * @throws {@link UpstreamError}
   */
  finish(connection: Connection, url: URL, binding: Binding): Promise<Asserted>
  /**
   * Fetches the provider's metadata and keys now, even if they are cached. For GitHub, checks the
   * client secret. A failure is returned and not thrown.
   */
  contact(connection: Connection): Promise<ContactResult>
}

/** Matches a valid `sub`. @see OpenID Connect Core 1.0 §2 */
const SUBJECT = /^[\x20-\x7e]{1,255}$/

/** Creates the client side of all providers. openid-client is loaded when it is first needed. */
export function createUpstreams(context: UpstreamContext): Upstreams {
  const { domain, outgoing, logger } = context
  const { discover, configOf } = createConfigurations(context)

  /** Runs a step of a login. Turns a failure into an error without secrets, and logs it. */
  async function attempt<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const problem = problemOf(error)
      const { tenantId, id, issuer } = connection
      const facts = { tenantId, connection: id, issuer, problem, ...factsOf(error) }
      logger.warn(facts, 'A login at a provider came to nothing.')
      throw new UpstreamError(problem, `The login at ${issuer} came to nothing.`)
    }
  }

  return {
    async contact(connection) {
      try {
        const read = outgoing.reading(connection.tenantId)
        if (recipes[connection.recipe].isGithub) {
          return await contactGithub(read, connection, openConnectionSecret(domain, connection))
        }
        const { config } = await discover(connection)
        const { issuer, jwks_uri: keys = '', ...server } = config.serverMetadata()
        const response = await reach(() => read(keys, {}))
        const { keys: found } = (await response.json()) as { keys: unknown[] }
        return {
          kind: 'answered',
          facts: [
            found.length === 1
              ? reason('provider_has_one_key', { issuer })
              : reason('provider_has_keys', { issuer, count: found.length }),
            reason('provider_login_at', { address: String(server.authorization_endpoint) }),
          ],
          warnings: doubtsOf(connection, server),
        }
      } catch (error) {
        const errors = chainOf(error)
        const isRefused = errors.some((one) => one instanceof RefusedAddress)
        const last = errors.at(-1)
        const because = last instanceof Unanswered ? last.reason : (last?.message ?? String(error))
        return { kind: 'failed', reason: because, isRefused }
      }
    },

    begin: (connection, request) =>
      attempt(connection, async () => {
        const client = await import('openid-client')
        const config = await configOf(connection)
        const { redirectUri, state, nonce, codeVerifier, maxAge, uiLocales } = request
        const { responseMode, freshPrompt, isGithub } = recipes[connection.recipe]
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: connection.scopes.join(' '),
          state,
          ...(!isGithub && { nonce }),
          code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          ...(responseMode && { response_mode: responseMode }),
          ...(maxAge !== undefined && { max_age: String(maxAge) }),
          ...(maxAge !== undefined && freshPrompt && { prompt: freshPrompt }),
          ...(uiLocales !== undefined && { ui_locales: uiLocales }),
        })
        if (!/^https?:$/.test(url.protocol)) throw new Error('The endpoint is no web address.')
        return url.href
      }),

    finish: (connection, url, { state, nonce, codeVerifier, redirectUri }) =>
      attempt(connection, async () => {
        // Before the code is sent to any provider: it may be that of another one.
        checkPlace(url, redirectUri)
        const client = await import('openid-client')
        const config = await configOf(connection)
        const checks = { expectedState: state, pkceCodeVerifier: codeVerifier }
        if (recipes[connection.recipe].isGithub) {
          const { access_token } = await client.authorizationCodeGrant(config, url, checks)
          return asserted(connection, await readGithubUser(client, config, access_token))
        }
        const tokens = await client.authorizationCodeGrant(config, url, {
          ...checks,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims) throw new Error('There is no ID token.')
        if (!SUBJECT.test(claims.sub)) throw new Error('"sub" is not 1 to 255 ASCII characters.')
        const { userinfo_endpoint: userinfo } = config.serverMetadata()
        const isComplete = claims.email !== undefined || userinfo === undefined
        const more = isComplete
          ? {}
          : await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        return asserted(connection, { ...more, ...claims })
      }),
  }
}

/**
 * @throws Error if a response has not arrived at the redirect URI of its login.
 * @see RFC 9700 §4.4.2.2
 */
function checkPlace({ pathname }: URL, redirectUri: string): void {
  if (pathname === new URL(redirectUri).pathname) return
  throw new Error(`The response arrived at ${pathname}, and the login began with ${redirectUri}.`)
}

/** The reasons why logins could fail although the provider answered. */
function doubtsOf({ scopes, clientId }: Connection, server: Partial<ServerMetadata>): Reason[] {
  const { scopes_supported: known, response_types_supported: types } = server
  const missing = known ? scopes.filter((scope) => !known.includes(scope)) : []
  const methods = server.token_endpoint_auth_methods_supported
  const takesSecret = methods?.some((one) => /^client_secret_(basic|post)$/.test(one)) ?? true
  return [
    ...(missing.length > 0
      ? [reason('provider_lacks_scopes', { scopes: missing.join(', ') })]
      : []),
    ...(types && !types.includes('code') ? [reason('provider_lacks_code')] : []),
    ...(takesSecret ? [] : [reason('provider_takes_no_secret', { client: clientId })]),
  ]
}

/** An error and its causes. */
function chainOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : []
}

type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string }

function asserted(connection: Connection, claims: Claims): Asserted {
  const email = textOf(claims.email).trim()
  const { verifiedClaim } = recipes[connection.recipe]
  return {
    account: {
      connectionId: connection.id,
      issuer: claims.iss,
      subject: claims.sub,
      email: isEmail(email) ? email : '',
    },
    // The string "true" does not count: a provider that sends it may be wrong about other claims,
    // too.
    emailVerified: claims[verifiedClaim] === true,
    name: textOf(claims.name).trim(),
    provenAt: typeof claims.auth_time === 'number' ? Math.max(0, claims.auth_time) : 0,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function problemOf(error: unknown): UpstreamProblem {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof Unreachable) return 'unreachable'
  }
  if ((error as Error).name !== 'AuthorizationResponseError') return 'failed'
  const { error: code } = error as AuthorizationResponseError
  return /^(server_error|temporarily_unavailable)$/.test(code) ? 'unreachable' : 'denied'
}
