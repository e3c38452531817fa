import { emailKey } from '../../store/email-key.ts'
import type {
  AuditEntry,
  Credential,
  LegacyPassword,
  Micros,
  PasswordCredential,
  User,
} from '../../store/records.ts'
import { effectOfEdit } from '../ways/valid-links.ts'
import { auditingCredential, auditingFields, commit } from '../writes/commit.ts'
import { nowMicros, type Scope, updated } from '../writes/context.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { checkMetadata, checkNewEmail } from '../writes/rules.ts'
import { passwordCredential } from './credentials.ts'
import {
  type Conflict,
  type Difference,
  differencesOf,
  type ExportedUser,
  memberOf,
  reasonAgainst,
} from './import-differences.ts'
import { IMPORT_MARK, type ImportHistory, readImportHistory } from './import-history.ts'
import { type ImportedPassword, importUsers } from './import-user.ts'
import { findLegacyPassword, importLegacyPassword } from './legacy-passwords.ts'
import { findPassword, fingerprint, importPassword, isPassword } from './passwords.ts'
import { checkUser, findUser, findUsers, lookUpUser, usersById } from './users.ts'

/**
 * The outcome for a row of a newer export. `updated`: members were written, except those in
 * `conflicts`. `conflict`: nothing was written, because of the conflicts. A preview has the
 * outcomes that the import would have.
 */
export type RowOutcome =
  | { kind: 'created'; id: string | undefined }
  | { kind: 'updated'; id: string; members: string[]; conflicts: Conflict[] }
  | { kind: 'unchanged'; id: string }
  | { kind: 'conflict'; id: string | undefined; conflicts: Conflict[] }
  | { kind: 'refused'; cause: unknown }

/** The kind of an update by an export. */
export interface UpdateMode {
  /** Whether nothing is written, and no password is hashed. */
  readonly isPreview: boolean
  /**
   * Whether one operator alone decides, in a tenant that requires two. Then existing users keep
   * their passwords: the operator may know those of the export, and could log in as the users.
   */
  readonly isOneOperator: boolean
}

/** The maximum number of attempts to update a user whom other requests change meanwhile. */
const ATTEMPTS = 3

/**
 * Imports the users of a newer export. New users are created. Members of existing users are
 * updated, unless they were changed in the service since the last import. A repeated import changes
 * nothing.
 */
export async function updateByExport(
  scope: Scope,
  rows: readonly ExportedUser[],
  mode: UpdateMode,
): Promise<RowOutcome[]> {
  const ids = rows.flatMap(({ id }) => id ?? [])
  const byId = new Map((await usersById(scope, ids)).map((user) => [user.id, user]))
  const unknown = rows.filter(({ id }) => id === undefined)
  const byAddress = await findUsers(
    scope,
    unknown.map(({ input }) => input.email),
  )
  const outcomes: (RowOutcome | undefined)[] = []
  for (const row of rows) {
    outcomes.push(await safely(() => bringKnown(scope, row, byId, byAddress, mode)))
  }
  const open = rows.filter((_, at) => outcomes[at] === undefined)
  const created = (await (mode.isPreview ? previewNew(open) : createNew(scope, open))).values()
  return outcomes.map((one) => one ?? (created.next().value as RowOutcome))
}

async function safely<T>(
  work: () => Promise<T>,
): Promise<T | Extract<RowOutcome, { kind: 'refused' }>> {
  try {
    return await work()
  } catch (cause) {
    return { kind: 'refused', cause }
  }
}

/** Updates an existing user by a row. Returns `undefined` if the user is new. */
async function bringKnown(
  scope: Scope,
  row: ExportedUser,
  byId: ReadonlyMap<string, User>,
  byAddress: ReadonlyMap<string, User>,
  mode: UpdateMode,
): Promise<RowOutcome | undefined> {
  checkUser(row.input)
  if (row.id !== undefined) {
    const user = byId.get(row.id)
    return user ? bring(scope, row, user, mode) : gone(row.id)
  }
  const holder = byAddress.get(row.input.email)
  if (!holder) return undefined
  return row.isByAddress ? bring(scope, row, holder, mode) : held(row, holder)
}

function gone(id: string): RowOutcome {
  return { kind: 'conflict', id, conflicts: [{ member: 'user', reason: 'deleted_here' }] }
}

/**
 * The outcome for a new row whose address belongs to a user. A user with the same values was
 * created by an earlier attempt: `unchanged`. Any other user is a conflict.
 */
function held(row: ExportedUser, { id, ...holder }: User): RowOutcome {
  if (differencesOf({ id, ...holder }, row).length === 0) return { kind: 'unchanged', id }
  const conflict = { member: 'profile.email', reason: 'address_taken', holder: id } as const
  return { kind: 'conflict', id: undefined, conflicts: [conflict] }
}

function previewNew(rows: readonly ExportedUser[]): Promise<RowOutcome[]> {
  const taken = new Set<string>()
  return Promise.all(
    rows.map(({ input }) =>
      safely(async (): Promise<RowOutcome> => {
        checkNewEmail('"profile.email"', input.email)
        const key = emailKey(input.email)
        const conflicts: Conflict[] = [{ member: 'profile.email', reason: 'address_taken' }]
        if (taken.has(key)) return { kind: 'conflict', id: undefined, conflicts }
        taken.add(key)
        return { kind: 'created', id: undefined }
      }),
    ),
  )
}

async function createNew(scope: Scope, rows: readonly ExportedUser[]): Promise<RowOutcome[]> {
  const outcomes = await importUsers(scope, rows)
  return outcomes.map((one, at): RowOutcome => {
    if (one.kind === 'created') return { kind: 'created', id: one.user.id }
    if (one.kind === 'existing') return held(rows[at] as ExportedUser, one.user)
    return one
  })
}

async function bring(
  scope: Scope,
  row: ExportedUser,
  known: User,
  { isPreview, isOneOperator }: UpdateMode,
): Promise<RowOutcome> {
  let user = known
  for (let attempt = 1; ; attempt++) {
    const plan = await planOf(scope, row, user, isOneOperator)
    try {
      if (!isPreview) await carryOut(scope, row, user, plan)
      return outcomeOf(user.id, plan)
    } catch (error) {
      const isMet = error instanceof ServiceError && /^(conflict|already_exists)$/.test(error.code)
      if (!isMet || attempt === ATTEMPTS) throw error
      // Another request changed the user or took the address, so the row is compared again.
      const last = await lookUpUser(scope.context, scope.tenantId, user.id)
      if (!last) return gone(user.id)
      user = last
    }
  }
}

/** The planned writes for a row of an export, and the conflicts that prevent other writes. */
interface Plan {
  changes: Difference[]
  password: ImportedPassword | undefined
  /** The legacy password to store, in place of the password or an earlier legacy password. */
  legacy: LegacyPassword | undefined
  /** The stored password when the plan was made, if the row has a password. */
  stored: PasswordCredential | undefined
  conflicts: Conflict[]
}

function outcomeOf(id: string, { changes, password, legacy, conflicts }: Plan): RowOutcome {
  const members = [...changes.map(changeOf), ...(password || legacy ? ['password'] : [])]
  if (members.length > 0) return { kind: 'updated', id, members, conflicts }
  return conflicts.length > 0 ? { kind: 'conflict', id, conflicts } : { kind: 'unchanged', id }
}

/** The name of a changed member in the audit log; for `disabled`, with the new value. */
function changeOf(difference: Difference): string {
  if (difference.kind === 'blocked') return 'disabled=true'
  return difference.kind === 'allowed' ? 'disabled=false' : memberOf(difference)
}

/**
 * Compares a row of an export with its user, and decides about each difference. The user's history
 * is read only if there is a difference. Nothing is written; {@link carryOut} does that.
 */
async function planOf(
  scope: Scope,
  row: ExportedUser,
  user: User,
  isOneOperator: boolean,
): Promise<Plan> {
  const differences = differencesOf(user, row)
  const imported = row.legacyPassword
  const legacy = imported && importLegacyPassword(scope.context, user, imported)
  const stored = row.password || legacy ? await findPassword(scope, user.id) : undefined
  const hasOtherPassword = legacy
    ? !(await isSameLegacy(scope, user, legacy, stored))
    : row.password !== undefined && !(await isSame(scope, row.password, stored))
  const plan: Plan = {
    changes: [],
    password: undefined,
    legacy: undefined,
    stored,
    conflicts: [],
  }
  if (differences.length === 0 && !hasOtherPassword) return plan

  const history = await readImportHistory(scope, user)
  for (const difference of differences) {
    const member = memberOf(difference)
    const reason = reasonAgainst(difference, history)
    const holder = difference.kind === 'email' ? await holderOf(scope, row, user) : undefined
    if (reason) plan.conflicts.push({ member, reason })
    else if (holder) plan.conflicts.push({ member, reason: 'address_taken', holder })
    else plan.changes.push(difference)
  }
  if (hasOtherPassword) {
    const reason =
      (await reasonAgainstPassword(scope, user, history)) ??
      (isOneOperator ? 'needs_second_operator' : undefined)
    if (reason) plan.conflicts.push({ member: 'password', reason })
    else if (legacy) plan.legacy = legacy
    else plan.password = row.password
  }
  return plan
}

/**
 * The id of another user who has the address of the row; `undefined` if no other user has this
 * address.
 */
async function holderOf(scope: Scope, { input }: ExportedUser, { id }: User) {
  const holder = await findUser(scope, input.email)
  return holder && holder.id !== id ? holder.id : undefined
}

/**
 * The reason for keeping the stored password; `undefined` if the export replaces it. A user who has
 * logged in here has proved the stored password after the export.
 */
async function reasonAgainstPassword(
  { context, tenantId }: Scope,
  { id }: User,
  history: ImportHistory,
): Promise<Conflict['reason'] | undefined> {
  if (history.isSignedUp) return 'signed_up_here'
  const logins = await context.store.users.lastLogins(tenantId, [id])
  if (logins.has(id)) return 'logged_in_here'
  if (history.isPasswordTouched) return 'changed_here'
  return history.isWhole ? undefined : 'history_gone'
}

/**
 * Whether a password of an export is the stored one, even if a login has upgraded the hash since.
 */
async function isSame(
  scope: Scope,
  { alg, hash }: ImportedPassword,
  stored: PasswordCredential | undefined,
): Promise<boolean> {
  if (!stored) return false
  const { password, state } = stored
  if (password.hash === hash) return true
  if (state.upgradedFrom === fingerprint(hash)) return true
  if (alg === 'plain') return isPassword(scope, password, hash)
  if (password.alg !== `${alg}|bcrypt`) return false
  // The stored hash is bcrypt of the digest, so the digest is verified as its password.
  const digest = /^[0-9a-f]+$/i.test(hash) ? hash : Buffer.from(hash, 'base64').toString('hex')
  return scope.context.passwords.verify(digest.toLowerCase(), password.hash, scope.tenantId)
}

/**
 * Whether the hash of an export is the stored one, even if a login has upgraded it to bcrypt since.
 */
async function isSameLegacy(
  scope: Scope,
  { id }: User,
  { verifier }: LegacyPassword,
  stored: PasswordCredential | undefined,
): Promise<boolean> {
  if (stored) return stored.state.upgradedFrom === fingerprint(verifier)
  return (await findLegacyPassword(scope, id))?.verifier === verifier
}

async function carryOut(scope: Scope, row: ExportedUser, user: User, plan: Plan): Promise<void> {
  // Converted before any write, because a hash may be refused.
  const password =
    plan.password && (await importPassword(scope, plan.password.alg, plan.password.hash))
  if (plan.changes.length > 0) await changeUser(scope, row, user, plan.changes)
  if (plan.legacy) await storeLegacy(scope, user, plan.legacy, plan.stored)
  if (!password) return
  const { context, tenantId } = scope
  const target = `${user.id}/password`
  const { stored } = plan
  if (!stored) {
    const credential = passwordCredential(context, user, password)
    await commit(scope, 'credential.create', target, (audit) =>
      context.store.credentials.insert(credential, marked(audit)),
    )
    return
  }
  function change(last: Credential) {
    if (last.kind !== 'password' || last.rev !== stored?.rev) throw changedMeanwhile()
    const credential = updated(context, last, { password, state: {} } as Partial<typeof last>)
    return { credential, sessionsValidAfter: nowMicros(context.clock) }
  }
  await commit(scope, 'credential.update', target, (audit) =>
    context.store.credentials.update(
      tenantId,
      user.id,
      'password',
      (last) => {
        const changed = auditingCredential(audit, change)(last)
        marked(audit)
        return changed
      },
      audit,
    ),
  )
}

/**
 * Stores a legacy password and removes the compared password. Ends the user's sessions.
 *
 * @throws ServiceError `conflict` if the password was changed since the comparison.
 */
async function storeLegacy(
  scope: Scope,
  { id }: User,
  legacyPassword: LegacyPassword,
  stored: PasswordCredential | undefined,
): Promise<void> {
  const { context, tenantId } = scope
  await commit(scope, 'credential.update', `${id}/password`, (audit) =>
    context.store.users.updateAccount(
      tenantId,
      id,
      (account) => {
        const current = account.credentials.find(({ kind }) => kind === 'password')
        if (current?.rev !== stored?.rev) throw changedMeanwhile()
        marked(audit)
        const credentials = account.credentials.filter((one) => one !== current)
        const user = { ...account.user, sessionsValidAfter: nowMicros(context.clock) }
        return { ...account, user, credentials, legacyPassword }
      },
      audit,
      'legacy_password',
    ),
  )
}

function changeUser(
  scope: Scope,
  row: ExportedUser,
  { id, updatedAt }: User,
  changes: readonly Difference[],
): Promise<User> {
  const { context, tenantId } = scope
  return commit(scope, 'user.update', id, (audit) => {
    const change = auditingFields(audit, (last: User) => {
      if (last.updatedAt !== updatedAt) throw changedMeanwhile()
      return changedUser(scope, last, row, changes)
    })
    const changeAndMark = (last: User) => {
      const next = change(last)
      marked(audit)
      return next
    }
    return context.store.users.update(tenantId, id, changeAndMark, audit, effectOfEdit)
  })
}

function changedUser(
  { context }: Scope,
  last: User,
  { input }: ExportedUser,
  changes: readonly Difference[],
): User {
  const now = nowMicros(context.clock)
  const next: Partial<User> & Pick<User, 'profile' | 'metadata'> = {
    profile: { ...last.profile },
    metadata: { ...last.metadata },
  }
  for (const change of changes) {
    switch (change.kind) {
      case 'profile':
      case 'metadata':
        next[change.kind][change.name] = change.value
        break
      case 'email':
        checkNewEmail('"profile.email"', input.email)
        next.email = input.email
        next.emailKey = emailKey(input.email)
        // The verification of the old address does not apply to the new one; that of the export
        // does.
        next.verifiedAt = verifiedAt(input, now)
        break
      case 'verified':
        next.verifiedAt = verifiedAt(input, now)
        break
      case 'blocked':
        next.disabled = true
        next.sessionsValidAfter = Math.max(last.sessionsValidAfter, now)
        break
      case 'allowed':
        next.disabled = false
    }
  }
  checkMetadata(next.metadata)
  return updated(context, last, next)
}

function verifiedAt(
  { emailVerified, verifiedAt: at }: ExportedUser['input'],
  now: Micros,
): Micros | undefined {
  if (!emailVerified) return undefined
  return at !== undefined && at <= now ? at : now
}

/** Marks the audit entry of a change by an import; see {@link IMPORT_MARK}. */
function marked(audit: AuditEntry): AuditEntry {
  audit.changes = [...(audit.changes ?? []), { name: IMPORT_MARK, after: 'update' }]
  return audit
}

function changedMeanwhile(): ServiceError {
  return new ServiceError('conflict', reason('user_changed_meanwhile'))
}
