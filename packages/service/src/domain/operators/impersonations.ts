import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OperatorUser } from '../../store/ports.ts'
import type { Micros, OperatorRole, Tenant, User } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { impersonationMode } from '../tenants/impersonation-mode.ts'
import { lookUpUser } from '../users/users.ts'
import { holdOf } from '../ways/second-operator.ts'
import { isContested, readStanding } from '../ways/valid-links.ts'
import { isLoginValid } from '../ways/valid-logins.ts'
import { entryOf } from '../writes/audit.ts'
import {
  type Actor,
  type DomainContext,
  nowMicros,
  oneAfterAnother,
  type Scope,
} from '../writes/context.ts'
import { entry, type Found, type Holder } from '../writes/entries.ts'
import { notFound, ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import { operatorMay } from './operators.ts'

/**
 * Logins of operators as a user (impersonation). A record of each login has the operator, the user,
 * the reason and the expiry. Every request in the login reads the record, so that ending the login
 * takes effect at once.
 */

/**
 * The seconds that a user has to answer a request. After a refusal, the operator cannot ask this
 * user again for the same period.
 */
const ANSWER_SECONDS = 86_400
/** The seconds that an operator has to begin a login after it is allowed. */
const BEGIN_SECONDS = 3_600
/** The lifetime, in seconds, of the ticket with which the console sends a browser to the tenant. */
const TICKET_SECONDS = 120
/** The seconds that an operator has to confirm the login on the tenant's page. */
const CONFIRM_SECONDS = 300
/** The lifetime of an operator's login as a user, in seconds. */
export const IMPERSONATION_SECONDS = 900
/**
 * The lifetime of a record, in seconds. The account page shows the record to the user until it
 * expires.
 */
const SHOWN_SECONDS = 90 * 86_400

/** The minimum and maximum length of a reason, in characters. */
const REASON = { least: 10, most: 300 } as const

/**
 * The cause of a login's end: the operator, the user, the expiry, or a rule that no longer holds.
 */
export type EndedBy = 'operator' | 'user' | 'time' | 'rule'

/** A login of an operator as a user. */
export interface Impersonation {
  readonly id: string
  readonly userId: string
  readonly operatorId: string
  /**
   * The operator's name, or the email address if there is no name. Users see it; applications do
   * not.
   */
  readonly operator: string
  /** The operator's role at the time of the request. Older records lack it. */
  readonly role?: OperatorRole | undefined
  readonly reason: string
  /** The tenant's mode at the time of the request. */
  readonly mode: 'asked' | 'allowed'
  readonly askedAt: Micros
  /**
   * The deadline of the user's answer. Once the login is allowed, the deadline of its beginning.
   */
  readonly waitsUntil: Micros
  readonly agreedAt?: Micros | undefined
  /**
   * The hash and expiry of a single-use secret. It is the ticket's secret, or the secret of the
   * browser that redeemed the ticket.
   */
  readonly secret?: { readonly of: 'ticket' | 'browser'; hash: string; until: Micros } | undefined
  readonly begunAt?: Micros | undefined
  readonly until?: Micros | undefined
  /** The ids of the applications that the operator has opened in this login. */
  readonly applications: readonly string[]
  readonly ended?: { readonly at: Micros; readonly by: EndedBy | 'declined' } | undefined
}

const impersonations = entry<Impersonation>('Impersonation', SHOWN_SECONDS)

/**
 * The begun logins of all tenants. A login is removed after its applications are notified of its
 * end, which may be late if the provider of its tenant cannot be made.
 */
const begun = entry<{ tenantId: string; id: string }>('BegunImpersonation', SHOWN_SECONDS)
const ALL = { accountId: 'all' }
const everywhere = ({ context }: Holder): Holder => ({ context, tenant: { id: SYSTEM_TENANT_ID } })

/** A record as read from the store. */
export type FoundImpersonation = Found<Impersonation>

/** A holder with the tenant's current settings and the domain context. */
type TenantHolder = Holder & {
  readonly tenant: Tenant
  readonly context: { domain: DomainContext }
}

/** The state of a login of an operator as a user. */
export type ImpersonationState = 'waiting' | 'ready' | 'begun' | 'ended' | 'declined' | 'missed'

/** The state of a record at the time `now`. */
export function impersonationState(one: Impersonation, now: Micros): ImpersonationState {
  if (one.ended) return one.ended.by === 'declined' ? 'declined' : 'ended'
  if (one.begunAt !== undefined) return now < (one.until ?? 0) ? 'begun' : 'ended'
  if (now >= one.waitsUntil) return 'missed'
  return one.mode === 'allowed' || one.agreedAt !== undefined ? 'ready' : 'waiting'
}

/** The impersonation records of a user, the newest first. */
export async function impersonationsOf(
  holder: Holder,
  userId: string,
): Promise<FoundImpersonation[]> {
  const all = await impersonations.ofAccount(holder, userId)
  return all.sort((a, b) => b.value.askedAt - a.value.askedAt)
}

/** Removes the impersonation records of a deleted user. */
export async function dropImpersonations(holder: Holder, userId: string): Promise<void> {
  for (const { entry: stored } of await impersonations.ofAccount(holder, userId)) {
    await impersonations.drop(holder, { key: stored.key })
  }
}

/**
 * Stores an operator's request to log in as a user. If the tenant's mode is `allowed`, the operator
 * may begin without an answer.
 *
 * @param because - The reason, which the user reads: 10 to 300 characters.
 * @param admitMail - Counts the mail that asks the user, after all other checks. Throws to refuse the
 *   request.
 * @throws ServiceError `not_permitted` where the tenant, the role of the operator or the state of
 *   the user does not allow it, `conflict` while an earlier request of the operator is open or for
 *   a day after the user declined one, `invalid_request` for a reason of another length.
 */
export async function askToImpersonate(
  holder: TenantHolder,
  actor: Actor,
  { operator, user: operatorUser }: OperatorUser,
  user: User,
  because: string,
  admitMail: () => Promise<void>,
): Promise<Impersonation> {
  const { domain } = holder.context
  const why = because.trim()
  if (why.length < REASON.least || why.length > REASON.most) {
    throw new ServiceError('invalid_request', reason('impersonation_reason', REASON))
  }
  const mode = impersonationMode(holder.tenant)
  if (mode === 'off') throw new ServiceError('not_permitted', reason('impersonation_off'))
  await checkOperatorAndUser(holder, { operator, user: operatorUser }, user)
  const now = nowMicros(domain.clock)
  const { name, given_name: given = '', family_name: family = '' } = operatorUser.profile
  const id = `imp_${randomBytes(15).toString('base64url')}`
  const made: Impersonation = {
    id,
    userId: user.id,
    operatorId: operator.id,
    operator: name || `${given} ${family}`.trim() || operatorUser.email,
    role: operator.role,
    reason: why,
    mode,
    askedAt: now,
    waitsUntil: now + (mode === 'asked' ? ANSWER_SECONDS : BEGIN_SECONDS) * 1e6,
    applications: [],
  }
  // Otherwise, two requests at once would both find none that is open.
  return oneAfterAnother(domain, 'impersonations', async () => {
    const own = (await impersonationsOf(holder, user.id))
      .map(({ value }) => value)
      .filter(({ operatorId }) => operatorId === operator.id)
    if (own.some((one) => isOpen(one, now))) {
      throw new ServiceError('conflict', reason('impersonation_open'))
    }
    if (mode === 'asked') await admitMail()
    await noteBoth(holder, actor, made, 'impersonation.ask')
    await impersonations.put(holder, id, made, { accountId: user.id })
    return made
  })
}

/**
 * Whether a record prevents its operator from asking the user again. A record does so while it is
 * open, and for a day after the user declined.
 */
function isOpen(one: Impersonation, now: Micros): boolean {
  const state = impersonationState(one, now)
  if (state === 'declined') return (one.ended?.at ?? 0) > now - ANSWER_SECONDS * 1e6
  return state === 'waiting' || state === 'ready' || state === 'begun'
}

/**
 * Checks that an operator may log in as a user, by the operator's role and reach and the user's
 * state.
 *
 * @throws ServiceError `not_permitted` for the first rule that does not hold.
 */
async function checkOperatorAndUser(
  { context: { domain }, tenant }: TenantHolder,
  operator: OperatorUser,
  user: User,
): Promise<void> {
  const refusal = (because: Reason) => new ServiceError('not_permitted', because)
  if (tenant.id === SYSTEM_TENANT_ID) throw refusal(reason('impersonation_of_operator'))
  if (!operatorMay(operator, 'impersonate', tenant.id)) throw refusal(reason('impersonation_role'))
  const operators = await domain.store.operators.list()
  if (operators.some((one) => one.user.emailKey === user.emailKey)) {
    throw refusal(reason('impersonation_of_operator'))
  }
  const standing = await readStanding(domain, user)
  if (user.disabled || isContested(user, standing)) throw refusal(reason('impersonation_of_locked'))
  if (holdOf({ user, standing }, nowMicros(domain.clock)))
    throw refusal(reason('impersonation_of_held'))
  // Users are notified by mail, so the user's address must be verified.
  if (user.verifiedAt === undefined) throw refusal(reason('impersonation_of_unverified'))
}

/**
 * Stores the user's answer to an operator's request. Of several answers at once, one is stored.
 *
 * @returns Whether this answer was stored.
 */
export async function answerImpersonation(
  holder: TenantHolder,
  scope: Scope,
  { id }: Pick<Impersonation, 'id'>,
  agrees: boolean,
): Promise<boolean> {
  const now = nowMicros(holder.context.domain.clock)
  for (;;) {
    const found = await impersonations.read(holder, id)
    if (!found || impersonationMode(holder.tenant) === 'off') return false
    const { value } = found
    const state = impersonationState(value, now)
    if (agrees ? state !== 'waiting' : state !== 'waiting' && state !== 'ready') return false
    const next: Impersonation = agrees
      ? { ...value, agreedAt: now, waitsUntil: now + BEGIN_SECONDS * 1e6 }
      : { ...value, ended: { at: now, by: 'declined' }, secret: undefined }
    if (!(await impersonations.exchange(holder, found, next))) continue
    const action = agrees ? 'impersonation.agree' : 'impersonation.decline'
    await noteBoth(holder, scope.actor, value, action)
    return true
  }
}

/**
 * Makes the ticket with which the console sends the browser of the operator to the tenant:
 * `<id>.<secret>`. The ticket is single use, expires after two minutes, and replaces an earlier
 * ticket.
 *
 * @throws ServiceError `not_found`, `conflict` or `not_permitted` where the login may not begin.
 */
export async function ticketFor(
  holder: TenantHolder,
  by: OperatorUser,
  id: string,
): Promise<string> {
  const found = await impersonations.read(holder, id)
  if (!found || found.value.operatorId !== by.operator.id) throw notFound()
  await mustBeReady(holder, by, found.value)
  const { text, secret } = newSecret(holder, found.value.id, 'ticket', TICKET_SECONDS)
  if (!(await impersonations.exchange(holder, found, { ...found.value, secret }))) {
    throw new ServiceError('conflict', reason('impersonation_not_ready'))
  }
  return text
}

/**
 * The user of a login that the operator may begin now.
 *
 * @throws ServiceError `not_found`, `conflict` or `not_permitted` where the login may not begin.
 */
async function mustBeReady(
  holder: TenantHolder,
  by: OperatorUser,
  one: Impersonation,
): Promise<User> {
  const { domain } = holder.context
  const user = await lookUpUser(domain, holder.tenant.id, one.userId)
  if (!user) throw notFound()
  const state = impersonationState(one, nowMicros(domain.clock))
  if (state !== 'ready' || !isModeKept(holder.tenant, one)) {
    throw new ServiceError('conflict', reason('impersonation_not_ready'))
  }
  await checkOperatorAndUser(holder, by, user)
  return user
}

/** Whether the tenant still allows the login: without asking, or after the user has agreed. */
function isModeKept(tenant: Tenant, { agreedAt }: Impersonation): boolean {
  const mode = impersonationMode(tenant)
  return mode === 'allowed' || (mode === 'asked' && agreedAt !== undefined)
}

function newSecret(
  { context }: TenantHolder,
  id: string,
  of: 'ticket' | 'browser',
  seconds: number,
) {
  const random = randomBytes(32).toString('base64url')
  const until = nowMicros(context.domain.clock) + seconds * 1e6
  return { text: `${id}.${random}`, secret: { of, hash: digest(random), until } }
}

/** Finds the record of a ticket, or of a browser's secret; `undefined` if the text is not valid. */
async function findBySecret(
  holder: TenantHolder,
  text: string,
  of: 'ticket' | 'browser',
): Promise<FoundImpersonation | undefined> {
  const [, id = '', given = ''] = /^(imp_[\w-]{20})\.([\w-]{43})$/.exec(text) ?? []
  const found = id === '' ? undefined : await impersonations.read(holder, id)
  const { secret } = found?.value ?? {}
  if (!found || secret?.of !== of) return undefined
  if (secret.until <= nowMicros(holder.context.domain.clock)) return undefined
  return isSame(digest(given), secret.hash) ? found : undefined
}

/**
 * Redeems a ticket, which is single use.
 *
 * @returns A new secret for the browser that sent the ticket, and its lifetime in seconds;
 *   `undefined` if the ticket is not valid.
 */
export async function spendTicket(
  holder: TenantHolder,
  ticket: string,
): Promise<{ text: string; seconds: number } | undefined> {
  const found = await findBySecret(holder, ticket, 'ticket')
  if (!found) return undefined
  const { text, secret } = newSecret(holder, found.value.id, 'browser', CONFIRM_SECONDS)
  const isSpent = await impersonations.exchange(holder, found, { ...found.value, secret })
  return isSpent ? { text, seconds: CONFIRM_SECONDS } : undefined
}

/**
 * Finds the login that the browser with this secret may begin now, and the login's user. Returns
 * `undefined` if there is none.
 */
export async function findConfirmable(
  holder: TenantHolder,
  text: string,
): Promise<{ found: FoundImpersonation; user: User } | undefined> {
  const found = await findBySecret(holder, text, 'browser')
  const by = found && (await holder.context.domain.store.operators.get(found.value.operatorId))
  if (!found || !by) return undefined
  try {
    return { found, user: await mustBeReady(holder, by, found.value) }
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

/** Begins the login. Of several requests at once, one succeeds; the others return `undefined`. */
export async function beginImpersonation(
  holder: TenantHolder,
  actor: Actor,
  found: FoundImpersonation,
): Promise<Impersonation | undefined> {
  const { value } = found
  const now = nowMicros(holder.context.domain.clock)
  const until = now + IMPERSONATION_SECONDS * 1e6
  const next: Impersonation = { ...value, secret: undefined, begunAt: now, until }
  // Listed before the login begins, so that the login is ended even if this process dies.
  await begun.put(everywhere(holder), value.id, { tenantId: holder.tenant.id, id: value.id }, ALL)
  if (!(await impersonations.exchange(holder, found, next))) return undefined
  await noteBoth(
    holder,
    { ...actor, name: operatorActor(value.operatorId).name },
    value,
    'impersonation.begin',
  )
  return next
}

/** Checks whether a login is still valid. Returns `live`, or the cause of the login's end. */
export async function judgeImpersonation(
  { context: { domain }, tenant }: TenantHolder,
  one: Impersonation,
): Promise<'live' | EndedBy> {
  const { ended, begunAt = 0, until = 0, operatorId, userId } = one
  if (ended) return ended.by === 'declined' ? 'user' : ended.by
  if (nowMicros(domain.clock) >= until) return 'time'
  if (!isModeKept(tenant, one)) return 'rule'
  const [by, user] = await Promise.all([
    domain.store.operators.get(operatorId),
    lookUpUser(domain, tenant.id, userId),
  ])
  if (!by || !user || user.verifiedAt === undefined) return 'rule'
  if (!operatorMay(by, 'impersonate', tenant.id)) return 'rule'
  // Ending all sessions of the operator or of the user ends this login too.
  const at = begunAt / 1e6
  return isLoginValid(by.user, at) && isLoginValid(user, at) ? 'live' : 'rule'
}

/** The login with this id. Returns `undefined` if it has not begun or is no longer valid. */
export async function liveImpersonation(
  holder: TenantHolder,
  id: string,
): Promise<FoundImpersonation | undefined> {
  const found = await impersonations.read(holder, id)
  if (!found) return undefined
  return (await judgeImpersonation(holder, found.value)) === 'live' ? found : undefined
}

/**
 * Withdraws the request for a login that has not begun.
 *
 * @returns Whether this call has withdrawn the request.
 */
export async function takeBackQuestion(
  holder: TenantHolder,
  actor: Actor,
  id: string,
): Promise<boolean> {
  const ended = { at: nowMicros(holder.context.domain.clock), by: 'operator' as const }
  for (;;) {
    const found = await impersonations.read(holder, id)
    if (!found || found.value.ended || found.value.begunAt !== undefined) return false
    const next = { ...found.value, ended, secret: undefined }
    if (!(await impersonations.exchange(holder, found, next))) continue
    await noteBoth(holder, actor, found.value, 'impersonation.end', { ended: ended.by })
    return true
  }
}

/** Reads the record with this id; `undefined` if there is none. */
export function readImpersonation(
  holder: Holder,
  id: string,
): Promise<FoundImpersonation | undefined> {
  return impersonations.read(holder, id)
}

/**
 * Records that the operator has opened an application, once for each application.
 *
 * @returns Whether the login is still live.
 */
export async function noteApplication(
  holder: TenantHolder,
  scope: Scope,
  id: string,
  applicationId: string,
): Promise<boolean> {
  for (;;) {
    const found = await liveImpersonation(holder, id)
    if (!found) return false
    const { value } = found
    if (value.applications.includes(applicationId)) return true
    const applications = [...value.applications, applicationId]
    if (!(await impersonations.exchange(holder, found, { ...value, applications }))) continue
    const actor = { ...scope.actor, name: operatorActor(value.operatorId).name, applicationId }
    await append(holder, actor, value, 'impersonation.use', 'tenant')
    return true
  }
}

/**
 * Marks a login as ended. Every later use of the login is refused.
 *
 * @returns The record before the change; `undefined` if the login had ended before, or has never
 *   begun.
 */
export async function markEnded(
  holder: TenantHolder,
  actor: Actor,
  id: string,
  by: EndedBy,
): Promise<Impersonation | undefined> {
  const now = nowMicros(holder.context.domain.clock)
  for (;;) {
    const found = await impersonations.read(holder, id)
    if (!found || found.value.ended || found.value.begunAt === undefined) return undefined
    const { value } = found
    if (!(await impersonations.exchange(holder, found, { ...value, ended: { at: now, by } })))
      continue
    await noteBoth(holder, actor, value, 'impersonation.end', { ended: by })
    return value
  }
}

/** The begun logins of all tenants, except those that {@link clearBegun} has removed. */
export async function begunImpersonations(
  holder: Pick<Holder, 'context'>,
): Promise<{ tenantId: string; id: string }[]> {
  const all = await begun.ofAccount(everywhere(holder as Holder), ALL.accountId)
  return all.map(({ value }) => value)
}

/** Removes a login from the begun logins, after its applications were notified of its end. */
export async function clearBegun(holder: Pick<Holder, 'context'>, id: string): Promise<void> {
  await begun.drop(everywhere(holder as Holder), id)
}

/**
 * The actor of an operator in tokens and the audit log. Its name is `operator:` and the operator's
 * id, so it differs from every id of a user.
 */
export function operatorActor(operatorId: string): Actor {
  return { name: `operator:${operatorId}` }
}

type ImpersonationAction =
  | 'impersonation.ask'
  | 'impersonation.agree'
  | 'impersonation.decline'
  | 'impersonation.begin'
  | 'impersonation.use'
  | 'impersonation.end'

/**
 * Writes two audit entries: about the user to the tenant's log, about the operator to the log of
 * operators.
 */
async function noteBoth(
  holder: TenantHolder,
  actor: Actor,
  one: Impersonation,
  action: ImpersonationAction,
  facts: Readonly<Record<string, string>> = {},
): Promise<void> {
  await append(holder, actor, one, action, 'tenant', facts)
  await append(holder, actor, one, action, 'operators', facts)
}

async function append(
  { context: { domain }, tenant }: TenantHolder,
  actor: Actor,
  one: Impersonation,
  action: ImpersonationAction,
  log: 'tenant' | 'operators',
  facts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const isOfTenant = log === 'tenant'
  const tenantId = isOfTenant ? tenant.id : SYSTEM_TENANT_ID
  const target = isOfTenant ? one.userId : one.operatorId
  // The reason may contain data about the user. Only the tenant's log has it, from which it is
  // erased with the user.
  const told = isOfTenant
    ? { reason: one.reason, ...facts }
    : { tenant: tenant.id, user: one.userId, ...facts }
  const changes = Object.entries(told).map(([name, after]) => ({ name, after }))
  const fields = changes.map(({ name }) => name)
  const made = entryOf({ context: domain, actor, tenantId }, action, target)
  await domain.store.audit.append({ ...made, fields, changes })
}

function digest(text: string): string {
  return hash('sha256', `latchkey-impersonation:${text}`, 'base64url')
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
