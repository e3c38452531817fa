import { hash, randomBytes } from 'node:crypto'
import {
  addableFactors,
  type Factors,
  factorsAmong,
  readFactors,
} from '../../../domain/factors/factors.ts'
import type { SecondStepRule } from '../../../domain/tenants/second-step-rule.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import {
  type FactorKind,
  isAtLeast,
  type Level,
  levelOf,
  type Method,
  methodsOf,
  proofsOf,
  requestedLevels,
} from '../../../domain/ways/assurance.ts'
import { keyMethod } from '../../../domain/ways/login-methods.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { canBeginBy, isFirstFactor } from '../../../domain/ways/ways-in.ts'
import { entry } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { Credential, HardwareCredential, User } from '../../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../../store/system-tenant.ts'
import { authTimeOf } from '../../engine/login-facts.ts'
import { readSession } from '../../engine/session.ts'
import { redirect } from '../../requests/http.ts'
import { type FlowPage, flowPath } from '../flow/flow-path.ts'
import { type InteractionRequest, show } from '../flow/flow-request.ts'
import { offered } from '../flow/offered.ts'
import { finishLogin, type ProvenFactors } from './finish.ts'
import { isTrusted } from './known-device.ts'
import { ruleOf, SECOND_STEP_DUE } from './second-step.ts'
import { completeLink } from './social-link.ts'

/** The factors proven so far in a login that is not finished. */
interface LoginProgress extends ProvenFactors {
  /** The id of this attempt. A login that begins again gets another id. */
  id: string
  userId: string
  /** The id of the connection, if the login began at a provider. */
  connectionId?: string | undefined
  /** Whether the login at the provider is too old to add a second step. */
  isOld?: boolean
  /** Whether the user declined to add the factor that the application asks for. */
  declined?: boolean
  /**
   * Whether the user was already offered to begin with another login method, because only that
   * method reaches the level that the application asks for.
   */
  isOtherStartOffered?: boolean
}

/** A login in progress, with its user. */
export interface Step {
  progress: LoginProgress
  user: User
  /** The credentials of the user, if they were read together with the user. */
  credentials?: readonly Credential[] | undefined
}

const records = entry<LoginProgress>('LoginProgress', lifetimes.interactionSeconds)

/**
 * Continues a login after its first factor. Every login passes here: no session at the issuer
 * begins before all required factors are proven.
 *
 * @param loggedInAt - A time before the factor was verified, in seconds since the epoch.
 * @param more - `credentials` as in {@link Step}. For a login at a provider also the id of its
 *   connection, `isOld`, and `provenAt` as in {@link ProvenFactors}.
 */
export async function completeStep(
  flow: InteractionRequest,
  user: User,
  method: Extract<Method, 'password' | 'totp_email' | 'passkey' | 'passkey_bound' | 'social'>,
  loggedInAt: number,
  {
    credentials,
    ...more
  }: Pick<LoginProgress, 'connectionId' | 'isOld' | 'provenAt'> & Pick<Step, 'credentials'> = {},
): Promise<void> {
  const progress = { id: newId(), userId: user.id, proofs: [method], loggedInAt, ...more }
  if (method === 'social' && (await offerOtherStart(flow, { progress, user }))) return
  await advance(flow, { progress, user, credentials }, false)
}

/**
 * Whether a user who logged in at a provider too long ago cannot continue: a second step is
 * required, and must be added first.
 */
export async function needsRecentLogin(
  flow: InteractionRequest,
  user: User,
  connectionId: string,
): Promise<boolean> {
  const first = { proofs: ['social'] as const, connectionId, isOld: true }
  const step = { progress: { id: newId(), userId: user.id, loggedInAt: 0, ...first }, user }
  return (await nextPage(flow, step)) === 'old' && (await isStepRequired(flow, step))
}

/**
 * Continues a login in progress after a further factor or a choice of the user; see
 * {@link completeStep}.
 */
export async function completeFurtherStep(
  flow: InteractionRequest,
  { progress, user }: Step,
  changes: Partial<Pick<LoginProgress, 'declined' | 'trust' | 'keptAt'>> & { method?: Method },
): Promise<void> {
  const { method, ...rest } = changes
  const proofs = method === undefined ? progress.proofs : [...progress.proofs, method]
  await advance(flow, { progress: { ...progress, ...rest, proofs }, user }, true)
}

/**
 * Begins a new login for a logged-in user who needs a higher level. The factors of the session
 * count.
 *
 * @returns Whether a login has begun. If so, the request is answered.
 */
export async function stepUp(flow: InteractionRequest): Promise<boolean> {
  const { context, provider, tenant, interaction, request, response } = flow
  const { name, reasons } = interaction.prompt
  const isStronger = (reason: string) => reason === ACR_UNMET || reason === SECOND_STEP_DUE
  if (name !== 'login' || !reasons.every(isStronger)) return false
  const session = await readSession(provider, request, response)
  const { accountId, loginTs, keptAt, provenAt, acr, amr, acting } = session
  if (!accountId || !loginTs || acting || accountId !== interaction.session?.accountId) return false
  const user = await lookUpUser(context.domain, tenant.id, accountId)
  if (!user || !isLoginValid(user, loginTs, keptAt)) return false
  const proofs = proofsOf(acr, amr)
  if (proofs.includes('social') && (await needsOtherStart(flow, user, proofs))) return false
  const progress = { id: newId(), userId: user.id, proofs, loggedInAt: loginTs, keptAt, provenAt }
  const step = { progress, user }
  const age = context.domain.clock.now() / 1000 - authTimeOf(session)
  // As on the account page, a login method can be added only in a recent login.
  if (age > lifetimes.recentLoginSeconds && (await isEnrolling(flow, step))) return false
  await advance(flow, step, false)
  return true
}

/**
 * Redirects a user who logged in at a provider to the login form, but only once. This happens if
 * only another login method reaches the level that the application asks for. If the user chooses
 * the provider again, the login continues.
 *
 * @returns Whether the user is redirected. If so, the request is answered.
 */
async function offerOtherStart(
  flow: InteractionRequest,
  { progress, user }: Step,
): Promise<boolean> {
  const { interaction, response } = flow
  if (requestedLevels(interaction.params.acr_values).length === 0) return false
  const earlier = (await records.read(flow, interaction.uid))?.value
  if (earlier?.userId === user.id && earlier.isOtherStartOffered) return false
  if (!(await needsOtherStart(flow, user, progress.proofs))) return false
  await records.put(flow, interaction.uid, { ...progress, isOtherStartOffered: true })
  redirect(response, `${startPath(flow)}&offer=stronger`)
  return true
}

/**
 * Whether these factors cannot lead to a requested level, but a login with the user's password or
 * passkey can. A login that begins at a provider stays below `mfa`.
 */
async function needsOtherStart(
  { context, tenant, interaction }: InteractionRequest,
  user: User,
  proofs: readonly Method[],
): Promise<boolean> {
  const { settings } = tenant
  const factors = await readFactors(context.domain, tenant.id, settings, user.id)
  const asked = requestedLevels(interaction.params.acr_values)
  const starts: Method[] = factors.keys
    .filter(isFirstFactor)
    .map(({ isSyncable }) => (isSyncable ? 'passkey' : 'passkey_bound'))
  if (settings.allowPasswords && factors.hasPassword) starts.push('password')
  const addable = addableFactors(settings, factors).flatMap((kind) => methodsOf[kind])
  const leads = (first: readonly Method[]) =>
    satisfies(first, [...factors.methods, ...addable], asked)
  return !leads(proofs) && starts.some((start) => leads([start]))
}

/** The policy's reason for a stronger login; see `provider/policy.ts`. */
export const ACR_UNMET = 'acr_unmet'

/**
 * The login in progress. If no login is in progress, or the login was revoked, redirects to the
 * start and returns `undefined`.
 */
export async function readStep(flow: InteractionRequest): Promise<Step | undefined> {
  const { context, tenant, interaction, response } = flow
  const found = await records.read(flow, interaction.uid)
  const progress = found?.value
  if (found?.isSpent) {
    // Another request of this browser has finished the login, such as the first request of a double
    // click.
    redirect(response, interaction.returnTo)
    return undefined
  }
  const user = progress && (await lookUpUser(context.domain, tenant.id, progress.userId))
  if (!progress || !user || !isLoginValid(user, progress.loggedInAt, progress.keptAt)) {
    redirect(response, startPath(flow))
    return undefined
  }
  const { settings } = tenant
  const factors = await readFactors(context.domain, tenant.id, settings, user.id)
  if (!(await mayGoOn(flow, progress, factors))) {
    redirect(response, startPath(flow))
    return undefined
  }
  return { progress, user }
}

/** Whether the login method with which this login began is still allowed. */
async function mayGoOn(
  flow: InteractionRequest,
  { proofs: [method], connectionId }: LoginProgress,
  { credentials }: Factors,
): Promise<boolean> {
  const connections = connectionId === undefined ? [] : await offered(flow)
  const tenant = { settings: flow.tenant.settings, offered: connections }
  return canBeginBy({ method, connectionId }, tenant, credentials)
}

/** Deletes the proven factors. The login begins again. */
export async function endProgress(flow: InteractionRequest): Promise<void> {
  await records.drop(flow, flow.interaction.uid)
}

/** Stores a further proven factor without continuing the login, because a page is shown first. */
export async function noteProof(
  flow: InteractionRequest,
  { progress }: Step,
  method: Method,
  keptAt: number | undefined,
): Promise<void> {
  await records.put(flow, flow.interaction.uid, {
    ...progress,
    proofs: [...progress.proofs, method],
    keptAt,
  })
}

/**
 * The second factors that make this login stronger, the best first. `recoveryCodes` is the number
 * of codes that are left, or 0 if a code would not help.
 */
export async function usefulFactors(
  flow: InteractionRequest,
  { progress, user }: Step,
): Promise<{ kinds: FactorKind[]; keys: HardwareCredential[]; recoveryCodes: number }> {
  const { context, tenant } = flow
  const factors = await readFactors(context.domain, tenant.id, tenant.settings, user.id)
  const level = levelOf(progress.proofs)
  const isStep = (method: Method) => isUseful(progress.proofs, method)
  const keys = factors.keys.filter((key) => isStep(keyMethod(key)))
  return {
    kinds: factors.usable.filter((kind) =>
      kind === 'hardware' ? keys.length > 0 : methodsOf[kind].some(isStep),
    ),
    keys,
    recoveryCodes: isAtLeast(level, 'mfa') ? 0 : factors.recoveryCodes,
  }
}

/**
 * The second factors whose enrolment would reach a level that the application asks for. Without
 * such a factor, those that make a second step.
 */
export async function enrollableFactors(
  flow: InteractionRequest,
  { progress, user }: Step,
): Promise<FactorKind[]> {
  const { context, tenant } = flow
  const factors = await readFactors(context.domain, tenant.id, tenant.settings, user.id)
  const kinds = enrollable(flow, progress, factors)
  return kinds.length > 0 ? kinds : secondSteps(flow, progress, factors)
}

function enrollable(
  { tenant, interaction }: InteractionRequest,
  { proofs }: LoginProgress,
  factors: Factors,
): FactorKind[] {
  const asked = requestedLevels(interaction.params.acr_values)
  return addableFactors(tenant.settings, factors).filter((kind) =>
    satisfies(proofs, methodsOf[kind], asked),
  )
}

/** The factors whose enrolment would give this login a second step. */
function secondSteps(
  { tenant }: InteractionRequest,
  { proofs }: LoginProgress,
  factors: Factors,
): FactorKind[] {
  return addableFactors(tenant.settings, factors).filter((kind) =>
    satisfies(proofs, methodsOf[kind], ['two_step']),
  )
}

/**
 * The rule by which the user must add a second step; `undefined` if the login has a second step, or
 * there is no rule.
 */
export async function pendingRule(
  flow: InteractionRequest,
  { progress }: Step,
): Promise<SecondStepRule | undefined> {
  return levelOf(progress.proofs) === 'single' ? ruleOf(flow) : undefined
}

/**
 * Whether the login cannot continue without a second factor. The console requires a second factor
 * of every operator. A tenant or an application may require one of every user.
 */
export async function isStepRequired(flow: InteractionRequest, step: Step): Promise<boolean> {
  if (flow.tenant.id === SYSTEM_TENANT_ID) return true
  return (await pendingRule(flow, step))?.isDue === true
}

/** Whether the next step of this login is to add a factor. */
export async function isEnrolling(flow: InteractionRequest, step: Step): Promise<boolean> {
  return (await nextPage(flow, step)) === '/enrol'
}

async function advance(flow: InteractionRequest, step: Step, isStored: boolean): Promise<void> {
  const { interaction, response } = flow
  const { progress, user } = step
  const page = await nextPage(flow, step)
  const isTooOld = page === 'old' && (await isStepRequired(flow, step))
  if (page === 'start' || isTooOld) return redirect(response, startPath(flow))
  if (page === 'none') {
    const link = { href: startPath(flow), text: 'backToLogin' } as const
    return show(flow, 403, 'message', { title: 'errorTitle', text: 'secondStepImpossible', link })
  }
  if (page !== undefined && page !== 'old') {
    await records.put(flow, interaction.uid, progress)
    return redirect(response, flowPath(interaction, page))
  }
  // If several requests finish the same login, only one of them succeeds.
  if (isStored && !(await records.spend(flow, interaction.uid))) {
    return redirect(response, interaction.returnTo)
  }
  await completeLink(flow, user, progress)
  await finishLogin(flow, user, progress)
}

/**
 * The page that asks for the next missing factor. `undefined`: no factor is missing. `start`: the
 * login method with which the login began is no longer allowed. `none`: a second step is required,
 * but the user cannot add one. `old`: the user would be asked to add a factor, but the login at the
 * provider is too old for that.
 */
async function nextPage(
  flow: InteractionRequest,
  { progress, user, credentials }: Step,
): Promise<FlowPage | 'start' | 'none' | 'old' | undefined> {
  const { context, tenant, interaction } = flow
  const { settings } = tenant
  const factors = credentials
    ? factorsAmong(settings, credentials)
    : await readFactors(context.domain, tenant.id, settings, user.id)
  if (!(await mayGoOn(flow, progress, factors))) return 'start'
  const { methods } = factors
  const level = levelOf(progress.proofs)
  const enrol = progress.isOld ? 'old' : '/enrol'
  // A second mailed code is never a second step, even if settings have changed since the first
  // step.
  const hasStepLeft = level === 'single' && methods.some((m) => isUseful(progress.proofs, m))
  if (hasStepLeft && !(await isTrusted(flow, user, factors))) return '/factor'

  // If a step is left here, the device is trusted: the user proved a second step on it before.
  const rule = hasStepLeft ? undefined : await pendingRule(flow, { progress, user })
  if (rule && (rule.isDue || !progress.declined)) {
    if (secondSteps(flow, progress, factors).length > 0) return enrol
    if (rule.isDue) return 'none'
  }

  const asked = requestedLevels(interaction.params.acr_values)
  if (asked.length === 0 || asked.some((wanted) => isAtLeast(level, wanted))) return undefined
  if (satisfies(progress.proofs, methods, asked)) return '/factor'
  if (progress.declined || enrollable(flow, progress, factors).length === 0) return undefined
  // Before a factor is added, an existing one must be proven, even on a trusted device.
  return hasStepLeft ? '/factor' : enrol
}

/** Whether a login is stronger with this method than without it. */
function isUseful(proofs: readonly Method[], method: Method): boolean {
  return !isAtLeast(levelOf(proofs), levelOf([...proofs, method]))
}

/**
 * Whether the proven factors, together with one of the methods, reach one of the requested levels.
 */
function satisfies(
  proofs: readonly Method[],
  methods: readonly Method[],
  asked: readonly Level[],
): boolean {
  const reachable = methods.map((method) => levelOf([...proofs, method]))
  return asked.some((wanted) => reachable.some((level) => isAtLeast(level, wanted)))
}

/** The path at which the login begins again. */
function startPath({ interaction }: InteractionRequest): string {
  return `${flowPath(interaction)}&start=login`
}

function newId(): string {
  return hash('sha256', randomBytes(32), 'base64url')
}
