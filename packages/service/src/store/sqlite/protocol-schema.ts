import { DatabaseSync } from 'node:sqlite'
import { FAILED_CONDITION, NEVER } from '../protocol-store.ts'
import { makePrivate } from './private-file.ts'

/** The version of the tables. It is stored as `user_version` of the file. */
export const SCHEMA_VERSION = 7

/**
 * The number of pages in the log (16 MB) at which SQLite copies the log into the file. With this
 * number, pages that every login writes are copied once instead of four times, and the disk is
 * synchronized less often.
 */
const CHECKPOINT_PAGES = 4_000

const SCHEMA = `
  CREATE TABLE entry (
    tenant_id TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
    payload TEXT NOT NULL, expires_at INTEGER NOT NULL,
    grant_id TEXT, uid TEXT, account_id TEXT, consumed_at INTEGER,
    UNIQUE (key, kind, tenant_id)
  );
  CREATE INDEX entry_grant ON entry (grant_id, kind) WHERE grant_id IS NOT NULL;
  CREATE INDEX entry_uid ON entry (uid, kind) WHERE uid IS NOT NULL;
  CREATE INDEX entry_account ON entry (account_id, kind) WHERE account_id IS NOT NULL;
  CREATE INDEX entry_expiry ON entry (expires_at);
  CREATE TABLE attempt (
    key TEXT PRIMARY KEY, count INTEGER NOT NULL, last_at INTEGER NOT NULL, forget_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX attempt_expiry ON attempt (forget_at);
  CREATE TABLE mail (
    id TEXT PRIMARY KEY, tenant_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL, attempts INTEGER NOT NULL, sealed TEXT NOT NULL
  );
  CREATE INDEX mail_due ON mail (due_at);
`

/** The statements of version 2: the table of notices. */
const NOTICES = `
  CREATE TABLE notice (
    id TEXT PRIMARY KEY, tenant_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL, attempts INTEGER NOT NULL, sealed TEXT NOT NULL
  );
  CREATE INDEX notice_due ON notice (due_at);
`

/** The statements of version 3: columns for the recipient and the outcome of a message. */
const OUTBOX = ['mail', 'notice']
  .flatMap((table) =>
    ['kind TEXT', 'user_id TEXT', 'answer TEXT', 'outcome TEXT', 'ended_at INTEGER'].map(
      (column) => `ALTER TABLE ${table} ADD COLUMN ${column};`,
    ),
  )
  .concat(
    'CREATE INDEX mail_tenant ON mail (tenant_id, created_at, id);',
    'CREATE INDEX mail_user ON mail (tenant_id, user_id, created_at, id) WHERE user_id IS NOT NULL;',
  )
  .join('\n')

/**
 * The statements of version 4: indexes of mails by state. They are partial, because most mails have
 * been sent.
 */
const MAIL_FILTERS = `
  CREATE INDEX mail_unsent ON mail (tenant_id, created_at, id) WHERE outcome IS NULL;
  CREATE INDEX mail_given_up ON mail (tenant_id, created_at, id) WHERE outcome = 'given_up';
`

/**
 * The statement of version 5: an index of mails by time, which counts the mails of the last day.
 */
const MAIL_BY_TIME = 'CREATE INDEX mail_created ON mail (created_at);'

/** The statements of version 6: indexes in which the tenants with waiting messages are found. */
const WAITING = ['mail', 'notice']
  .map(
    (table) =>
      `CREATE INDEX ${table}_waiting ON ${table} (tenant_id, due_at) WHERE due_at < ${NEVER};`,
  )
  .join('\n')

/** The statements of version 7: indexes in which messages that failed so far are counted. */
const FAILED = ['mail', 'notice']
  .map(
    (table) =>
      `CREATE INDEX ${table}_failed ON ${table} (tenant_id, due_at) WHERE ${FAILED_CONDITION};`,
  )
  .join('\n')

const STEPS = [SCHEMA, NOTICES, OUTBOX, MAIL_FILTERS, MAIL_BY_TIME, WAITING, FAILED]

/**
 * Opens `protocol.db`, or creates it.
 *
 * With `synchronous = NORMAL`, a commit survives a crash of the process, but a power cut can lose
 * the last commits. Such a loss costs a user a login. A code can be used twice only if its tokens
 * are also lost.
 *
 * @param path - The path of the file, or `:memory:`.
 * @throws if a newer version of the service wrote the file.
 */
export function openProtocolDatabase(path: string): DatabaseSync {
  makePrivate(path)
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
     PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  )
  const found = database.prepare('PRAGMA user_version').get() as { user_version: number }
  if (found.user_version > SCHEMA_VERSION) {
    database.close()
    throw new Error(
      `${path} was written by a newer version of the service (schema ${found.user_version}, this one knows ${SCHEMA_VERSION}).`,
    )
  }
  if (found.user_version < SCHEMA_VERSION) {
    const missing = STEPS.slice(found.user_version).join('\n')
    database.exec(`BEGIN; ${missing} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)
  }
  return database
}
