import { type Members, presentMembers } from '../shared/present-members.ts'
import { isRecord, parseRecord } from '../shared/records.ts'
import { decodeJwt } from './signed/jwt.ts'
import type { ProviderAnswer } from './transport.ts'

/** The error codes of some providers, mapped to those of RFC 6749 §5.2. */
const STANDARD: Readonly<Record<string, string>> = {
  // GitHub
  bad_refresh_token: 'invalid_grant',
  bad_verification_code: 'invalid_grant',
  incorrect_client_credentials: 'invalid_client',
  // Slack
  bad_client_secret: 'invalid_client',
  code_already_used: 'invalid_grant',
  invalid_client_id: 'invalid_client',
  invalid_code: 'invalid_grant',
  invalid_refresh_token: 'invalid_grant',
}

/** A response in the form that openid-client expects. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: ProviderAnswer['headers']
  /** The body of the response as text. */
  readonly body: string
  readonly members?: Members | undefined
  /** The members of a successful response before they were converted. */
  readonly sent?: Members | undefined
}

/**
 * Converts the response of a token endpoint to the form of RFC 6749 §5. Providers deviate in ways
 * that hide the error, or the tokens, from openid-client:
 *
 * - members that say nothing are null or empty, and so are claims of the ID token (Ping,
 *   authentik);
 * - an error has status 200 (GitHub, Slack);
 * - `error` is an object, or there is a `message` alone (Facebook, Twitch);
 * - error codes are not standard (see {@link STANDARD});
 * - `scope` is a list (Twitch).
 */
export function readTokenAnswer({ status, headers, body = '' }: ProviderAnswer): ReadAnswer {
  const answer: ReadAnswer = { status, headers, body }
  const parsed = parseRecord(body)
  if (!parsed) return answer
  const said = presentMembers(parsed)
  const { error, message, access_token: token } = said
  if (status < 300 && (token !== undefined || typeof error !== 'string')) {
    return { ...answer, members: readableTokens(said), sent: said }
  }
  if (typeof error === 'string') {
    const code = STANDARD[error]
    if (status >= 300 && !code) return { ...answer, members: said }
    const description = [code && error, said.error_description].filter(Boolean).join(': ')
    return refusal(answer, code ?? error, description)
  }
  const detail = isRecord(error) ? error : { message }
  if (typeof detail.message !== 'string') return { ...answer, members: said }
  return refusal(answer, String(detail.type ?? detail.code ?? `status ${status}`), detail.message)
}

/**
 * Makes the scope a text, and removes null and empty claims from the ID token, because
 * openid-client would take them for values. The signature does not fit the changed token, so the
 * token is verified elsewhere as it was sent.
 */
function readableTokens(tokens: Members): Members {
  const { scope, id_token: idToken } = tokens
  return {
    ...tokens,
    ...(Array.isArray(scope) && { scope: scope.join(' ') }),
    ...(typeof idToken === 'string' && { id_token: readableJwt(idToken) }),
  }
}

function readableJwt(token: string): string {
  const payload = decodeJwt(token)?.payload
  const claims = payload && presentMembers(payload)
  if (!claims || claims === payload) return token
  const [header, , signature] = token.split('.')
  return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
}

function refusal(answer: ReadAnswer, error: string, description: string): ReadAnswer {
  const { status } = answer
  const members = { error, ...(description ? { error_description: description } : {}) }
  return { ...answer, status: status < 300 ? 400 : status, members }
}
