import { errors, interactionPolicy, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { Clock } from '../../clock.ts'
import { SECOND_STEP_KEY } from '../../domain/tenants/second-step-rule.ts'
import {
  answeredAcr,
  isAtLeast,
  meets,
  reachableLevels,
  requestedAcrs,
  requestedLevels,
} from '../../domain/ways/assurance.ts'
import { allowedFactors, firstMethod } from '../../domain/ways/login-methods.ts'
import { lifetimes, loginSeconds } from '../../domain/writes/lifetimes.ts'
import type { IssuerContext } from '../context.ts'
import { DEVICE_GRANT, isOfDevice } from '../engine/device-code.ts'
import { authTimeOf } from '../engine/login-facts.ts'
import { answerWithAcr } from '../engine/request.ts'
import type { Session } from '../engine/session.ts'
import { NATIVE_UNCONFIRMED } from '../interaction/first/select-account.ts'
import { ACR_UNMET } from '../interaction/progress/login-progress.ts'
import { lacksSecondStep, SECOND_STEP_DUE } from '../interaction/progress/second-step.ts'
import { paths } from '../requests/paths.ts'
import { factsOf } from '../requests/request-facts.ts'
import { actingFor, noteActing, refuseWhileActing } from './acting-policy.ts'
import { describeForbiddenGrant } from './clients/client-policy.ts'
import { isSelfDescribed } from './clients/self-described.ts'
import { isCommand } from './command-logins.ts'
import { isAgreed, isConfirmed, isOnDevice } from './consents.ts'

const { base, Check, Prompt } = interactionPolicy

/** The prompts that an application may send. */
export const prompts = ['none', 'create', 'login', 'select_account', 'consent'] as const

/**
 * The steps that a visitor must take before the application gets its answer: log in, and prove the address if the
 * tenant requires it. A login also answers `create` and `select_account`; see `finish.ts`.
 *
 * The consent prompt is for clients with a metadata document, and for devices. It stays registered for all others,
 * because requests with `prompt=consent` must be accepted and `offline_access` depends on it; see `grants.ts`.
 */
export function createPolicy(context: IssuerContext): interactionPolicy.DefaultPolicy {
  const { clock } = context.domain
  const policy = base()
  const consent = policy.get('consent')
  consent?.checks.clear()
  consent?.checks.add(
    new Check('not_agreed', 'the user has to agree first', 'consent_required', (ctx) =>
      needsConsent(context, ctx),
    ),
  )
  policy
    .get('login')
    ?.checks.add(
      new Check('login_void', 'End-User authentication is required', 'login_required', (ctx) =>
        isLoginVoid(ctx, clock),
      ),
    )
  policy
    .get('login')
    ?.checks.add(
      new Check(
        ACR_UNMET,
        'the requested authentication is not met',
        'login_required',
        answerAcrOrAsk,
      ),
    )
  policy
    .get('login')
    ?.checks.add(
      new Check(SECOND_STEP_DUE, 'a second step is required', 'login_required', (ctx) =>
        needsSecondStep(context, ctx),
      ),
    )
  policy
    .get('login')
    ?.checks.add(
      new Check('command_login_old', 'a new login is required', 'login_required', (ctx) =>
        isTooOldForCommand(ctx, clock),
      ),
    )
  const unconfirmed = new Check(
    NATIVE_UNCONFIRMED,
    'a login of a native application needs its user',
    'interaction_required',
    isNativeUnconfirmed,
  )
  const unverified = new Check(
    'email_unverified',
    'the email address must be confirmed first',
    'interaction_required',
    isAddressUnproven,
  )
  policy.add(new Prompt({ name: 'verify_email' }, unverified), 1)
  policy.add(new Prompt({ name: 'select_account', requestable: true }, unconfirmed), 1)
  // @see OpenID Connect Initiating User Registration 1.0 §4.1
  policy.add(new Prompt({ name: 'create', requestable: true }), 0)
  const denied = 'an operator acts for the user'
  const refused = new Check('acting', denied, 'access_denied', refuseWhileActing)
  policy.add(new Prompt({ name: 'acting' }, refused), 0)
  // Comes last, because an application that an earlier step refuses was not opened.
  const noted = new Check('acting_ended', denied, 'access_denied', (ctx) =>
    noteActing(context, ctx),
  )
  policy.add(new Prompt({ name: 'acting_noted' }, noted))
  return policy
}

/**
 * Operators log in again before a command line acts in their name, regardless of the `max_age` that
 * the device asks for, because a stranger may have started the request.
 */
function isTooOldForCommand(ctx: KoaContextWithOIDC, clock: Clock): boolean {
  const { session, client, result } = ctx.oidc
  if (!isCommand(factsOf(ctx.req).tenant.id, client?.clientId)) return false
  if (!session?.accountId || result?.login) return false
  return clock.now() / 1_000 - authTimeOf(session as Session) > lifetimes.recentLoginSeconds
}

/** Whether the user of the session may not continue, or the session is older than the tenant allows. */
function isLoginVoid(ctx: KoaContextWithOIDC, clock: Clock): boolean {
  const { session, account } = ctx.oidc
  if (!session?.accountId) return false
  if (!account) return true
  const age = clock.now() / 1000 - (session.loginTs ?? 0)
  return age >= loginSeconds(factsOf(ctx.req).tenant)
}

/**
 * Whether an unregistered client asks for more than the user has agreed to, or for a code that goes
 * to the user's device. Any program on the device could pretend to be this client, so each of its
 * logins is confirmed. So is each login on a device without a browser.
 *
 * @see RFC 8252 §8.6, RFC 8628 §5.4
 */
async function needsConsent(context: IssuerContext, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { client, account, params } = ctx.oidc
  if (isOfDevice(ctx)) {
    if (!client?.grantTypeAllowed(DEVICE_GRANT)) {
      throw new errors.UnauthorizedClient(describeForbiddenGrant(DEVICE_GRANT))
    }
    return account !== undefined && !isConfirmed(ctx)
  }
  if (!isSelfDescribed(client) || !account) return false
  if (!(await isAgreed(context, ctx))) return true
  if (isConfirmed(ctx)) return false
  const prompts = String(params?.prompt ?? '').split(' ')
  return prompts.includes('consent') || isOnDevice(params?.redirect_uri)
}

/**
 * Decides the `acr` of the response, and asks for a stronger login if that could reach a requested
 * value. `acr_values` is a wish: right after a login, no stronger one is asked for.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1, §5.5.1.1
 */
function answerAcrOrAsk(ctx: KoaContextWithOIDC): boolean {
  const { session, params, result } = ctx.oidc
  const requested = requestedAcrs(params?.acr_values)
  answerWithAcr(ctx, answeredAcr(session?.acr, requested))
  if (!session?.accountId || result?.login) return false
  if (requested.some((value) => meets(session.acr, value))) return false
  const { settings } = factsOf(ctx.req).tenant
  const reachable = reachableLevels(firstMethod(settings), allowedFactors(settings))
  const wanted = requestedLevels(params?.acr_values)
  return wanted.some((level) => reachable.some((offered) => isAtLeast(offered, level)))
}

/**
 * Whether a session with only one step lacks the second one that the tenant or the application
 * requires.
 */
async function needsSecondStep(context: IssuerContext, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, client } = ctx.oidc
  if (!session?.accountId) return false
  // The rule is for logins of users. The console has asked the operator for a second step.
  if (actingFor(ctx)) return false
  const { tenant } = factsOf(ctx.req)
  const user = { id: session.accountId }
  const ofApplication = client?.[SECOND_STEP_KEY]
  return lacksSecondStep({ context, tenant, user, acr: session.acr, ofApplication }, ctx.req)
}

/**
 * Whether the user of a native application has to confirm this login. Another app may use its URL scheme or port, and
 * would otherwise get tokens from the browser's session without being noticed.
 *
 * @see RFC 8252 §8.6
 */
function isNativeUnconfirmed(ctx: KoaContextWithOIDC): boolean {
  const { client, session, result } = ctx.oidc
  return (
    client?.applicationType === 'native' &&
    // Its user is asked for consent, which includes this.
    !isSelfDescribed(client) &&
    !isOfDevice(ctx) &&
    session?.accountId !== undefined &&
    result?.select_account === undefined
  )
}

function isAddressUnproven(ctx: KoaContextWithOIDC): boolean {
  if (factsOf(ctx.req).tenant.settings.allowUnverified) return false
  return ctx.oidc.account !== undefined && ctx.oidc.account.isVerified !== true
}

/**
 * Refuses `response_mode=fragment`: codes go to the application's server, and the part after a `#`
 * is for scripts in the browser. oidc-provider always supports the mode, so the request is changed
 * to a mode that no provider has.
 */
export function refuseFragments(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (ctx.path === paths.authorization && ctx.query.response_mode === 'fragment') {
      ctx.query = { ...ctx.query, response_mode: 'none' }
    }
    await next()
    const discovered = ctx.body as { response_modes_supported?: string[] } | undefined
    const modes = discovered?.response_modes_supported
    if (modes) {
      const offered = modes.filter((mode) => mode !== 'fragment')
      ctx.body = { ...discovered, response_modes_supported: offered }
    }
  })
}
