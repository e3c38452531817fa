import type { ProviderAnswer } from './transport.ts'

/** Error codes of providers that have their own, as RFC 6749 §5.2 names them. */
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

/**
 * The answer of a token endpoint as RFC 6749 §5 has it. Providers deviate in ways that hide the error, or the tokens,
 * from oauth4webapi:
 *
 * - an error has status 200 (GitHub, Slack);
 * - `error` is an object, or there is a `message` alone (Facebook, Twitch);
 * - error codes have names of their own, see above;
 * - `scope` is a list (Twitch).
 */
export function readTokenAnswer(answer: ProviderAnswer): ProviderAnswer {
  const { status, body } = answer
  if (status < 300 && body?.includes('"access_token"') && !LIST_OF_SCOPES.test(body)) return answer
  const said = objectOf(body)
  if (!said) return answer
  const { scope, ...rest } = said
  if (Array.isArray(scope)) return withBody(answer, { ...rest, scope: scope.join(' ') })
  const { error, message } = said
  if (status < 300 && typeof error !== 'string') return answer
  if (typeof error === 'string') {
    const code = STANDARD[error]
    if (status >= 300 && !code) return answer
    const description = [code && error, said.error_description].filter(Boolean).join(': ')
    return refusal(answer, code ?? error, description)
  }
  const detail = isObject(error) ? error : { message }
  if (typeof detail.message !== 'string') return answer
  return refusal(answer, String(detail.type ?? detail.code ?? `status ${status}`), detail.message)
}

const LIST_OF_SCOPES = /"scope"\s*:\s*\[/

function refusal(answer: ProviderAnswer, error: string, description: string): ProviderAnswer {
  const { status } = answer
  const body = { error, ...(description ? { error_description: description } : {}) }
  return withBody({ ...answer, status: status < 300 ? 400 : status }, body)
}

function withBody(answer: ProviderAnswer, body: object): ProviderAnswer {
  return { ...answer, body: JSON.stringify(body) }
}

function objectOf(body: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
