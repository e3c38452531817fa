import type { AuditPlace } from '../../store/audit-search.ts'
import type { StoredAuditEntry, User } from '../../store/records.ts'
import { readField } from '../writes/changed-fields.ts'
import type { Scope } from '../writes/context.ts'

/** The name of the change in an audit entry that marks the entry as made by an import. */
export const IMPORT_MARK = 'import'

/** The number of audit entries that one query reads. */
const LIMIT = 500

/**
 * The changes to a user that the service made without an import, as far back as the audit log goes.
 */
export interface ImportHistory {
  /** Whether the log has all entries since the user was created. */
  readonly isWhole: boolean
  /** Whether the user was created by a sign-up and not by an import. */
  readonly isSignedUp: boolean
  /** The changed members, by their names in the audit log, without the values of flags. */
  readonly members: ReadonlySet<string>
  /** Whether the user has verified the address in the service. */
  readonly isAddressProved: boolean
  /** Whether the password was set, changed or removed without an import. */
  readonly isPasswordTouched: boolean
  /**
   * The last decision in the service about whether the user may log in. `overruled`: the service
   * enabled a user whom an import had disabled. `undefined`: no decision that an export could
   * contradict.
   */
  readonly decision: 'disabled' | 'overruled' | undefined
}

/** Reads from the audit log which changes the service has made to a user without an import. */
export async function readImportHistory(scope: Scope, user: User): Promise<ImportHistory> {
  const entries = [
    ...(await entriesOf(scope, user, 'user.')),
    ...(await entriesOf(scope, user, 'credential.')),
  ].sort((one, other) => one.id - other.id)
  const updates = entries.filter(({ action }) => /^(user|credential)\.update$/.test(action))
  const byImport = await importedOf(scope, updates)

  const members = new Set<string>()
  let isWhole = false
  let isSignedUp = false
  let isAddressProved = false
  let isPasswordTouched = false
  let decision: ImportHistory['decision']
  /**
   * Whether an import has disabled the user. It starts as `true`: if the first entry about
   * `disabled` enables the user, the import created the user as disabled.
   */
  let isDeniedByImport = true
  for (const entry of entries) {
    const { action, actor, target } = entry
    const isOfImport = byImport.has(entry.id)
    if (action === 'user.create') {
      isWhole = true
      isSignedUp = isPerson(actor)
    }
    if (action === 'user.verify') {
      members.add('profile.email_verified')
      isAddressProved = true
    }
    if (target.endsWith('/password') && !isOfImport) {
      // A caller may create a user and the password in two requests. Such a password counts as
      // imported.
      if (action !== 'credential.create' || isPerson(actor)) isPasswordTouched = true
    }
    for (const { name, flag } of (entry.fields ?? []).map(readField)) {
      if (action.startsWith('credential.')) continue
      if (name === 'disabled') {
        if (flag) {
          decision = isOfImport ? undefined : 'disabled'
          isDeniedByImport = isOfImport
        } else {
          decision = !isOfImport && isDeniedByImport ? 'overruled' : undefined
        }
      } else if (!isOfImport) members.add(name)
    }
  }
  return { isWhole, isSignedUp, members, isAddressProved, isPasswordTouched, decision }
}

/** Whether an actor is a user, and not an operator or an API key. */
function isPerson(actor: string): boolean {
  return actor === 'visitor' || actor.startsWith('user:')
}

async function entriesOf(
  { context, tenantId }: Scope,
  user: User,
  action: string,
): Promise<StoredAuditEntry[]> {
  const found: StoredAuditEntry[] = []
  let after: AuditPlace | undefined
  do {
    const page = { after, limit: LIMIT }
    const part = await context.store.audit.search(tenantId, { user: user.id, action }, page)
    found.push(
      ...part.items.filter(
        ({ outcome, target }) => outcome === 'success' && target.split('/')[0] === user.id,
      ),
    )
    after = part.next
  } while (after)
  return found
}

async function importedOf(
  { context }: Scope,
  entries: readonly StoredAuditEntry[],
): Promise<ReadonlySet<number>> {
  if (entries.length === 0) return new Set()
  const details = await context.store.audit.details(entries.map(({ id }) => id))
  return new Set(
    [...details].flatMap(([id, { changes }]) =>
      changes.some(({ name }) => name === IMPORT_MARK) ? [id] : [],
    ),
  )
}
