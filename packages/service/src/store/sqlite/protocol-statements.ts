import type { DatabaseSync } from 'node:sqlite'
import type { ProtocolEntry } from '../protocol-store.ts'
import type { Micros } from '../records.ts'

/** The prepared statements of the protocol store. */
export type ProtocolStatements = ReturnType<typeof prepareStatements>

const COLUMNS = 'tenant_id, kind, key, payload, expires_at, grant_id, uid, account_id, consumed_at'
const BY_KEY = 'tenant_id = ? AND kind = ? AND key = ?'

/**
 * Prepares the statements for entries and attempts. All are prepared at once, because they are few
 * and every login needs them.
 */
export function prepareStatements(database: DatabaseSync) {
  return {
    put: database.prepare(
      `INSERT OR REPLACE INTO entry (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    replace: database.prepare(
      `UPDATE entry SET payload = ?, expires_at = ?, grant_id = ?, uid = ?, account_id = ?, consumed_at = ?
       WHERE ${BY_KEY} AND expires_at > ? AND consumed_at IS NULL AND payload = ?`,
    ),
    isUnchanged: database.prepare(
      `SELECT 1 FROM entry WHERE ${BY_KEY} AND expires_at > ? AND consumed_at IS NULL AND payload = ?`,
    ),
    find: database.prepare(`SELECT * FROM entry WHERE ${BY_KEY} AND expires_at > ?`),
    findByUid: database.prepare(
      'SELECT * FROM entry WHERE uid = ? AND kind = ? AND tenant_id = ? AND expires_at > ?',
    ),
    listByAccount: database.prepare(
      'SELECT * FROM entry WHERE account_id = ? AND kind = ? AND tenant_id = ? AND expires_at > ?',
    ),
    // The order is that of the index. An entry that is written again gets a new `rowid`.
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

/** The values of an entry, in the order of {@link COLUMNS}. */
export function columnsOf(entry: ProtocolEntry) {
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

/** Makes an entry from a row of the table `entry`; `undefined` without a row. */
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
