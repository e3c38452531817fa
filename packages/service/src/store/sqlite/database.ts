import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../sql/engine.ts'
import { name, sql } from '../sql/sql.ts'
import { createCounters } from './counters.ts'
import { isDuplicate, isLocked } from './failure.ts'
import { createGroupCommit } from './group-commit.ts'
import { migrate } from './migrations.ts'
import { makePrivate } from './private-file.ts'
import { createSqliteQueries } from './queries.ts'
import { trigrams } from './trigrams.ts'

/**
 * The database `data.db`, with a connection for reads, which sees only committed data, and a
 * connection for writes.
 */
export interface Database extends Engine {
  /** A number that changes when another process has written. */
  foreignVersion(): number
  /** Writes to the disk without a change of the data. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** The name of a database in memory, whose data is lost when the process ends. */
export const IN_MEMORY = ':memory:'

/** Opens `data.db` in `folder`, or a database in memory. Creates or migrates its tables. */
export async function openDatabase(folder: string): Promise<Database> {
  const isInMemory = folder === IN_MEMORY
  const file = isInMemory ? folder : join(folder, 'data.db')
  if (!isInMemory) makePrivate(file)
  const writing = new DatabaseSync(file)
  await prepareToWrite(writing)
  const writer = createSqliteQueries(writing)
  try {
    migrate(writing)
  } catch (error) {
    writing.close()
    throw error
  }
  const commits = createGroupCommit(writing)
  const reading = isInMemory ? writing : new DatabaseSync(file)
  if (!isInMemory) reading.exec('pragma busy_timeout = 5000; pragma query_only = on')
  // A database in memory has only one connection. So a read waits for writes in progress, to see
  // only committed data.
  const reader = createSqliteQueries(reading, isInMemory ? commits.idle : undefined)
  // `data_version` is read with the writing connection, so that its own commits do not change the
  // number. `user_version = 0` writes the same header again, because no table has a row to test
  // writes.
  const probe = writing.prepare('pragma user_version = 0')
  const version = writing.prepare('pragma data_version')
  let asked: number | undefined

  return {
    reader,
    writer,
    write: commits.write,
    isDuplicate,
    counters: createCounters(writer),
    lower: (column) => sql`lower(${name(column)})`,
    byBytes: name,
    indexedBy: (index) => sql`indexed by ${name(index)}`,
    lastEntry: sql`coalesce((select seq from sqlite_sequence where name = 'audit'), 0)`,
    trigrams,
    json: {
      items: (json) => sql`(select value from json_each(${json}))`,
      isOneOf: (column, json) => sql`${name(column)} in (select value from json_each(${json}))`,
      arrayOf: (column) => sql`json_group_array(${name(column)})`,
    },
    foreignVersion() {
      if (asked === undefined) {
        asked = (version.get() as { data_version: number }).data_version
        // A login reads the version a dozen times, at 10 µs each, so the number is kept until the
        // next turn of the event loop.
        setImmediate(() => {
          asked = undefined
        })
      }
      return asked
    },
    probe: () => commits.write(() => void probe.run()),
    async close() {
      await commits.idle()
      if (!isInMemory) reading.close()
      writing.close()
    },
  }
}

/** The maximum number of attempts to open a file that another process is creating. */
const MAX_TRIES = 100

/**
 * Sets the pragmas of the connection for writes. With WAL, `synchronous = full` syncs the log at
 * every commit, so acknowledged writes survive a power cut. With `secure_delete`, deleted rows are
 * overwritten, so a copy of the file does not contain deleted users.
 */
async function prepareToWrite(database: DatabaseSync): Promise<void> {
  database.exec(
    'pragma busy_timeout = 5000; pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on',
  )
  for (let tries = 1; ; tries++) {
    try {
      // SQLite fails at once, instead of waiting, if another connection changes the journal mode at
      // the same time.
      return database.exec('pragma journal_mode = wal')
    } catch (error) {
      if (tries === MAX_TRIES || !isLocked(error)) throw error
      await wait(10 + Math.random() * 40)
    }
  }
}
