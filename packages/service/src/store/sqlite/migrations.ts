import type { DatabaseSync } from 'node:sqlite'
import { createIndex, createTables, indexesOf, LATER_INDEXES } from '../sql/create-tables.ts'
import {
  addOwnCallbacks,
  type Change,
  changesOf,
  INSTANTS_IN_RANGE,
  missingOf,
} from '../sql/migrations.ts'
import { isLocked, isSqliteError } from './failure.ts'
import { ADD_TEXTS, addSearchFunctions, CREATE_TEXT_INDEX } from './trigrams.ts'

/** The name of the last change that release 0.2.0 made. */
const BASE = '0013-tenant-search'

const COUNTERS = `create table counters (
  scope text primary key,
  value integer not null
) strict, without rowid`

/** The index in which old refused requests are found. */
const REFUSED_INDEX = { audit_refused_by_time: `audit (at) where outcome = 'refused'` }

const changes: readonly Change[] = [
  ...changesOf('sqlite', { tables: [ADD_TEXTS, CREATE_TEXT_INDEX], indexes: {} }),
  INSTANTS_IN_RANGE,
  addOwnCallbacks('sqlite'),
  { name: '0032-refused-by-time', indexes: REFUSED_INDEX },
]

/**
 * Creates the tables, or migrates them to this version of the service, in one transaction. The
 * names of changes are stored in `kysely_migration`, because release 0.2.0 stored them there.
 *
 * @throws if another process is writing to the database for longer than some seconds, if a change
 *   fails, with SQLite's reason in the message, or if a newer version of the service
 *   or a version before 0.2.0 wrote the database.
 */
export function migrate(database: DatabaseSync): void {
  addSearchFunctions(database)
  begin(database)
  try {
    apply(database)
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw isSqliteError(error)
      ? new Error(`The tables could not be migrated to this version: ${error.message}.`, {
          cause: error,
        })
      : error
  }
}

function begin(database: DatabaseSync): void {
  try {
    database.exec('begin immediate')
  } catch (cause) {
    if (!isLocked(cause)) throw cause
    throw new Error(
      'Another process is writing to the data, such as "latchkey-service move". Try again when it has ended.',
      { cause },
    )
  }
}

/**
 * Creates all tables in an empty database. In any other database, runs the changes that have not
 * been made yet.
 *
 * @throws if a newer version changed the database, or the database is older than release 0.2.0.
 */
function apply(database: DatabaseSync): void {
  database.exec(
    'create table if not exists kysely_migration (name text primary key, timestamp text not null)',
  )
  const note = database.prepare(
    "insert into kysely_migration (name, timestamp) values (?, datetime('now'))",
  )
  const rows = database.prepare('select name from kysely_migration').all()
  const done = new Set(rows.map(({ name }) => String(name)))
  if (done.size === 0) {
    database.exec([...createTables('sqlite'), COUNTERS, CREATE_TEXT_INDEX].join(';'))
    makeIndexes(database, { ...indexesOf('sqlite'), ...LATER_INDEXES, ...REFUSED_INDEX })
    for (const name of [BASE, ...changes.map(({ name }) => name)]) note.run(name)
    return
  }
  const missing = missingOf(changes, done, BASE)
  const known = new Set(changes.map(({ name }) => name))
  const newer = [...done].filter((name) => name > BASE && !known.has(name))
  if (newer.length > 0) {
    throw new Error(
      `The database has changes of a newer version: ${newer.join(', ')}. Start the newer version.`,
    )
  }
  for (const { name, statements = [], beforeIndexes = '', indexes = {} } of missing) {
    database.exec([...statements, beforeIndexes].join(';'))
    makeIndexes(database, indexes)
    note.run(name)
  }
}

function makeIndexes(database: DatabaseSync, indexes: NonNullable<Change['indexes']>): void {
  const made = database.prepare("select name from sqlite_schema where type = 'index'").all()
  const names = new Set(made.map(({ name }) => name))
  const missing = Object.entries(indexes).filter(([name]) => !names.has(name))
  database.exec(missing.map(([name, on]) => createIndex(name, on)).join(';'))
}
