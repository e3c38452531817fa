import { pageOfCredentials } from '../../store/credential-order.ts'
import { emailKey } from '../../store/email-key.ts'
import type { Job } from '../../store/jobs.ts'
import type { Account, Change, Listing, Page } from '../../store/ports.ts'
import type { Credential, Micros, Standing, User } from '../../store/records.ts'
import type { Found, SearchPage, UserQuery } from '../../store/user-search.ts'
import { afterReaddress, isOperator, refuseOwnChange } from '../ways/second-operator.ts'
import { afterRuling, effectOfEdit, isContested, standingOf } from '../ways/valid-links.ts'
import { changedFields } from '../writes/changed-fields.ts'
import { auditingFields, auditingUser, commit } from '../writes/commit.ts'
import { type DomainContext, nowMicros, type Scope, updated } from '../writes/context.ts'
import { found, ServiceError } from '../writes/errors.ts'
import { newId } from '../writes/ids.ts'
import { reason } from '../writes/reasons/index.ts'
import {
  checkEmail,
  checkMetadata,
  checkNewEmail,
  checkText,
  isWhole,
  limits,
} from '../writes/rules.ts'

/** A function that returns additional claims for the ID tokens of a user. */
export type ClaimsOf = (
  userId: string,
) => Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>

/** The fields of a user that a caller sets. */
export interface UserInput {
  email: string
  /** Whether the address is verified. */
  emailVerified: boolean
  /** The instant when the address was verified; not in the future. Default: now. */
  verifiedAt?: Micros | undefined
  disabled: boolean
  metadata: User['metadata']
  /** The standard claims other than the address. */
  profile: User['profile']
}

/**
 * Creates a user without credentials, or for a sign-up with the credential that `credentialFor`
 * makes.
 *
 * @throws ServiceError `already_exists` when the address is taken within the tenant.
 */
export async function createUser(
  scope: Scope,
  input: UserInput,
  credentialFor?: (user: User) => Credential,
): Promise<User> {
  checkUser(input)
  checkNewEmail('"profile.email"', input.email)
  const { context } = scope
  const user = newUser(scope, input)
  return commit(scope, 'user.create', user.id, (audit) =>
    context.store.users.insert(user, audit, credentialFor?.(user)),
  )
}

/** Makes the record of a new user from checked input, without storing it. */
export function newUser({ context, tenantId }: Scope, input: UserInput): User {
  const now = nowMicros(context.clock)
  return {
    id: newId('usr', context.clock),
    tenantId,
    createdAt: now,
    updatedAt: now,
    ...decided(input),
    verifiedAt: verifiedAt(input, now),
    sessionsValidAfter: 0,
  }
}

/** Reads a user; `undefined` if the tenant has no user with this id. */
export function lookUpUser(
  { store }: Pick<DomainContext, 'store'>,
  tenantId: string,
  id: string,
): Promise<User | undefined> {
  return store.users.get(tenantId, id)
}

/**
 * Reads a user.
 *
 * @throws ServiceError `not_found` if the tenant has no user with this id.
 */
export async function getUser({ context, tenantId }: Scope, id: string): Promise<User> {
  return found(await lookUpUser(context, tenantId, id))
}

/** The user with an email address. Addresses are compared by {@link emailKey}. */
export async function findUser(
  { context, tenantId }: Scope,
  email: string,
): Promise<User | undefined> {
  return context.store.users.findByEmail(tenantId, emailKey(email))
}

/**
 * The user with an email address, and the user's credentials. Addresses are compared by {@link
 * emailKey}.
 */
export async function findAccount(
  { context, tenantId }: Scope,
  email: string,
): Promise<Account | undefined> {
  return context.store.users.findAccount(tenantId, emailKey(email))
}

/** A user with all credentials, the oldest first. @throws ServiceError `not_found`. */
export async function getAccount({ context, tenantId }: Scope, id: string): Promise<Account> {
  const account = found(await context.store.users.getAccount(tenantId, id))
  const { items: credentials } = pageOfCredentials(account.credentials, {
    after: undefined,
    limit: account.credentials.length,
  })
  return { ...account, credentials }
}

/**
 * The users with these email addresses. The keys are the addresses as the caller wrote them.
 *
 * A text that cannot be stored finds no user. It does not reach the store, because PostgreSQL would
 * refuse the look-up of all addresses for it.
 */
export async function findUsers(
  { context, tenantId }: Scope,
  emails: readonly string[],
): Promise<Map<string, User>> {
  const keys = [...new Set(emails.map(emailKey))].filter(isWhole)
  const users = await context.store.users.findByEmails(tenantId, keys)
  const byKey = new Map(users.map((user) => [user.emailKey, user]))
  return new Map(
    emails.flatMap((email) => {
      const user = byKey.get(emailKey(email))
      return user ? [[email, user] as const] : []
    }),
  )
}

/**
 * The users of the tenant with one of these ids. Unknown ids are left out. As in {@link findUsers},
 * a text that cannot be stored is unknown.
 */
export function usersById({ context, tenantId }: Scope, ids: readonly string[]): Promise<User[]> {
  return context.store.users.getMany([tenantId], ids.filter(isWhole))
}

/**
 * One page of the tenant's users. @throws ServiceError `not_found` when there is no such tenant.
 */
export async function listUsers({ context, tenantId }: Scope, page: Page): Promise<Listing<User>> {
  return found(await context.store.users.list(tenantId, page))
}

/**
 * Searches users by state and by the beginning of an address, a name or an id.
 *
 * @throws ServiceError `not_found` when there is no such tenant.
 */
export async function searchUsers(
  { context, tenantId }: Scope,
  query: UserQuery,
  page: SearchPage,
): Promise<Found<User>> {
  const [tenant, part] = await Promise.all([
    context.store.tenants.get(tenantId),
    context.store.users.search(tenantId, query, page),
  ])
  found(tenant)
  return part
}

/**
 * Replaces all members of a user that a caller can set by `input`.
 *
 * A new address is unverified, regardless of `input`. Otherwise, a client that GETs, changes and
 * POSTs a user would copy the verification of the old address. Disabling ends the user's sessions.
 */
export async function updateUser(scope: Scope, id: string, input: UserInput): Promise<User> {
  checkUser(input)
  const { context, tenantId } = scope
  const change = (last: User) => replaced(scope, last, input)
  return commit(scope, 'user.update', id, (audit) =>
    context.store.users.update(tenantId, id, auditingFields(audit, change), audit, effectOfEdit),
  )
}

function replaced({ context }: Scope, last: User, input: UserInput): User {
  const now = nowMicros(context.clock)
  const next = decided(input)
  if (next.email === last.email) next.emailKey = last.emailKey
  else checkNewEmail('"profile.email"', next.email)
  const isSameAddress = next.emailKey === last.emailKey
  return updated(context, last, {
    ...next,
    verifiedAt: isSameAddress ? verifiedAt(input, last.verifiedAt ?? now, now) : undefined,
    sessionsValidAfter: Math.max(
      last.sessionsValidAfter,
      next.disabled && !last.disabled ? now : 0,
    ),
  })
}

/**
 * The members of a user that a person edits. An empty claim is removed; claims that `claims` lacks
 * stay.
 */
export interface UserEdit {
  email: string
  claims: Readonly<Record<string, string>>
  metadata: User['metadata']
}

/**
 * The user after an edit by a person who read the version `readAt`. A new address is unverified.
 *
 * @throws ServiceError `conflict` when the user was changed since that version.
 */
export function editedUser(scope: Scope, last: User, edit: UserEdit, readAt: Micros): User {
  if (last.updatedAt !== readAt) {
    throw new ServiceError('conflict', reason('user_changed_meanwhile'))
  }
  const claims = Object.entries({ ...last.profile, ...edit.claims })
  const input: UserInput = {
    email: edit.email,
    emailVerified: last.verifiedAt !== undefined,
    verifiedAt: last.verifiedAt,
    disabled: last.disabled,
    metadata: edit.metadata,
    profile: Object.fromEntries(claims.filter(([, value]) => value !== '')),
  }
  checkUser(input)
  const next = replaced(scope, last, input)
  return changedFields(last, next).length === 0 ? last : next
}

/** A change of an address by an operator: the user before it, the new address, the standing. */
export interface Move {
  readonly before: User
  readonly email: string
  readonly standing: Standing
}

/**
 * Edits a user by the rules of {@link editedUser}. Returns the user after and before the edit.
 *
 * @param needsSecond - Whether another operator has to confirm an address that replaces a verified
 *   one.
 * @param jobOf - Returns the job that tells the user of a changed address. It is stored in the same
 *   step, so that the user is told even if the process ends.
 */
export async function editUser(
  scope: Scope,
  id: string,
  editOf: (last: User) => UserEdit,
  readAt: Micros,
  needsSecond: boolean,
  jobOf: (move: Move) => Job | undefined,
): Promise<{ user: User; before: User }> {
  const { context, tenantId } = scope
  let before: User | undefined
  let job: Job | undefined
  function change(account: Account): Account {
    before = account.user
    const user = editedUser(scope, before, editOf(before), readAt)
    if (user === before) return account
    job = undefined
    if (user.emailKey === before.emailKey) return { ...account, user }
    const standing = afterReaddress(scope, account, user, needsSecond)
    job = jobOf({ before, email: user.email, standing })
    return { ...account, user, standing }
  }
  const { users } = context.store
  const { user } = await commit(scope, 'user.update', id, (audit) =>
    users.updateAccount(tenantId, id, auditingUser(audit, change), audit, undefined, () => job),
  )
  if (job) context.events.emit('job')
  return { user, before: before ?? user }
}

/** Options of disabling or enabling a user. */
interface Disabling {
  readonly action?: 'user.update' | 'operator.update'
  /**
   * The user as the caller read it. The change is refused if the user was changed since, or if the
   * change would enable a contested account.
   */
  readonly readAs?: User | undefined
}

const changedMeanwhile = () => new ServiceError('conflict', reason('user_changed_since'))

/** Disables a user and ends the user's sessions, or enables a user. Other members stay. */
export function setDisabled(
  scope: Scope,
  id: string,
  disabled: boolean,
  { action = 'user.update', readAs }: Disabling = {},
): Promise<User> {
  const { context, tenantId } = scope
  const at = nowMicros(context.clock)
  function change(last: User): User {
    if (readAs && readAs.updatedAt !== last.updatedAt) throw changedMeanwhile()
    if (last.disabled === disabled) return last
    const { sessionsValidAfter } = last
    return updated(context, last, {
      disabled,
      sessionsValidAfter: disabled ? Math.max(sessionsValidAfter, at) : sessionsValidAfter,
    })
  }
  // Enabling by an operator decides about a contested account, which is checked inside the write.
  if (!disabled && isOperator(scope)) return enable(scope, id, change, { action, readAs })
  return commit(scope, action, id, (audit) =>
    context.store.users.update(tenantId, id, auditingFields(audit, change), audit, effectOfEdit),
  )
}

async function enable(
  scope: Scope,
  id: string,
  change: Change<User>,
  { action, readAs }: Disabling & Pick<Required<Disabling>, 'action'>,
): Promise<User> {
  const { context, tenantId } = scope
  function changeOne(account: Account): Account {
    const user = change(account.user)
    if (user === account.user) return account
    const standing = afterRuling(account)
    if (!isContested(account.user, standingOf(account))) return { ...account, user, standing }
    if (readAs) throw changedMeanwhile()
    refuseOwnChange(scope, account)
    return { ...account, user, standing: { ...standing, readdressed: undefined } }
  }
  const { user } = await commit(scope, action, id, (audit) =>
    context.store.users.updateAccount(tenantId, id, auditingUser(audit, changeOne), audit),
  )
  return user
}

/** Deletes a user with all credentials, and returns the user's last version. */
export function deleteUser(scope: Scope, id: string): Promise<User> {
  const { context, tenantId } = scope
  return commit(scope, 'user.delete', id, (audit) =>
    context.store.users.delete(tenantId, id, audit),
  )
}

function decided(
  input: UserInput,
): Pick<User, 'email' | 'emailKey' | 'disabled' | 'metadata' | 'profile'> {
  const { email, disabled, metadata, profile } = input
  return { email, emailKey: emailKey(email), disabled, metadata, profile }
}

/**
 * The given time of verification if it is not in the future, otherwise `fallback`; `undefined` for
 * an unverified address.
 */
function verifiedAt(input: UserInput, fallback: Micros, now = fallback): Micros | undefined {
  if (!input.emailVerified) return undefined
  return input.verifiedAt !== undefined && input.verifiedAt <= now ? input.verifiedAt : fallback
}

/** Checks the members of a user. @throws ServiceError for the first invalid member. */
export function checkUser(input: UserInput): void {
  checkEmail('"profile.email"', input.email)
  checkMetadata(input.metadata)
  const members = Object.entries(input.profile)
  if (members.length > limits.profileMembers) {
    throw new ServiceError(
      'invalid_request',
      reason('profile_too_many', { count: members.length, most: limits.profileMembers }),
    )
  }
  for (const [name, value] of members) {
    checkText('invalid_request', reason('field_profile_member'), name, 100)
    checkText('invalid_request', `"profile.${name}"`, value)
  }
}
