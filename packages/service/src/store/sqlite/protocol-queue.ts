import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  FAILED_CONDITION,
  MESSAGE_COLUMNS,
  type MessageQueue,
  type MessageRow,
  type MessageState,
  NEVER,
  type QueuedMessage,
  STATE_CONDITIONS,
  toMessage,
  toUndelivered,
  UNDELIVERED_READ,
  type UndeliveredMessages,
  type UndeliveredRow,
} from '../protocol-store.ts'
import { heldByTenant, longestWait } from '../queue-times.ts'
import type { Micros } from '../records.ts'
import type { GroupCommit } from './group-commit.ts'

/** The condition for the messages of all users. */
const OF_ALL = 'kind IS NOT NULL'

/** The condition for a message whose lease is not over. */
const LEASED = 'attempts = ? AND due_at = ? AND outcome IS NULL'

/** The names of the tables with queues. */
type Table = 'mail' | 'notice'

/** Creates a queue of outgoing messages in a table of `protocol.db`. */
export function createSqliteQueue(
  database: DatabaseSync,
  commits: GroupCommit,
  now: () => Micros,
  table: Table,
): MessageQueue {
  const timeIn = (seconds: number): Micros => now() + seconds * 1e6
  const sql = prepare(database, table)
  const undelivered = prepareUndelivered(database, table)
  const search = prepareSearch(database, table)

  return {
    async add({ isCaptured, ...message }) {
      const at = now()
      const mail = { ...message, createdAt: at, dueAt: isCaptured ? NEVER : at, attempts: 0 }
      await commits.write(() =>
        sql.add.run(
          ...[mail.id, mail.tenantId, mail.createdAt, mail.dueAt, mail.attempts, mail.sealed],
          ...[mail.kind ?? null, mail.userId ?? null],
        ),
      )
      return mail
    },
    async claim(limit, seconds, held = []) {
      const at = now()
      const busy = JSON.stringify(heldByTenant(held))
      const rows = await commits.write(() => sql.claim.all(timeIn(seconds), at, limit, busy))
      return messages(rows).map((one) => ({ ...one, age: (at - one.createdAt) / 1e6 }))
    },
    async renew(claimed, seconds) {
      const dueAt = timeIn(seconds)
      const renewed = await commits.write(() =>
        claimed.filter((one) => sql.renew.run(dueAt, one.id, one.attempts, one.dueAt).changes > 0),
      )
      for (const one of renewed) one.dueAt = dueAt
    },
    async recall(waits) {
      const statement = database.prepare(
        `UPDATE ${table} SET due_at = ?1 WHERE due_at < ${NEVER} AND due_at > ?1 + ${longestWait(waits)}`,
      )
      const { changes } = await commits.write(() => statement.run(now()))
      return Number(changes)
    },
    async retry({ id, attempts, dueAt }, seconds, answer) {
      await commits.write(() => sql.retry.run(timeIn(seconds), answer ?? null, id, attempts, dueAt))
    },
    end: async (id, outcome, answer) =>
      (await commits.write(() => sql.end.run(outcome, now(), answer ?? null, id))).changes > 0,
    async remove(id) {
      await commits.write(() => sql.remove.run(id))
    },
    async reseal(change) {
      for (const row of sql.sealed.all()) {
        const { id, sealed } = row as { id: string; sealed: string }
        const changed = change(id, sealed)
        if (changed !== undefined) await commits.write(() => sql.reseal.run(changed, id, sealed))
      }
    },
    list: async (tenantId, limit) => messages(sql.list.all(tenantId, limit)),
    async find(tenantId, { userId, state, after, limit }) {
      const { createdAt, id } = after ?? { createdAt: NEVER, id: '' }
      const place = [createdAt, id, limit]
      return messages(
        userId === undefined
          ? search(OF_ALL, state).all(tenantId, ...place)
          : search('user_id = ?', state).all(tenantId, userId, ...place),
      )
    },
    async waiting(limit) {
      return messages(sql.waiting.all(limit)).map((message) => ({ ...message, sealed: '' }))
    },
    undelivered: async (...of) => undelivered(...of),
    async backlog() {
      const row = sql.backlog.get() as { waiting: number; oldest: number | null }
      return { waiting: row.waiting, oldestAge: Math.max(0, now() - (row.oldest ?? now())) / 1e6 }
    },
    get: async (tenantId, id) => messages(sql.get.all(tenantId, id))[0],
    async count(tenantId, seconds, limit) {
      const from = timeIn(-seconds)
      const row =
        tenantId === undefined ? sql.count.get(from, limit) : sql.countOf.get(tenantId, from, limit)
      return Number(row?.n)
    },
  }
}

/**
 * Makes the function that returns the statement of a search: of whose messages, and in which state.
 * Prepares a search at its first use, because only `mail` has the indexes for states.
 */
function prepareSearch(
  database: DatabaseSync,
  table: Table,
): (whose: string, state: MessageState | undefined) => StatementSync {
  const searches = new Map<string, StatementSync>()
  return (whose, state) => {
    const key = `${whose} ${state}`
    let statement = searches.get(key)
    if (!statement) {
      // SQLite has no statistics. Without the index, it would read all sent mails.
      const index = state === 'sent' ? 'tenant' : state === 'given_up' ? 'given_up' : 'unsent'
      statement = database.prepare(
        `SELECT ${MESSAGE_COLUMNS} FROM ${table} ${state && whose === OF_ALL ? `INDEXED BY ${table}_${index}` : ''}
         WHERE tenant_id = ? AND ${whose} AND ${state ? STATE_CONDITIONS[state] : 'true'}
         AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?`,
      )
      searches.set(key, statement)
    }
    return statement
  }
}

/** Prepares the statements of a queue. */
function prepare(database: DatabaseSync, table: Table) {
  return {
    add: database.prepare(
      `INSERT INTO ${table} (id, tenant_id, created_at, due_at, attempts, sealed, kind, user_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    // Looks up one tenant after the other in the index, so that the messages of a tenant are not
    // read to find another tenant. If enough tenants are free, one message of each is read.
    claim: database.prepare(
      `WITH RECURSIVE tenants AS (
         SELECT min(tenant_id) AS id FROM ${table} WHERE due_at < ${NEVER}
         UNION ALL SELECT (SELECT min(tenant_id) FROM ${table}
           WHERE due_at < ${NEVER} AND tenant_id > tenants.id) FROM tenants WHERE id IS NOT NULL
       ), waiting AS MATERIALIZED (
         SELECT tenants.id, coalesce(busy.value ->> 'n', 0) AS held
         FROM tenants LEFT JOIN json_each(?4) AS busy ON busy.value ->> 'id' = tenants.id
         WHERE EXISTS (SELECT 1 FROM ${table}
           WHERE tenant_id = tenants.id AND due_at < ${NEVER} AND due_at <= ?2)
       ), found AS (
         SELECT message.id, message.due_at, held + row_number() OVER (
           PARTITION BY message.tenant_id ORDER BY message.due_at) AS turn
         FROM waiting JOIN ${table} AS message ON message.rowid IN (
           SELECT rowid FROM ${table}
           WHERE tenant_id = waiting.id AND due_at < ${NEVER} AND due_at <= ?2 ORDER BY due_at
           LIMIT (SELECT iif(count(*) >= ?3, 1, ?3) FROM waiting WHERE held = 0))
       )
       UPDATE ${table} SET due_at = ?1
       WHERE id IN (SELECT id FROM found ORDER BY turn, due_at LIMIT ?3)
       RETURNING ${MESSAGE_COLUMNS}`,
    ),
    renew: database.prepare(`UPDATE ${table} SET due_at = ? WHERE id = ? AND ${LEASED}`),
    retry: database.prepare(
      `UPDATE ${table} SET due_at = ?, attempts = attempts + 1, answer = ? WHERE id = ? AND ${LEASED}`,
    ),
    end: database.prepare(
      `UPDATE ${table} SET outcome = ?, ended_at = ?, answer = ?, sealed = '', due_at = ${NEVER}
         WHERE id = ? AND outcome IS NULL`,
    ),
    remove: database.prepare(`DELETE FROM ${table} WHERE id = ?`),
    sealed: database.prepare(`SELECT id, sealed FROM ${table} WHERE outcome IS NULL`),
    reseal: database.prepare(`UPDATE ${table} SET sealed = ? WHERE id = ? AND sealed = ?`),
    list: database.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM ${table} WHERE tenant_id = ? AND outcome IS NULL ORDER BY rowid DESC LIMIT ?`,
    ),
    waiting: database.prepare(
      `SELECT ${MESSAGE_COLUMNS} FROM ${table} WHERE due_at < ${NEVER} ORDER BY due_at LIMIT ?`,
    ),
    backlog: database.prepare(
      `SELECT count(*) AS waiting, min(created_at) AS oldest FROM ${table} WHERE due_at < ${NEVER}`,
    ),
    get: database.prepare(`SELECT ${MESSAGE_COLUMNS} FROM ${table} WHERE tenant_id = ? AND id = ?`),
    count: database.prepare(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE created_at >= ? LIMIT ?)`,
    ),
    countOf: database.prepare(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE tenant_id = ? AND created_at >= ? LIMIT ?)`,
    ),
  }
}

/** Prepares the queries of {@link MessageQueue.undelivered} for a table with a queue. */
function prepareUndelivered(
  database: DatabaseSync,
  table: Table,
): (...of: Parameters<MessageQueue['undelivered']>) => UndeliveredMessages[] {
  const failed = database.prepare(
    `${tenantsWith(table, FAILED_CONDITION)}
     SELECT tenants.id AS tenant_id, 'waiting' AS state, last.answer, counted.n, counted.n = size AS is_more
     FROM (SELECT id, (SELECT count(*) FROM (SELECT 1 FROM ${table}
         WHERE tenant_id = tenants.id AND ${FAILED_CONDITION} LIMIT (SELECT size FROM share))) AS n
       FROM tenants) AS counted
     JOIN tenants ON tenants.id = counted.id JOIN share
     JOIN ${table} AS last ON last.rowid = (SELECT rowid FROM ${table}
       WHERE tenant_id = tenants.id AND ${FAILED_CONDITION} ORDER BY due_at DESC LIMIT 1)
     ORDER BY last.due_at DESC`,
  )
  // SQLite takes the answer from the row with the latest time.
  const givenUp = database.prepare(
    `${tenantsWith(table, STATE_CONDITIONS.given_up)}, newest AS MATERIALIZED (
       SELECT message.tenant_id, message.answer, iif(ended_at >= ?2 AND NOT EXISTS (
         SELECT 1 FROM ${table} AS later
         WHERE later.tenant_id = message.tenant_id AND later.user_id = message.user_id
           AND later.created_at > message.created_at
           AND later.kind = message.kind AND later.outcome = 'sent'), ended_at, NULL) AS at
       FROM tenants JOIN ${table} AS message ON message.rowid IN (
         SELECT rowid FROM ${table} WHERE tenant_id = tenants.id AND ${STATE_CONDITIONS.given_up}
         ORDER BY created_at DESC LIMIT (SELECT size FROM share))
     )
     SELECT tenant_id, 'given_up' AS state, answer, max(at) AS at, count(at) AS n,
       count(*) = (SELECT size FROM share) AS is_more
     FROM newest GROUP BY tenant_id HAVING n > 0 ORDER BY max(at) DESC`,
  )
  return (tenantIds, since) => {
    const of = tenantIds ? JSON.stringify(tenantIds) : null
    const rows = [...failed.all(of), ...(since === undefined ? [] : givenUp.all(of, since))]
    return (rows as unknown as UndeliveredRow[]).map(toUndelivered)
  }
}

/**
 * The tables `tenants`, of the tenants in `?1` with messages of a condition, and `share`, of the
 * number of messages to read for each. Tenants are looked up one after the other in an index, only
 * those in `?1` if it is not null.
 */
function tenantsWith(table: Table, condition: string): string {
  const { all, most, least } = UNDELIVERED_READ
  return `WITH RECURSIVE ids AS (
      SELECT iif(?1 IS NULL, (SELECT min(tenant_id) FROM ${table} WHERE ${condition}), NULL) AS id
      UNION ALL SELECT (SELECT min(tenant_id) FROM ${table}
        WHERE ${condition} AND tenant_id > ids.id) FROM ids WHERE id IS NOT NULL
    ), tenants AS MATERIALIZED (
      SELECT id FROM ids WHERE id IS NOT NULL
      UNION SELECT given.value FROM json_each(?1) AS given
      WHERE EXISTS (SELECT 1 FROM ${table} WHERE tenant_id = given.value AND ${condition})
    ), share AS MATERIALIZED (
      SELECT min(${most}, max(${least}, ${all} / max(1, count(*)))) AS size FROM tenants
    )`
}

function messages(rows: unknown[]): QueuedMessage[] {
  return (rows as MessageRow[]).map(toMessage)
}
