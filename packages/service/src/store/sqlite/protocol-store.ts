import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../clock.ts'
import { admissionAfter, createAttemptsUnderWay } from '../attempts.ts'
import {
  type AttemptLimit,
  type AttemptMethods,
  type Attempts,
  type Change,
  type EntryName,
  MAIL_KEPT_SECONDS,
  type ProtocolEntry,
  type ProtocolStore,
} from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { createSqliteQueue } from './protocol-queue.ts'
import { openProtocolDatabase, SCHEMA_VERSION } from './protocol-schema.ts'

/**
 * The most entries that one round of {@link ProtocolStore.prune} removes, so that other requests
 * need not wait.
 */
const PRUNE_BATCH = 2000

interface Row {
  tenant_id: string
  kind: string
  key: string
  payload: string
  expires_at: Micros
  grant_id: string | null
  uid: string | null
  account_id: string | null
  consumed_at: Micros | null
}

/**
 * Keeps protocol state in an SQLite file of its own, for one process.
 *
 * Writes of one turn of the event loop share a transaction. The statements are few and on the path
 * of every login, so they are prepared once and written by hand.
 *
 * @param options - `path` is a file, or `:memory:`.
 */
export function createSqliteProtocolStore(options: { path: string; clock: Clock }): ProtocolStore {
  const database = openProtocolDatabase(options.path)
  const commits = createGroupCommit(database)
  const sql = prepare(database)
  const now = (): Micros => Math.floor(options.clock.now() * 1000)

  function entryAt({ tenantId, kind, key }: EntryName): ProtocolEntry | undefined {
    return toEntry(sql.find.get(tenantId, kind, key, now()))
  }

  return {
    mail: createSqliteQueue(database, commits, now, 'mail'),
    notices: createSqliteQueue(database, commits, now, 'notice'),

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

    async find(name, renewal) {
      const entry = entryAt(name)
      const at = now()
      if (renewal && entry && entry.expiresAt <= at + renewal.left * 1e6) {
        const { tenantId, kind, key } = name
        const until = at + renewal.seconds * 1e6
        await commits.write(() => sql.renew.run(until, tenantId, kind, key, entry.expiresAt))
      }
      return entry
    },

    async findAll(names) {
      return names.map(entryAt)
    },

    async findByUid(tenantId, kind, uid) {
      return toEntry(sql.findByUid.get(uid, kind, tenantId, now()))
    },

    async listByAccount(tenantId, kind, accountId) {
      return sql.listByAccount
        .all(accountId, kind, tenantId, now())
        .map(toEntry)
        .filter((entry) => entry !== undefined)
    },

    async pageByAccount(tenantId, kind, accountId, { after, limit }) {
      const before = after?.at ?? Number.MAX_SAFE_INTEGER
      const found = sql.pageByAccount.all(accountId, kind, tenantId, before, now(), limit + 1)
      const rows = found.slice(0, limit) as unknown as { rowid: number }[]
      const last = found.length > limit ? rows.at(-1) : undefined
      return {
        entries: rows.map(toEntry).filter((entry) => entry !== undefined),
        next: last && { at: last.rowid, key: '' },
      }
    },

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

    ...createAttempts(sql, commits, now),

    async prune() {
      const at = now()
      const done = await commits.write(() => {
        sql.pruneAttempts.run(at, PRUNE_BATCH)
        sql.pruneMail.run(at - MAIL_KEPT_SECONDS * 1e6)
        sql.pruneNotices.run(at - MAIL_KEPT_SECONDS * 1e6)
        return sql.prune.run(at, PRUNE_BATCH)
      })
      return Number(done.changes)
    },

    // The same header again: a write that changes nothing.
    check: () => commits.write(() => database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)),

    async close() {
      await commits.idle()
      if (database.isOpen) database.close()
    },
  }
}

/** The attempts that are counted, and those under way. */
function createAttempts(
  sql: ReturnType<typeof prepare>,
  commits: GroupCommit,
  now: () => Micros,
): Pick<ProtocolStore, AttemptMethods> {
  // One process uses the file, so attempts under way are known to all of it and end with it.
  const underWay = createAttemptsUnderWay()

  function attemptsAt(key: string, at: Micros): Attempts | undefined {
    const row = sql.attempts.get(key, at) as unknown as Attempts | undefined
    return row && { ...row }
  }

  function count(key: string, limit: AttemptLimit, before: Attempts | undefined, at: Micros): void {
    sql.setAttempts.run(key, (before?.count ?? 0) + 1, at, at + limit.forgetSeconds * 1e6)
  }

  return {
    async admit(key, limit) {
      const at = now()
      return commits.write(() => {
        const before = attemptsAt(key, at)
        const admission = admissionAfter(before, limit, at)
        if (admission.kind === 'admitted') count(key, limit, before, at)
        return admission
      })
    },

    async attempts(key) {
      return attemptsAt(key, now())
    },

    async attemptsOf(group) {
      const rows = sql.attemptsOf.all(group, `${group}\u{10ffff}`, now())
      return (rows as unknown as ({ key: string } & Attempts)[]).map(({ key, count, lastAt }) => ({
        member: key.slice(group.length),
        count,
        lastAt,
      }))
    },

    async beginAttempt(counters, attempt, until) {
      const at = now()
      return underWay.begin(counters, attempt, until, (key) => attemptsAt(key, at), at)
    },

    async endAttempt(ends, attempt) {
      const at = now()
      const counted = ends.filter(({ outcome }) => outcome !== 'unchanged')
      const step = ({ key, limit, outcome }: (typeof ends)[0]): void => {
        if (outcome === 'failed') count(key, limit, attemptsAt(key, at), at)
        else sql.resetAttempt.run(key)
      }
      try {
        if (counted.length > 0) await commits.write(() => counted.forEach(step))
      } finally {
        for (const { key } of ends) underWay.end(key, attempt)
      }
    },

    async resetAttempt(key) {
      await commits.write(() => sql.resetAttempt.run(key))
    },

    async resetAttempts(prefix) {
      await commits.write(() => sql.resetAttempts.run(prefix, `${prefix}\u{10ffff}`))
    },
  }
}

/** Makes changes in one transaction, or none of them when an entry that they spend is spent or gone. */
async function writeTogether(
  sql: ReturnType<typeof prepare>,
  commits: GroupCommit,
  at: Micros,
  changes: readonly Change[],
): Promise<boolean> {
  const step = (change: Change): void => {
    if (change.kind === 'put') return void sql.put.run(...columnsOf(change.entry))
    const { tenantId, kind, key } = change.name
    if (change.kind === 'delete') return void sql.delete.run(tenantId, kind, key)
    const end = change.keepSeconds === undefined ? null : at + change.keepSeconds * 1e6
    const done = sql.consume.run(at, end, tenantId, kind, key, at, null)
    if (done.changes === 0) throw SPENT
  }
  try {
    await commits.write(() => changes.forEach(step))
    return true
  } catch (error) {
    if (error === SPENT) return false
    throw error
  }
}

/** Undoes the changes of a write. */
const SPENT = new Error('The entry is spent or gone.')

const COLUMNS = 'tenant_id, kind, key, payload, expires_at, grant_id, uid, account_id, consumed_at'
const BY_KEY = 'tenant_id = ? AND kind = ? AND key = ?'

function prepare(database: DatabaseSync) {
  return {
    put: database.prepare(
      `INSERT OR REPLACE INTO entry (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    replace: database.prepare(
      `UPDATE entry SET payload = ?, expires_at = ?, grant_id = ?, uid = ?, account_id = ?, consumed_at = ?
       WHERE ${BY_KEY} AND expires_at > ? AND consumed_at IS NULL AND payload = ?`,
    ),
    find: database.prepare(`SELECT * FROM entry WHERE ${BY_KEY} AND expires_at > ?`),
    findByUid: database.prepare(
      'SELECT * FROM entry WHERE uid = ? AND kind = ? AND tenant_id = ? AND expires_at > ?',
    ),
    listByAccount: database.prepare(
      'SELECT * FROM entry WHERE account_id = ? AND kind = ? AND tenant_id = ? AND expires_at > ?',
    ),
    // In the order of the index; writing an entry again gives it a new number.
    pageByAccount: database.prepare(
      `SELECT rowid, * FROM entry
       WHERE account_id = ? AND kind = ? AND tenant_id = ? AND rowid < ? AND expires_at > ?
       ORDER BY rowid DESC LIMIT ?`,
    ),
    consume: database.prepare(
      `UPDATE entry SET consumed_at = ?, expires_at = min(expires_at, coalesce(?, expires_at))
       WHERE ${BY_KEY} AND expires_at > ? AND consumed_at IS NULL AND payload = coalesce(?, payload)`,
    ),
    takeByUid: database.prepare(
      'DELETE FROM entry WHERE uid = ? AND kind = ? AND tenant_id = ? AND expires_at > ? RETURNING *',
    ),
    renew: database.prepare(`UPDATE entry SET expires_at = ? WHERE ${BY_KEY} AND expires_at = ?`),
    delete: database.prepare(`DELETE FROM entry WHERE ${BY_KEY}`),
    deleteByGrant: database.prepare(
      'DELETE FROM entry WHERE grant_id = ? AND kind = ? AND tenant_id = ?',
    ),
    attempts: database.prepare(
      'SELECT count, last_at AS lastAt FROM attempt WHERE key = ? AND forget_at > ?',
    ),
    attemptsOf: database.prepare(
      'SELECT key, count, last_at AS lastAt FROM attempt WHERE key >= ? AND key < ? AND forget_at > ?',
    ),
    setAttempts: database.prepare('INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?)'),
    resetAttempt: database.prepare('DELETE FROM attempt WHERE key = ?'),
    resetAttempts: database.prepare('DELETE FROM attempt WHERE key >= ? AND key < ?'),
    pruneAttempts: database.prepare(
      'DELETE FROM attempt WHERE key IN (SELECT key FROM attempt WHERE forget_at <= ? LIMIT ?)',
    ),
    pruneMail: database.prepare('DELETE FROM mail WHERE created_at < ?'),
    pruneNotices: database.prepare('DELETE FROM notice WHERE created_at < ?'),
    prune: database.prepare(
      `DELETE FROM entry WHERE (tenant_id, kind, key) IN
         (SELECT tenant_id, kind, key FROM entry WHERE expires_at <= ? LIMIT ?)`,
    ),
  }
}

function columnsOf(entry: ProtocolEntry) {
  return [
    entry.tenantId,
    entry.kind,
    entry.key,
    entry.payload,
    entry.expiresAt,
    entry.grantId ?? null,
    entry.uid ?? null,
    entry.accountId ?? null,
    entry.consumedAt ?? null,
  ] as const
}

/** A row of the table `entry`. */
export function toEntry(found: unknown): ProtocolEntry | undefined {
  if (found === undefined) return undefined
  const row = found as Row
  return {
    tenantId: row.tenant_id,
    kind: row.kind,
    key: row.key,
    payload: row.payload,
    expiresAt: row.expires_at,
    grantId: row.grant_id ?? undefined,
    uid: row.uid ?? undefined,
    accountId: row.account_id ?? undefined,
    consumedAt: row.consumed_at ?? undefined,
  }
}
