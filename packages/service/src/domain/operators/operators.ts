import { hash, randomBytes } from 'node:crypto'
import type { RoleJob } from '../../store/jobs.ts'
import type { Account, OperatorLogins, OperatorUser } from '../../store/ports.ts'
import type { Micros, Operator, OperatorRole, Reach, Tenant, User } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { defaultSettings } from '../tenants/tenants.ts'
import { resetPassword } from '../users/accounts.ts'
import { judgePassword, type PasswordProblem } from '../users/chosen-password.ts'
import { hashPassword } from '../users/passwords.ts'
import { createUser, findUser, setDisabled } from '../users/users.ts'
import { changeAccount } from '../ways/account-changes.ts'
import { afterRuling, originOf } from '../ways/valid-links.ts'
import { isLoginValid, withoutSessions } from '../ways/valid-logins.ts'
import { listAudit } from '../writes/audit.ts'
import { auditingFields, commit, unlessRefused } from '../writes/commit.ts'
import {
  type DomainContext,
  nowMicros,
  oneAfterAnother,
  refuseStale,
  type Scope,
  type ServiceScope,
  updated,
} from '../writes/context.ts'
import { found, notFound, ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { newJob } from './new-job.ts'
import { type Permission, roleMay } from './roles.ts'

/** The lifetime of an invitation, in seconds. */
export const INVITATION_SECONDS = 86_400

/** The fields of an operator. */
export interface OperatorInput {
  role: OperatorRole
  /** The tenants that the operator can see. An owner always sees all. Default: all. */
  reach?: Reach | undefined
}

/** The scope of the system tenant, whose users are the operators. */
function within(scope: ServiceScope): Scope {
  return { ...scope, tenantId: SYSTEM_TENANT_ID }
}

/**
 * Invites an operator by email address. Another invitation replaces an unused link by a new one,
 * and changes nothing else: roles are changed separately.
 *
 * @returns The operator, and the token of the invitation, of which only a hash is stored.
 * @throws ServiceError `conflict` for an operator who has accepted, is being recovered, or was
 *   invited with another role or reach.
 */
export async function inviteOperator(
  scope: ServiceScope,
  { email, language, ...input }: OperatorInput & { email: string; language?: string | undefined },
): Promise<{ operator: Operator; token: string }> {
  const own = within(scope)
  const { context } = scope
  const { operators } = context.store
  await ensureSystemTenant(scope)
  const user = (await findUser(own, email)) ?? (await createOperatorUser(own, email, language))
  const token = randomBytes(32).toString('base64url')
  const now = nowMicros(context.clock)
  const decided = decide(input)
  const invitation = { hash: hashOf(token), expiresAt: now + INVITATION_SECONDS * 1e6 }
  const known = await operators.get(user.id)
  if (known) checkResent(known.operator, decided)
  const operator = await commit(own, 'operator.invite', user.id, (audit) =>
    known
      ? operators.update(
          user.id,
          (last) => {
            checkResent(last, decided)
            return updated(context, last, { invitation })
          },
          audit,
        )
      : operators.insert(
          { id: user.id, createdAt: now, updatedAt: now, ...decided, invitation },
          audit,
        ),
  )
  return { operator, token }
}

/**
 * Makes a new link for an operator who has not accepted yet. The new link replaces the earlier one.
 *
 * @throws ServiceError `not_found` for an unknown operator, `conflict` for one who has accepted or
 *   is being recovered.
 */
export async function inviteAgain(
  scope: ServiceScope,
  id: string,
): Promise<{ operator: Operator; token: string }> {
  const { operator, user } = found(await scope.context.store.operators.get(id))
  const { role, reach } = operator
  return inviteOperator(scope, { email: user.email, role, reach })
}

/**
 * The operator who last invited the operator `id`. It is `undefined` if the command line did, or if
 * the inviter was removed or disabled.
 */
export async function inviterOf({ context }: ServiceScope, id: string): Promise<User | undefined> {
  const entries = await listAudit(context, { tenantId: SYSTEM_TENANT_ID, target: id })
  const entry = entries.find(({ action }) => action === 'operator.invite')
  const [, by] = /^operator:(.+)$/.exec(entry?.actor ?? '') ?? []
  const inviter = by === undefined ? undefined : await context.store.operators.get(by)
  return inviter?.user.disabled ? undefined : inviter?.user
}

/**
 * Checks that an invitation may be repeated with this role and reach.
 *
 * @throws ServiceError `conflict` for an operator who has accepted, is being recovered, or was
 *   invited with another role or reach.
 */
function checkResent(last: Operator, decided: Pick<Operator, 'role' | 'reach'>): void {
  if (!last.invitation) {
    throw new ServiceError('conflict', reason('operator_exists'))
  }
  if (last.invitation.isRecovery) {
    throw new ServiceError('conflict', reason('operator_recovered'))
  }
  if (last.role !== decided.role || String(last.reach) !== String(decided.reach)) {
    const name = last.reach === 'all' ? 'operator_invited_to_all' : 'operator_invited_to_others'
    throw new ServiceError('conflict', reason(name, { role: last.role }))
  }
}

/**
 * Recovers an operator who can no longer log in: removes all credentials, ends the sessions,
 * revokes mailed links, and makes a new invitation. Only the command line recovers operators or
 * repeats that invitation. In the console, an owner could take over the account of another owner.
 *
 * @throws ServiceError `not_found` if no operator has the address.
 */
export async function recoverOperator(
  scope: ServiceScope,
  email: string,
): Promise<{ operator: Operator; token: string }> {
  const own = within(scope)
  const { context } = scope
  const user = found(await findUser(own, email))
  found(await context.store.operators.get(user.id))
  const token = randomBytes(32).toString('base64url')
  const expiresAt = nowMicros(context.clock) + INVITATION_SECONDS * 1e6
  const write = { scope: own, action: 'operator.recover', target: user.id } as const
  found(
    await changeAccount(write, user.id, (last) => ({
      user: withoutSessions(context, updated(context, last.user, {})),
      credentials: [],
      legacyPassword: null,
      standing: afterRuling(last),
    })),
  )
  const operator = await commit(own, 'operator.invite', user.id, (audit) =>
    context.store.operators.update(
      user.id,
      (last) => {
        // An operator who never accepted has done nothing in the console. The console may repeat
        // this invitation, because an owner gains nothing from such an account.
        const isRecovery = !last.invitation || last.invitation.isRecovery === true
        const invitation = { hash: hashOf(token), expiresAt, ...(isRecovery && { isRecovery }) }
        return updated(context, last, { invitation })
      },
      audit,
    ),
  )
  return { operator, token }
}

/**
 * Finds the invited operator by the token of the invitation. Returns `expired` if the invitation
 * has expired, and `undefined` if it was used or replaced, or if the operator is disabled or
 * unconfirmed.
 */
export async function findInvited(
  { store, clock }: DomainContext,
  token: string,
): Promise<OperatorUser | 'expired' | undefined> {
  const invited = await store.operators.findByInvitation(hashOf(token))
  if (!invited || invited.user.disabled || invited.operator.isUnconfirmed) return undefined
  const isGood = (invited.operator.invitation?.expiresAt ?? 0) > nowMicros(clock)
  return isGood ? invited : 'expired'
}

/**
 * The tenant for the check of operators' passwords: no password policy, only the rules of all
 * tenants.
 */
const OPERATORS = {
  id: SYSTEM_TENANT_ID,
  name: '',
  metadata: {},
  settings: { companyName: '', domain: '' },
}

/** The result of accepting an invitation. */
export type Acceptance =
  | { kind: 'accepted'; accepted: OperatorUser }
  | { kind: 'refused'; problem: PasswordProblem }

/**
 * Sets the password of an invited operator, ends the operator's sessions and uses the invitation. A
 * refused password changes nothing. The password is stored first: from then on the invitation is
 * void, even if removing it fails.
 *
 * @throws ServiceError `not_found` if the invitation is not valid.
 */
export async function acceptInvitation(
  scope: ServiceScope,
  token: string,
  password: string,
): Promise<Acceptance> {
  const own = within(scope)
  const { context } = scope
  const invited = await findInvited(context, token)
  if (!invited || invited === 'expired') throw notFound()
  const { user } = invited
  const { email, profile } = user
  const problem = await judgePassword(context, password, { email, profile, tenant: OPERATORS })
  if (problem) return { kind: 'refused', problem }
  // Hashed first: if the service is too busy to hash, the invitation stays valid.
  const stored = await hashPassword(own, password, 'login')
  const origin = await originOf(context, user)
  // Read again after the origin: an earlier recovery has replaced the invitation, and a later one
  // makes the origin invalid.
  const still = await findInvited(context, token)
  if (!still || still === 'expired') throw notFound()
  const isFirst = ({ credentials }: Account) => credentials.length === 0
  if (!(await resetPassword(own, user, stored, origin, isFirst))) throw notFound()
  await commit(own, 'operator.accept', user.id, (audit) =>
    context.store.operators.update(
      user.id,
      // A recovery since then has made another one, which stays.
      (last) =>
        last.invitation?.hash === hashOf(token)
          ? updated(context, last, { invitation: undefined })
          : last,
      audit,
    ),
  )
  return { kind: 'accepted', accepted: invited }
}

/** All operators, in the order of invitation. */
export function listOperators({ context }: ServiceScope): Promise<OperatorUser[]> {
  return context.store.operators.list()
}

/**
 * The operators who can log in, see the tenant, and have the permission `edit`.
 */
export async function operatorsOf({ context, tenantId }: Scope): Promise<OperatorUser[]> {
  const operators = await context.store.operators.list()
  return operators.filter((one) => operatorMay(one, 'edit', tenantId))
}

/**
 * Whether an operator who can log in has the permission within the tenant. Operators who have not
 * accepted their invitation, or are disabled or unconfirmed, cannot log in.
 */
export function operatorMay(
  { operator: { role, reach, invitation, isUnconfirmed }, user }: OperatorUser,
  permission: Permission,
  tenantId: string,
): boolean {
  if (user.disabled || invitation || isUnconfirmed || !roleMay(role, permission)) return false
  return reach === 'all' || reach.includes(tenantId)
}

/** The login methods of each operator, by operator id. */
export async function operatorLogins({
  context,
}: ServiceScope): Promise<ReadonlyMap<string, OperatorLogins>> {
  return new Map((await context.store.operators.logins()).map((one) => [one.id, one]))
}

/**
 * The operator of a login, if the login is still valid.
 *
 * @param loggedInAt - The time of the login, in seconds since the epoch.
 * @param keptAt - The end of sessions that this login requested and survived, in the same unit.
 */
export async function operatorOfLogin(
  { store }: DomainContext,
  userId: string,
  loggedInAt: number | undefined,
  keptAt?: number,
): Promise<OperatorUser | undefined> {
  const operator = await store.operators.get(userId)
  if (!operator || operator.operator.isUnconfirmed) return undefined
  return isLoginValid(operator.user, loggedInAt, keptAt) ? operator : undefined
}

/**
 * Changes the role or reach of an operator and, in the same step, adds a job that notifies the
 * operator by mail. A server process runs the job, even if a command made the change.
 *
 * @param readAt - The `updatedAt` that the caller has read; `undefined` for any.
 * @returns The operator after and before the change.
 * @throws ServiceError `not_found`, or `conflict` when no owner would be left or the operator was
 *   changed since `readAt`.
 */
export async function updateOperator(
  scope: ServiceScope,
  id: string,
  input: OperatorInput,
  readAt?: Micros,
): Promise<{ operator: Operator; before: Operator }> {
  const decided = decide(input)
  const { context } = scope
  const own = within(scope)
  const by = await operatorIn(scope)
  let before: Operator | undefined
  let job: RoleJob | undefined
  function change(last: Operator): Operator {
    refuseStale(last, readAt)
    before = last
    job = undefined
    const { role, reach } = last
    if (role === decided.role && String(reach) === String(decided.reach)) return last
    job = newJob<RoleJob>(own, {
      ...{ tenantId: SYSTEM_TENANT_ID, kind: 'tell-role', total: 1, state: 'running' },
      work: { operatorId: id, before: { role, reach }, by },
      progress: null,
    })
    return updated(context, last, decided)
  }
  return keepingAnOwner(scope, id, decided, async () => {
    const operator = await commit(own, 'operator.update', id, (audit) =>
      context.store.operators.update(id, auditingFields(audit, change), audit, () => job),
    )
    if (job) context.events.emit('job')
    return { operator, before: before ?? operator }
  })
}

/** The email address of the acting operator; `undefined` for the command line. */
async function operatorIn({ context, actor }: ServiceScope): Promise<string | undefined> {
  const [, id] = /^operator:(.+)$/.exec(actor.name) ?? []
  return id === undefined ? undefined : (await context.store.operators.get(id))?.user.email
}

/**
 * Disables an operator and ends the operator's sessions, or enables the operator again.
 *
 * @throws ServiceError `not_found`, or `conflict` when no owner would be left.
 */
export async function setOperatorDisabled(
  scope: ServiceScope,
  id: string,
  disabled: boolean,
): Promise<User> {
  const { context } = scope
  found(await context.store.operators.get(id))
  const set = () => setDisabled(within(scope), id, disabled, { action: 'operator.update' })
  return disabled ? keepingAnOwner(scope, id, undefined, set) : set()
}

/**
 * Removes an operator, with all credentials.
 *
 * @throws ServiceError `not_found`, or `conflict` when no owner would be left.
 */
export async function removeOperator(scope: ServiceScope, id: string): Promise<User> {
  const { context } = scope
  found(await context.store.operators.get(id))
  return keepingAnOwner(scope, id, undefined, () =>
    commit(within(scope), 'operator.remove', id, (audit) =>
      context.store.users.delete(SYSTEM_TENANT_ID, id, audit),
    ),
  )
}

/**
 * Changes an operator, unless the change would leave the service without an owner who can log in.
 * The changes run one at a time: otherwise, two owners who remove each other at once would both
 * succeed.
 *
 * @throws ServiceError `conflict` when no owner would be left.
 */
async function keepingAnOwner<T>(
  scope: ServiceScope,
  id: string,
  next: Pick<Operator, 'role'> | undefined,
  change: () => Promise<T>,
): Promise<T> {
  if (next?.role === 'owner') return change()
  return oneAfterAnother(scope.context, 'owners', async () => {
    await checkOwners(scope, id)
    return change()
  })
}

const isEnabledOwner = ({ operator, user }: OperatorUser) =>
  operator.role === 'owner' && !user.disabled

/** The owners who can log in: those who are enabled and confirmed, and have no open invitation. */
export function ableOwners(operators: readonly OperatorUser[]): OperatorUser[] {
  return operators
    .filter(isEnabledOwner)
    .filter(({ operator }) => !operator.invitation && !operator.isUnconfirmed)
}

async function checkOwners(scope: ServiceScope, id: string): Promise<void> {
  const owners = (await listOperators(scope)).filter(isEnabledOwner)
  const able = ableOwners(owners)
  // While no owner can log in, for example before the first has accepted, the invited owners count.
  const counted = able.length > 0 ? able : owners
  const isOther = counted.some(({ operator }) => operator.id !== id)
  if (isOther || !counted.some(({ operator }) => operator.id === id)) return
  throw new ServiceError('conflict', reason('operator_last_owner'))
}

function decide({ role, reach = 'all' }: OperatorInput): Pick<Operator, 'role' | 'reach'> {
  if (reach !== 'all' && reach.length === 0) {
    throw new ServiceError('invalid_request', reason('operator_needs_tenant'))
  }
  return { role, reach: role === 'owner' || reach === 'all' ? 'all' : [...new Set(reach)].sort() }
}

async function createOperatorUser(
  scope: Scope,
  email: string,
  locale: string | undefined,
): Promise<User> {
  const profile = locale === undefined ? {} : { locale }
  const input = { email, emailVerified: true, disabled: false, metadata: {}, profile }
  return createUser(scope, input)
}

/**
 * The stored domain of the system tenant. Browsers never use it, because the system tenant is
 * served at the console's host.
 */
const STORED_DOMAIN = 'system'

/**
 * Creates the system tenant if it does not exist: at the first start with a console, or at the
 * first invitation.
 */
export async function ensureSystemTenant(scope: ServiceScope): Promise<void> {
  const own = within(scope)
  const { context } = scope
  if (await context.store.tenants.get(SYSTEM_TENANT_ID)) return
  const now = nowMicros(context.clock)
  const tenant: Tenant = {
    id: SYSTEM_TENANT_ID,
    name: 'Operators',
    createdAt: now,
    updatedAt: now,
    metadata: {},
    settings: {
      ...defaultSettings,
      domain: STORED_DOMAIN,
      companyName: 'Latchkey',
      allowHardware: true,
      allowTotpApp: true,
      allowSignups: false,
      rememberLoginSeconds: 12 * 3_600,
    },
  }
  const created = commit(own, 'tenant.create', tenant.id, (audit) =>
    context.store.tenants.insert(tenant, audit),
  )
  await unlessRefused(created, 'already_exists')
}

function hashOf(token: string): string {
  return hash('sha256', token)
}
