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
 * Creates the policy of oidc-provider: the steps that a visitor must take before the application
 * gets its response. They are to log in and, if the tenant requires it, to confirm the email
 * address. A login also fulfills the prompts `create` and `select_account`; see `finish.ts`.
 *
 * The consent prompt is for self-described clients and for devices. It stays registered for all
 * other clients, because requests with `prompt=consent` must be accepted, and `offline_access`
 * depends on it; see `grants.ts`.
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
  // Last, so that an application counts as opened only if no earlier step has refused the request.
  const noted = new Check('acting_ended', denied, 'access_denied', (ctx) =>
    noteActing(context, ctx),
  )
  policy.add(new Prompt({ name: 'acting_noted' }, noted))
  return policy
}

/**
 * Whether the session is too old to log the `latchkey` command in. The operator must then log in
 * again, regardless of the `max_age` that the device asks for, because a stranger may have started
 * the request.
 */
function isTooOldForCommand(ctx: KoaContextWithOIDC, clock: Clock): boolean {
  const { session, client, result } = ctx.oidc
  if (!isCommand(factsOf(ctx.req).tenant.id, client?.clientId)) return false
  if (!session?.accountId || result?.login) return false
  return clock.now() / 1_000 - authTimeOf(session as Session) > lifetimes.recentLoginSeconds
}

/**
 * Whether the user of the session may not continue, or the session is older than the tenant allows.
 */
function isLoginVoid(ctx: KoaContextWithOIDC, clock: Clock): boolean {
  const { session, account } = ctx.oidc
  if (!session?.accountId) return false
  if (!account) return true
  const age = clock.now() / 1000 - (session.loginTs ?? 0)
  return age >= loginSeconds(factsOf(ctx.req).tenant)
}

/**
 * Whether the user must confirm the access. A self-described client needs a confirmation for new
 * access and for `prompt=consent`. Each code that goes to the user's device needs a confirmation,
 * too, because any program there could pretend to be this client. Each login on a device without a
 * browser is confirmed, too.
 *
 * @throws UnauthorizedClient if the client may not log in on devices.
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
 * Sets the `acr` of the response. Returns whether to ask for a stronger login, which could reach a
 * requested value. `acr_values` is a voluntary request, so right after a login no stronger login is
 * asked for.
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

/** Whether the session lacks a second step that the tenant or the application requires. */
async function needsSecondStep(context: IssuerContext, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { session, client } = ctx.oidc
  if (!session?.accountId) return false
  // The rule does not apply to an operator's login as the user. The console has asked the operator
  // for a second step.
  if (actingFor(ctx)) return false
  const { tenant } = factsOf(ctx.req)
  const user = { id: session.accountId }
  const ofApplication = client?.[SECOND_STEP_KEY]
  return lacksSecondStep({ context, tenant, user, acr: session.acr, ofApplication }, ctx.req)
}

/**
 * Whether the user of a native application must confirm this login. Another app may use the
 * application's URL scheme or port, and would otherwise get tokens from the browser's session
 * unnoticed.
 *
 * @see RFC 8252 §8.6
 */
function isNativeUnconfirmed(ctx: KoaContextWithOIDC): boolean {
  const { client, session, result } = ctx.oidc
  return (
    client?.applicationType === 'native' &&
    // The consent page of a self-described client already asks for this confirmation.
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
 * Refuses `response_mode=fragment`, and removes it from discovery. Codes are for the application's
 * server, but only scripts in the browser can read a fragment. oidc-provider always supports the
 * mode, so the request is changed to an unknown mode.
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
