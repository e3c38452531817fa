import { hash } from 'node:crypto'
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { type PageName, type Pages, renderPage, type TextKey } from '../../pages/index.ts'
import type { AttemptLimit } from '../../store/protocol-store.ts'
import type { IssuerContext } from '../context.ts'
import { codeFormSecret, leaveUnsaved, restoreAuthorization } from '../engine/device-code.ts'
import { brandingFor, waitIn } from '../requests/branding.ts'
import { paths } from '../requests/paths.ts'
import { factsOf } from '../requests/request-facts.ts'
import { TooManyAttempts } from '../requests/too-many-attempts.ts'
import { shownName } from './clients/self-described.ts'

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>

/** The IP address and the user agent of the request for a device code, stored with the code. */
export interface DeviceFacts {
  readonly address: string
  readonly userAgent: string | undefined
}

/**
 * Creates the device flow of oidc-provider, for logins on devices without a browser. Between its
 * first and its last page, the user sees the pages of a login and the question of
 * `interaction/first/device-consent.ts`.
 *
 * @see RFC 8628
 */
export function createDeviceFlow(context: IssuerContext): DeviceFlow {
  return {
    enabled: true,
    // `base-20` has no vowels, so that no words appear, and no digits that look like letters.
    charset: 'base-20',
    mask: '****-****',
    deviceInfo: ({ req }) => {
      const { clientIp: address, userAgent } = factsOf(req)
      return { address, userAgent } satisfies DeviceFacts
    },
    async userCodeInputSource(ctx, _form, _out, error) {
      if (error) showProblem(ctx, error)
      else showForm(ctx, 200, String(ctx.state.userCode ?? ''))
    },
    // The form only looks up the code. The user is asked for consent after the login.
    async userCodeConfirmSource(ctx, _form, _client, _info, userCode) {
      showForm(ctx, 200, userCode)
    },
    async successSource(ctx) {
      restoreAuthorization(ctx)
      const application = shownName(ctx.oidc.client?.clientName) ?? ctx.oidc.client?.clientId ?? ''
      context.logger.debug({ application: ctx.oidc.client?.clientId }, 'A device was confirmed.')
      showMessage(ctx, 200, 'deviceDoneTitle', 'deviceDoneText', { application })
    },
  }
}

/**
 * The text about a refused user code, by the name of oidc-provider's error. oidc-provider does not
 * export these errors.
 */
const problems: Readonly<Record<string, TextKey>> = {
  NoCodeError: 'deviceUnknown',
  NotFoundError: 'deviceUnknown',
  ExpiredError: 'deviceExpired',
  AlreadyUsedError: 'deviceUsed',
}

function showProblem(ctx: KoaContextWithOIDC, error: Error): void {
  leaveUnsaved(ctx)
  const problem = problems[error.name]
  const { userCode = '' } = error as { userCode?: string }
  if (problem) showForm(ctx, 422, userCode.slice(0, MAX_SHOWN), problem)
  else if (error.name === 'AbortedError') {
    showMessage(ctx, 200, 'deviceDeniedTitle', 'deviceDeniedText')
  } else if (error instanceof TooManyAttempts) showTooMany(ctx, error.retryAfterSeconds)
  else if (error instanceof errors.SessionNotFound) {
    showMessage(ctx, 400, 'expiredTitle', 'deviceStartAgain')
  } else if (!(error instanceof errors.OIDCProviderError) || error.statusCode >= 500) {
    showMessage(ctx, 500, 'errorTitle', 'errorServer')
  } else if (error instanceof errors.InvalidRequest) {
    showMessage(ctx, 400, 'errorTitle', 'deviceStartAgain')
  } else {
    const { error_description: detail = error.message } = error
    render(ctx, 400, 'message', { title: 'errorTitle', text: 'errorText', detail })
  }
}

/** The maximum number of characters of an entered code that are shown again. */
const MAX_SHOWN = 40

function showForm(ctx: KoaContextWithOIDC, status: number, code: string, problem?: TextKey): void {
  render(ctx, status, 'deviceCode', {
    csrf: codeFormSecret(ctx),
    action: paths.code_verification,
    code,
    problem: problem && { field: 'user_code', text: problem },
  })
}

function showTooMany(ctx: KoaContextWithOIDC, seconds: number): void {
  const { language } = brandingFor(factsOf(ctx.req).tenant, ctx.req, ctx.query.ui_locales)
  ctx.set('retry-after', String(seconds))
  showMessage(ctx, 429, 'tooManyTitle', 'tooManyText', { wait: waitIn(language, seconds) })
}

function showMessage(
  ctx: KoaContextWithOIDC,
  status: number,
  title: TextKey,
  text: TextKey,
  values: Record<string, string> = {},
): void {
  const isOver = /^device(Done|Denied)/.test(title)
  const link = { href: paths.code_verification, text: 'deviceEnterAgain' } as const
  render(ctx, status, 'message', { title, text, values, ...(!isOver && { link }) })
}

function render<Name extends PageName>(
  ctx: KoaContextWithOIDC,
  status: number,
  name: Name,
  page: Pages[Name],
): void {
  const branding = brandingFor(factsOf(ctx.req).tenant, ctx.req, ctx.query.ui_locales)
  const { html, headers } = renderPage(name, branding, page)
  ctx.status = status
  ctx.set(headers)
  ctx.body = html
}

/**
 * Adds the middleware for the page with the form for codes. It limits how often the page is opened.
 * If the URL contains the code (`verification_uri_complete`), the form is filled in, and the user
 * sends it. oidc-provider would send the form by a script.
 *
 * @see RFC 8628 §3.3.1
 */
export function askForCodes(provider: Provider, { counts }: IssuerContext): void {
  provider.use(async (ctx, next) => {
    if (isCodeForm(ctx)) {
      const context = ctx as unknown as KoaContextWithOIDC
      // Limited, because each page stores the secret of its form.
      const seconds = await counts.countLogin(factsOf(ctx.req).clientIp)
      if (seconds !== undefined) return showTooMany(context, seconds)
      const { user_code: code, ...query } = ctx.query
      if (typeof code === 'string') ctx.state.userCode = code.slice(0, MAX_SHOWN)
      ctx.query = query
    }
    await next()
  })
}

/** Whether a request opens the page with the form for codes. */
export function isCodeForm({ path, method }: { path: string; method: string }): boolean {
  return path === paths.code_verification && method === 'GET'
}

/**
 * The limit of polls: one every four seconds. A device polls every five seconds (the default of RFC
 * 8628); slightly shorter intervals are accepted.
 */
const POLLS: AttemptLimit = { free: 1, baseSeconds: 4, maxSeconds: 4, forgetSeconds: 60 }

/**
 * Counts a poll of a device whose code is not confirmed yet.
 *
 * @throws SlowDown if the previous poll was less than four seconds ago.
 * @see RFC 8628 §3.5
 */
export async function countPoll(
  { protocol }: IssuerContext,
  tenantId: string,
  { oidc }: KoaContextWithOIDC,
): Promise<void> {
  const code = hash('sha256', String(oidc.params?.device_code), 'base64url')
  const { kind } = await protocol.admit(`devicePoll:${tenantId}:${code}`, POLLS)
  if (kind === 'refused') throw new errors.SlowDown()
}
