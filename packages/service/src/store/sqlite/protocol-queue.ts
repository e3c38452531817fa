import type { DatabaseSync } from 'node:sqlite'
import type { MessageQueue, QueuedMessage } from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import type { GroupCommit } from './group-commit.ts'

const COLUMNS =
  'id, tenant_id AS tenantId, created_at AS createdAt, due_at AS dueAt, attempts, sealed'

/** A queue of outgoing messages in `protocol.db`, in a table of its own. */
export function createSqliteQueue(
  database: DatabaseSync,
  commits: GroupCommit,
  now: () => Micros,
  table: 'mail' | 'notice',
): MessageQueue {
  const sql = {
    add: database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, ?, ?)`),
    claim: database.prepare(
      `UPDATE ${table} SET due_at = ? WHERE id IN
         (SELECT id FROM ${table} WHERE due_at <= ? ORDER BY due_at LIMIT ?) RETURNING ${COLUMNS}`,
    ),
    renew: database.prepare(`UPDATE ${table} SET due_at = ? WHERE id = ?`),
    retry: database.prepare(`UPDATE ${table} SET due_at = ?, attempts = attempts + 1 WHERE id = ?`),
    remove: database.prepare(`DELETE FROM ${table} WHERE id = ?`),
    sealed: database.prepare(`SELECT id, sealed FROM ${table}`),
    reseal: database.prepare(`UPDATE ${table} SET sealed = ? WHERE id = ? AND sealed = ?`),
    list: database.prepare(
      `SELECT ${COLUMNS} FROM ${table} WHERE tenant_id = ? ORDER BY rowid DESC LIMIT ?`,
    ),
  }

  return {
    async add(mail) {
      await commits.write(() =>
        sql.add.run(mail.id, mail.tenantId, mail.createdAt, mail.dueAt, mail.attempts, mail.sealed),
      )
    },
    async claim(limit, until) {
      const at = now()
      return commits.write(() => sql.claim.all(until, at, limit)) as unknown as Promise<
        QueuedMessage[]
      >
    },
    async renew(id, until) {
      await commits.write(() => sql.renew.run(until, id))
    },
    async retry(id, dueAt) {
      await commits.write(() => sql.retry.run(dueAt, id))
    },
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
    async list(tenantId, limit) {
      return sql.list.all(tenantId, limit) as unknown as QueuedMessage[]
    },
  }
}
