import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { SessionEndedError, type SessionRecord, type SessionStore } from '@latchkey/core'

// #region open
/** Sessions in a SQLite file. */
export function createSqliteStore(file: string): SessionStore {
  const db = new DatabaseSync(file)
  db.exec(`
    CREATE TABLE IF NOT EXISTS sessions (
      id TEXT PRIMARY KEY, record TEXT, version TEXT, expires_at REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS session_keys (
      key TEXT, id TEXT, expires_at REAL NOT NULL, PRIMARY KEY (key, id));
    CREATE TABLE IF NOT EXISTS held (
      key TEXT PRIMARY KEY, token TEXT NOT NULL, expires_at REAL NOT NULL)`)
  // #endregion

  // #region sessions
  const now = () => Date.now() / 1000
  const select = db.prepare(
    'SELECT record, version, expires_at FROM sessions WHERE id = ? AND expires_at > ? AND record IS NOT NULL',
  )
  // A destroyed session leaves a row without a record for five minutes, which refuses a late `set`.
  const insert = db.prepare(
    `INSERT INTO sessions (id, record, version, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET record = excluded.record, version = excluded.version,
       expires_at = excluded.expires_at WHERE record IS NOT NULL OR expires_at <= ?`,
  )
  const replace = db.prepare(
    `UPDATE sessions SET record = ?, version = ?, expires_at = ?
     WHERE id = ? AND version = ? AND expires_at > ?`,
  )
  const extend = db.prepare('UPDATE sessions SET expires_at = ? WHERE id = ? AND record NOTNULL')
  const end = db.prepare(
    `INSERT INTO sessions (id, expires_at) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET record = NULL, version = NULL, expires_at = excluded.expires_at`,
  )
  const get = (id: string): SessionRecord | undefined => {
    const row = select.get(id, now())
    if (!row) return undefined
    const { login, data } = JSON.parse(String(row.record))
    return { login, data, expiresAt: Number(row.expires_at), version: row.version }
  }
  const json = ({ login, data }: SessionRecord) => JSON.stringify({ login, data })

  const sessions: SessionStore = {
    get,
    set(id, record) {
      const { changes } = insert.run(id, json(record), randomUUID(), record.expiresAt, now())
      if (changes === 0) throw new SessionEndedError()
    },
    update(id, record, seen) {
      const { changes } = replace.run(
        json(record),
        randomUUID(),
        record.expiresAt,
        id,
        String(seen.version),
        now(),
      )
      if (changes === 1) return 'updated'
      return get(id) ? 'changed' : 'ended'
    },
    touch(id, _seen, expiresAt) {
      extend.run(expiresAt, id)
    },
    destroy(id) {
      end.run(id, now() + 300)
    },
  }
  // #endregion

  // #region abilities
  const add = db.prepare('INSERT OR REPLACE INTO session_keys VALUES (?, ?, ?)')
  const find = db.prepare('SELECT id FROM session_keys WHERE key = ? AND expires_at > ?')
  const remove = db.prepare('DELETE FROM session_keys WHERE key = ? AND id = ?')
  const hold = db.prepare(
    `INSERT INTO held VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE
     SET token = excluded.token, expires_at = excluded.expires_at WHERE expires_at <= ?`,
  )
  const held = db.prepare('SELECT 1 FROM held WHERE key = ? AND expires_at > ?')
  const release = db.prepare('DELETE FROM held WHERE key = ? AND token = ?')
  const take = (key: string, token: string, seconds: number): boolean =>
    hold.run(key, token, now() + seconds, now()).changes === 1

  return {
    ...sessions,
    index: {
      add(keys, id, seconds) {
        for (const key of keys) add.run(key, id, now() + seconds)
      },
      find: (key) => find.all(key, now()).flatMap(({ id }) => (get(String(id)) ? String(id) : [])),
      remove(keys, id) {
        for (const key of keys) remove.run(key, id)
      },
    },
    once: {
      consume: (key, seconds) => take(`once ${key}`, '', seconds),
      isConsumed: (key) => held.get(`once ${key}`, now()) !== undefined,
    },
    lock: {
      acquire(key, seconds) {
        const token = randomUUID()
        if (!take(`lock ${key}`, token, seconds)) return undefined
        return () => void release.run(`lock ${key}`, token)
      },
    },
  }
}
// #endregion
