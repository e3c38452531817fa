import type { RequestContext } from '../context.ts'
import { CallbackError, LatchkeyError, RequestError } from '../errors/errors.ts'
import { readForm } from '../http/body.ts'
import { type AuthRequest, type AuthResponse, partsOf, pathOf, queryOf } from '../http/request.ts'
import { redirect } from '../http/responses.ts'
import { safeReturnTo } from '../http/return-to.ts'
import { userHash } from '../log/events.ts'
import type { Provider } from '../provider/provider.ts'
import type { AuthSession } from '../session/session.ts'
import { deviceLabel, greetDevice } from './device.ts'
import { beginLogin } from './login.ts'
import { newSession } from './new-session.ts'
import { redeem } from './redeem.ts'
import { markEnd } from './repeated-login.ts'
import { sessionAt, weaknessOf } from './session-strength.ts'
import { withoutSilentLogin } from './silent-login.ts'
import type { LoginTransaction, LostLogin } from './transaction.ts'

const SINGLE_PARAMETERS = ['state', 'code', 'iss', 'error', 'error_description', 'response']

/**
 * The errors of a provider that cannot log the user in without a page, which `prompt=none` forbids
 * (OIDC Core 1.0 §3.1.2.6).
 */
const QUIET_ERRORS: readonly unknown[] = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]

/**
 * Completes a login at the callback: checks the provider's response against the transaction,
 * redeems the code, validates the ID Token with its signature, and begins a session.
 *
 * The transaction may be used up or missing: another tab has finished the login, the visitor went
 * back, sent a form twice or waited ten minutes, or the cookie is missing. A visitor whose session
 * satisfies the login is then redirected to the requested page. Any other visitor starts the login
 * again, once. The number of restarts is sealed in `state`, so blocked cookies cause no redirect
 * loop.
 *
 * @throws {@link CallbackError} when the login cannot be completed; {@link RequestError} for a
 *   repeated parameter.
 * @see RFC 6749 §4.1.2, RFC 9207 §2.4, OpenID Connect Core 1.0 §3.1.3.7
 */
export function handleCallback(asked: RequestContext): Promise<AuthResponse> {
  return asked.context.telemetry.step('callback', () => finish(asked))
}

async function finish(asked: RequestContext): Promise<AuthResponse> {
  const { request } = asked
  const { options, transactions, sameSiteReturn, publish } = asked.context
  const query = queryOf(request.url)
  const returned = sameSiteReturn.open(query)
  const parameters = returned ?? (await responseParameters(request, query))
  const detour = returned ? undefined : sameSiteReturn.detour(request, parameters)
  if (detour) return detour
  const cookies = request.headers.get('cookie')
  const state = parameters.get('state') ?? ''
  const found = transactions.find(cookies, state)
  asked.context.observe?.(request, { kind: 'returned', state, parameters, login: found.kind })
  if (found.kind === 'unknown') return refuseUnknown(asked)
  if (found.kind === 'lost') return recover(asked, { ...found.login, state })
  const { transaction } = found
  if (!(await transactions.spend(transaction))) {
    return recover(asked, transaction)
  }

  const provider = await asked.provider()
  const forget = transactions.forget(state)
  try {
    if (transaction.silent && QUIET_ERRORS.includes(parameters.get('error'))) {
      return redirect(transaction.returnTo, forget, 303)
    }
    const { returnTo, setCookies } = await complete(asked, provider, transaction, parameters)
    return redirect(returnTo, [...forget, ...markEnd(options, transaction), ...setCookies], 303)
  } catch (error) {
    if (!(error instanceof LatchkeyError)) throw error
    publish('login.failed', {
      issuer: provider.issuer,
      code: error.code,
      correlationId: error.correlationId,
    })
    if (isExpired(error, parameters) && transaction.restarts === 0) {
      return restart(asked, transaction, forget)
    }
    // The code was redeemed before. If another request completed this login, no error is shown.
    if (error.code === 'LATCHKEY_CODE_REFUSED' && isSpentCode(error)) {
      return recover(asked, transaction, error, markEnd(options, transaction))
    }
    throw error
  }
}

/**
 * Redeems the code, runs all checks and hooks, and begins the session. Resolves to the page to show
 * after the login, and to the cookies to set besides the session cookie.
 */
async function complete(
  asked: RequestContext,
  provider: Provider,
  transaction: LoginTransaction,
  parameters: URLSearchParams,
): Promise<{ returnTo: string; setCookies: string[] }> {
  const { context, request, session } = asked
  const { options, publish, telemetry } = context
  if (transaction.issuer !== provider.issuer || transaction.clientId !== provider.clientId) {
    throw new CallbackError(
      'LATCHKEY_ISSUER_MISMATCH',
      'The login was begun with another provider than the one this request belongs to.',
    )
  }
  if (partsOf(options.baseUrl).origin + pathOf(request.url) !== transaction.redirectUri) {
    throw new CallbackError(
      'LATCHKEY_ISSUER_MISMATCH',
      'The response came to the redirect URI of another provider: this one may be an attacker that sent the visitor there. Its code was not redeemed.',
    )
  }
  context.observe?.(request, { kind: 'matched' })
  const redeemed = await redeem(
    provider,
    transaction,
    parameters,
    options.now(),
    options.tokenParams,
  )
  const { claims, tokens } = redeemed
  const { scope } = tokens
  const refreshToken = tokens.refresh_token !== undefined
  context.observe?.(request, { kind: 'redeemed', claims, scope, refreshToken })
  const previous = await session.read()
  const draft = await newSession(context, provider, redeemed)
  context.observe?.(request, { kind: 'described', user: draft.user })
  const decided = await options.hooks.afterCallback?.({
    request,
    user: draft.user,
    issuer: draft.issuer,
    returnTo: transaction.returnTo,
    parameters: withoutSecrets(parameters),
    accessToken: redeemed.tokens.access_token,
    previous,
  })
  const { index } = context.storedSessions.store
  const admitted: AuthSession = {
    ...draft,
    ...(decided?.user && { user: decided.user }),
    // Only lists of sessions show the device, and they need a store with an index.
    ...(index && { device: deviceLabel(request) }),
  }
  const kept = (await options.hooks.onSession?.(admitted, 'login')) ?? admitted
  context.observe?.(request, { kind: 'admitted' })
  const setCookies = [
    ...(await greetDevice(asked, kept)),
    ...(context.keptForms?.remember(request, kept) ?? []),
  ]
  await session.start(kept, claims.iat)
  context.observe?.(request, { kind: 'stored' })
  const user = userHash(kept.issuer, kept.sub)
  publish('session.created', { issuer: kept.issuer, user })
  publish('login.succeeded', { issuer: kept.issuer, user })
  telemetry.succeeded('callback')
  const returnTo =
    decided?.returnTo === undefined
      ? transaction.returnTo
      : safeReturnTo(decided.returnTo, options.baseUrl)
  return { returnTo, setCookies }
}

/**
 * Answers a callback whose transaction is missing, expired or used up, or whose code was already
 * redeemed. If the visitor's session satisfies the login, redirects to the requested page.
 * Otherwise restarts the login, once. If a silent login has no transaction even after the restart,
 * redirects to the page without logging in; every other repeated failure throws.
 *
 * @param reason - The error of the failed login. Default: `LATCHKEY_TRANSACTION_MISSING`.
 * @param setCookies - More cookies to set if the visitor is redirected to the requested page.
 * @throws {@link LatchkeyError} `reason`, if a restarted login fails again.
 */
async function recover(
  asked: RequestContext,
  login: LostLogin & { readonly state: string },
  reason?: LatchkeyError,
  setCookies: readonly string[] = [],
): Promise<AuthResponse> {
  const { options, transactions } = asked.context
  const { returnTo, restarts, silent, state } = login
  const forget = transactions.forget(state)
  const found = sessionAt(await asked.provider(), asked.session.read())
  if (found && answers(found, login, options.now())) {
    return redirect(returnTo, [...forget, ...setCookies], 303)
  }
  if (silent && restarts > 0 && !reason) return withoutSilentLogin(returnTo, forget)
  if (restarts > 0) {
    throw (
      reason ??
      new CallbackError(
        'LATCHKEY_TRANSACTION_MISSING',
        'The login cookie did not come back, twice; are cookies blocked, or is "baseUrl" another address than the one visitors use?',
      )
    )
  }
  return restart(asked, login, forget)
}

/**
 * Whether a session satisfies a login: the session is newer than the login, or as strong and as
 * recent as the login requested. With a weaker session, the guard would redirect to the login again
 * and again.
 */
function answers(found: AuthSession, login: LostLogin, now: number): boolean {
  return found.createdAt > login.createdAt || weaknessOf(found, login, now) === undefined
}

/**
 * Starts a login again for the same page and with the same requirements, and counts the restart.
 */
function restart(
  asked: RequestContext,
  { returnTo, restarts, maxAge, acr, silent }: LostLogin,
  setCookies: readonly string[],
): Promise<AuthResponse> {
  asked.context.publish('login.restarted', {})
  const again = { returnTo, maxAge, acr, ...(silent ? { prompt: 'none' as const } : {}) }
  return beginLogin(asked, again, { count: restarts + 1, setCookies })
}

/**
 * Answers a callback whose `state` is unknown. Redirects a logged-in user to the start page, and
 * refuses any other visitor. The login is unknown, so it cannot be started again.
 *
 * @throws {@link CallbackError} with `LATCHKEY_STATE_MISMATCH` for a visitor without a session.
 */
async function refuseUnknown({ context, session }: RequestContext): Promise<AuthResponse> {
  if (await session.read()) return redirect(context.options.baseUrl.pathname, [], 303)
  throw new CallbackError(
    'LATCHKEY_STATE_MISMATCH',
    'The response carries a state that was not made here. Has "session.secret" changed, does another process use a different one, or was the login begun at another address?',
  )
}

function withoutSecrets(parameters: URLSearchParams): Record<string, string> {
  const { code: _code, state: _state, ...rest } = Object.fromEntries(parameters)
  return rest
}

/**
 * Whether the provider reports that its login page has expired, so that a new login is needed.
 * Keycloak does so when a visitor logs in in one tab and continues in another.
 */
function isExpired(error: LatchkeyError, parameters: URLSearchParams): boolean {
  return (
    error.code === 'LATCHKEY_LOGIN_DENIED' &&
    parameters.get('error') === 'temporarily_unavailable' &&
    parameters.get('error_description') === 'authentication_expired'
  )
}

function isSpentCode(error: LatchkeyError): boolean {
  return error instanceof CallbackError && error.providerError === 'invalid_grant'
}

async function responseParameters(
  request: AuthRequest,
  query: URLSearchParams,
): Promise<URLSearchParams> {
  const parameters = request.method === 'POST' ? await readForm(request) : query
  for (const name of SINGLE_PARAMETERS) {
    if (parameters.getAll(name).length > 1) {
      throw new RequestError('LATCHKEY_REQUEST_INVALID', `The parameter "${name}" is repeated.`)
    }
  }
  return parameters
}
