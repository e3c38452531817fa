import type { Change, ProtocolStore } from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import type { GroupCommit } from './group-commit.ts'
import { columnsOf, type ProtocolStatements, toEntry } from './protocol-statements.ts'

/** Makes the methods that write entries, mark entries as used, and delete entries. */
export function createEntryWrites(
  sql: ProtocolStatements,
  commits: GroupCommit,
  now: () => Micros,
): Pick<
  ProtocolStore,
  'write' | 'put' | 'replace' | 'consume' | 'takeByUid' | 'delete' | 'deleteByGrant'
> {
  return {
    async put(entry) {
      await commits.write(() => sql.put.run(...columnsOf(entry)))
    },

    async replace(entry, payload) {
      const { tenantId, kind, key, expiresAt, grantId, uid, accountId, consumedAt } = entry
      const values = [entry.payload, expiresAt, grantId, uid, accountId, consumedAt]
      const done = await commits.write(() =>
        sql.replace.run(
          ...values.map((value) => value ?? null),
          ...[tenantId, kind, key, now(), payload],
        ),
      )
      return done.changes === 1
    },

    write: (changes) => writeTogether(sql, commits, now(), changes),

    async consume({ tenantId, kind, key }, payload) {
      const at = now()
      const done = await commits.write(() =>
        sql.consume.run(at, null, tenantId, kind, key, at, payload ?? null),
      )
      return done.changes === 1
    },

    async takeByUid(tenantId, kind, uid) {
      const at = now()
      return toEntry(await commits.write(() => sql.takeByUid.get(uid, kind, tenantId, at)))
    },

    async delete({ tenantId, kind, key }) {
      await commits.write(() => sql.delete.run(tenantId, kind, key))
    },

    async deleteByGrant(tenantId, kind, grantId) {
      await commits.write(() => sql.deleteByGrant.run(grantId, kind, tenantId))
    },
  }
}

/**
 * Makes all changes in one transaction. Resolves to `false`, without a change, if an entry to mark
 * as used is already used or missing, or if an entry has changed since it was read.
 */
async function writeTogether(
  sql: ProtocolStatements,
  commits: GroupCommit,
  at: Micros,
  changes: readonly Change[],
): Promise<boolean> {
  const step = (change: Change): void => {
    checkUnchanged(change)
    if (change.kind === 'put') return void sql.put.run(...columnsOf(change.entry))
    const { tenantId, kind, key } = change.name
    if (change.kind === 'delete') return void sql.delete.run(tenantId, kind, key)
    const end = change.keepSeconds === undefined ? null : at + change.keepSeconds * 1e6
    const done = sql.consume.run(at, end, tenantId, kind, key, at, null)
    if (done.changes === 0) throw SPENT
  }
  const checkUnchanged = (change: Change): void => {
    if (change.kind === 'consume' || change.read === undefined) return
    const { tenantId, kind, key } = change.kind === 'put' ? change.entry : change.name
    if (!sql.isUnchanged.get(tenantId, kind, key, at, change.read)) throw SPENT
  }
  try {
    await commits.write(() => changes.forEach(step))
    return true
  } catch (error) {
    if (error === SPENT) return false
    throw error
  }
}

/** The error that undoes the changes of a write. */
const SPENT = new Error('The entry is spent, changed or gone.')
