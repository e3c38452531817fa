import type { ServerMetadata } from 'openid-client'
import type { AuthContext, RequestContext } from '../context.ts'
import { ProviderError, RequestError } from '../errors/errors.ts'
import { readForm } from '../http/body.ts'
import { issuerRedirectUri } from '../http/redirect-uri.ts'
import { type AuthResponse, queryOf } from '../http/request.ts'
import { lostFormPage, onwardPage, redirect } from '../http/responses.ts'
import { keptReturnTo, warnShortened } from '../http/return-to.ts'
import { isSentForm } from '../http/sending-page.ts'
import type { Provider } from '../provider/provider.ts'
import { PROTECTED_PARAMETERS } from '../shared/protected-parameters.ts'
import { translate } from '../texts/languages.ts'
import { countRepetitions } from './repeated-login.ts'
import type { TransactionDraft } from './transaction.ts'

/** Options of one login. */
export interface LoginRequest {
  /** The page to show after the login. Sanitized as by `safeReturnTo()`. */
  readonly returnTo?: string | undefined
  /**
   * The `prompt` of the authorization request. With `none` the visitor sees no page and comes back
   * logged in or not. `create` starts a sign-up if the provider supports it, otherwise a login.
   */
  readonly prompt?: LoginPrompt | undefined
  /** The accepted authentication contexts (`acr_values`). A login with none of them is refused. */
  readonly acr?: readonly string[] | undefined
  /**
   * The most seconds since the user last authenticated at the provider (`max_age`). An older login
   * is refused.
   */
  readonly maxAge?: number | undefined
  /**
   * More parameters for the authorization request. Parameters that the kit sets itself are ignored.
   */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/** Facts about a login that the kit sets and the application does not choose. */
export interface LoginRestart {
  /**
   * The number of times that this login was started again. The number is sealed in `state`, so it
   * needs no cookie.
   */
  readonly count: number
  /** More cookies to set with the redirect. */
  readonly setCookies: readonly string[]
  /**
   * Whether this login loses a form that a page of this site sent. A page then tells the visitor.
   */
  readonly losesForm?: boolean
}

const FIRST: LoginRestart = { count: 0, setCookies: [] }

/** Values of the `prompt` parameter (OIDC Core 1.0 §3.1.2.1, Initiating User Registration 1.0). */
export type LoginPrompt = 'none' | 'login' | 'select_account' | 'consent' | 'create'

const PROMPTS: readonly string[] = ['none', 'login', 'select_account', 'consent', 'create']
const MAX_PARAMETER_LENGTH = 256
/**
 * The parameters with URLs. They may exceed {@link MAX_PARAMETER_LENGTH}, because a long URL is
 * shortened.
 */
const ADDRESSES: ReadonlySet<string> = new Set(['returnTo', 'target_link_uri'])

/**
 * Answers the login route with a redirect to the provider. Reads these parameters of the query, or
 * of the form of a `POST`: `returnTo`, `prompt`, `max_age`, `acr_values`, the names in the option
 * `allowedLoginParams`, and `iss` and `target_link_uri`, with which a provider or portal starts a
 * login. All others are ignored.
 *
 * @throws {@link RequestError} for a parameter that is repeated, too long or malformed, or an `iss`
 *   that is not the provider's.
 * @see OpenID Connect Core 1.0 §4
 */
export async function handleLogin(asked: RequestContext): Promise<AuthResponse> {
  const { context, request } = asked
  const query = request.method === 'POST' ? await readForm(request) : queryOf(request.url)
  const single = (name: string): string | undefined => {
    const [value, ...more] = query.getAll(name)
    if (more.length > 0 || (value && value.length > MAX_PARAMETER_LENGTH && !ADDRESSES.has(name))) {
      throw new RequestError(
        'LATCHKEY_REQUEST_INVALID',
        `The parameter "${name}" is repeated or too long.`,
      )
    }
    return value === '' ? undefined : value
  }
  const prompt = single('prompt')
  const maxAge = single('max_age')
  if ((prompt && !PROMPTS.includes(prompt)) || (maxAge && !/^\d{1,9}$/.test(maxAge))) {
    throw new RequestError('LATCHKEY_REQUEST_INVALID', '"prompt" or "max_age" is not valid.')
  }
  const parameters: Record<string, string> = {}
  for (const name of context.options.allowedLoginParams) {
    const value = single(name)
    if (value) parameters[name] = value
  }
  await checkIssuer(asked, single('iss'))
  return beginLogin(asked, {
    returnTo: single('returnTo') ?? single('target_link_uri'),
    prompt: prompt as LoginPrompt | undefined,
    acr: single('acr_values')?.split(' ').filter(Boolean),
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
    parameters,
  })
}

/**
 * Redirects the visitor to the provider: authorization code flow with PKCE S256, `state` and
 * `nonce`. The facts that the callback is checked against are in a cookie and sealed in `state`. A
 * visitor who sent a form gets a page that leads to the provider.
 *
 * @throws {@link ProviderError} when the provider's metadata is not cached and cannot be fetched,
 *   or does not allow `sharedCallback`.
 * @throws {@link LatchkeyError} with `LATCHKEY_LOGIN_LOOP` for a redirect loop.
 * @see OpenID Connect Core 1.0 §3.1.2.1, RFC 7636 §4.2, RFC 9126 §2
 */
export function beginLogin(
  asked: RequestContext,
  login: LoginRequest = {},
  restart: LoginRestart = FIRST,
): Promise<AuthResponse> {
  return asked.context.telemetry.step('login', () => begin(asked, login, restart))
}

async function begin(
  asked: RequestContext,
  login: LoginRequest,
  restart: LoginRestart,
): Promise<AuthResponse> {
  const { context, request } = asked
  const { options, transactions, publish, log } = context
  if (asked.session.failure instanceof RequestError) throw asked.session.failure
  const provider = await asked.provider()
  const metadata = await provider.metadata()
  checkSharedCallback(context, provider, metadata)
  const prompt = promptOf(login.prompt, metadata)
  const returnTo = keptReturnTo(login.returnTo, options.baseUrl, log, options.defaultReturnTo)
  const draft: TransactionDraft = {
    issuer: provider.issuer,
    clientId: provider.clientId,
    redirectUri: provider.redirectUri,
    returnTo,
    restarts: restart.count,
    maxAge: login.maxAge,
    acr: login.acr?.length ? login.acr : undefined,
    silent: prompt === 'none' ? true : undefined,
  }
  const repetitions = await countRepetitions(asked, draft)
  const { transaction, setCookies } = transactions.begin(request.headers.get('cookie'), {
    ...draft,
    repetitions,
  })
  if (transaction.returnTo !== returnTo) warnShortened(log)
  const free = { ...options.authorizationParams, ...login.parameters }
  const added = options.hooks.beforeLogin ? await options.hooks.beforeLogin(request, free) : {}
  const chosen = withoutProtected({ ...free, ...added })
  if (prompt) chosen.prompt = prompt
  if (transaction.acr) chosen.acr_values = transaction.acr.join(' ')
  if (transaction.maxAge !== undefined) chosen.max_age = String(transaction.maxAge)
  const fresh = {
    state: transaction.state,
    nonce: transaction.nonce,
    code_challenge: transaction.codeChallenge,
  }

  const location = await provider.authorizationUrl({
    fresh,
    chosen,
    isPushed: options.pushedAuthorizationRequests,
  })
  publish('login.started', { issuer: provider.issuer })
  const cookies = [...setCookies, ...restart.setCookies]
  context.observe?.(request, {
    kind: 'redirected',
    state: transaction.state,
    location,
    returnTo: transaction.returnTo,
    restarts: restart.count,
    setCookies: cookies,
  })
  if (isSentForm(request)) {
    const leading = restart.losesForm ? lostFormPage : onwardPage
    return leading(translate(options.languages, request), location, cookies)
  }
  const status = request.method === 'GET' || request.method === 'HEAD' ? 302 : 303
  return redirect(location, cookies, status)
}

/**
 * Refuses the option `sharedCallback` for a provider that does not name itself (`iss`) in every
 * response. With several providers, another one could otherwise receive the visitor's code.
 *
 * @see RFC 9700 §4.4.2
 */
function checkSharedCallback(
  { options, providers }: AuthContext,
  { issuer, redirectUri }: Provider,
  metadata: ServerMetadata,
): void {
  if (providers.fixed || redirectUri !== options.redirectUri) return
  if (metadata.authorization_response_iss_parameter_supported === true) return
  throw new ProviderError(
    'LATCHKEY_PROVIDER_INVALID',
    `${issuer} cannot have "sharedCallback": it does not announce "authorization_response_iss_parameter_supported". Register ${issuerRedirectUri(redirectUri, issuer)} there and leave "sharedCallback" out.`,
  )
}

/**
 * Checks that the parameter `iss`, with which a portal starts a login, names the provider of this
 * application.
 */
async function checkIssuer(asked: RequestContext, issuer: string | undefined): Promise<void> {
  if (issuer === undefined) return
  const provider = await asked.provider()
  const metadata = await provider.metadata()
  if (issuer === metadata.issuer || issuer === provider.issuer) return
  throw new RequestError(
    'LATCHKEY_REQUEST_INVALID',
    'The parameter "iss" names another provider than the one of this application.',
  )
}

function promptOf(
  prompt: LoginPrompt | undefined,
  metadata: ServerMetadata,
): LoginPrompt | undefined {
  if (prompt !== 'create') return prompt
  const known = metadata.prompt_values_supported
  return Array.isArray(known) && known.includes('create') ? 'create' : undefined
}

function withoutProtected(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).filter(([name]) => !PROTECTED_PARAMETERS.has(name)),
  )
}
