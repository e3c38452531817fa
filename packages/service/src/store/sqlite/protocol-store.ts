import type { Clock } from '../../clock.ts'
import { admissionAfter, createAttemptsUnderWay } from '../attempts.ts'
import {
  type AttemptLimit,
  type AttemptMethods,
  type Attempts,
  type EntryName,
  MAIL_KEPT_SECONDS,
  type ProtocolEntry,
  type ProtocolStore,
} from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import { createEntryWrites } from './entry-writes.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { createSqliteQueue } from './protocol-queue.ts'
import { openProtocolDatabase, SCHEMA_VERSION } from './protocol-schema.ts'
import { type ProtocolStatements, prepareStatements, toEntry } from './protocol-statements.ts'

/**
 * The maximum number of entries that a call of {@link ProtocolStore.prune} removes, so that
 * requests do not wait for long.
 */
const PRUNE_BATCH = 2000

/**
 * Creates a protocol store in an SQLite file of its own, for one process.
 *
 * Writes in one turn of the event loop share a transaction.
 *
 * @param options - `path`: the path of the file, or `:memory:`.
 */
export function createSqliteProtocolStore(options: { path: string; clock: Clock }): ProtocolStore {
  const database = openProtocolDatabase(options.path)
  const commits = createGroupCommit(database)
  const sql = prepareStatements(database)
  const now = (): Micros => Math.floor(options.clock.now() * 1000)

  function entryAt({ tenantId, kind, key }: EntryName): ProtocolEntry | undefined {
    return toEntry(sql.find.get(tenantId, kind, key, now()))
  }

  return {
    mail: createSqliteQueue(database, commits, now, 'mail'),
    notices: createSqliteQueue(database, commits, now, 'notice'),

    ...createEntryWrites(sql, commits, now),

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

    // The check writes the same header again, which changes nothing.
    check: () => commits.write(() => database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)),

    async close() {
      await commits.idle()
      if (database.isOpen) database.close()
    },
  }
}

/** Makes the methods that count attempts. Attempts in progress are kept in memory. */
function createAttempts(
  sql: ProtocolStatements,
  commits: GroupCommit,
  now: () => Micros,
): Pick<ProtocolStore, AttemptMethods> {
  // Memory is enough, because only this process uses the file.
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
