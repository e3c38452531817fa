import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Engine } from '../sql/engine.ts'
import type { Schema } from '../sql/schema.ts'
import { createCounters } from './counters.ts'
import { createSqliteKysely } from './dialect.ts'
import { isDuplicate } from './failure.ts'
import { createGroupCommit } from './group-commit.ts'
import { migrate } from './migrations.ts'
import { makePrivate } from './private-file.ts'

/** `data.db` with a connection for reading, which sees what is committed, and one for writing. */
export interface Database extends Engine {
  /** Changes when another process has written. */
  foreignVersion(): number
  /** Writes something that changes nothing, to the disk. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** Opens `data.db` in `folder`, and creates it or brings it up to date. */
export async function openDatabase(folder: string): Promise<Database> {
  const file = join(folder, 'data.db')
  makePrivate(file)
  const writing = new DatabaseSync(file)
  // With WAL, FULL syncs the log at every commit: what was acknowledged survives a power cut. What is
  // deleted is overwritten, so that no backup of the file holds users who are gone.
  writing.exec(
    `pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full;
     pragma foreign_keys = on; pragma secure_delete = on`,
  )
  const writer = createSqliteKysely<Schema>(writing)
  try {
    await migrate(writer)
  } catch (error) {
    writing.close()
    throw error
  }
  const reading = new DatabaseSync(file)
  reading.exec('pragma busy_timeout = 5000; pragma query_only = on')
  const reader = createSqliteKysely<Schema>(reading)
  const commits = createGroupCommit(writing)
  // On the writing connection, so that its own commits do not count.
  // No table has a row for it, and the pragma writes the same header again.
  const probe = writing.prepare('pragma user_version = 0')
  const version = writing.prepare('pragma data_version')

  return {
    reader,
    writer,
    write: commits.write,
    isDuplicate,
    counters: createCounters(writer),
    lower: (column) => sql`lower(${sql.ref(column)})`,
    json: {
      items: (json) => sql`(select value from json_each(${json}))`,
      arrayOf: (column) => sql`json_group_array(${sql.ref(column)})`,
    },
    foreignVersion: () => (version.get() as { data_version: number }).data_version,
    probe: () => commits.write(() => void probe.run()),
    async close() {
      await commits.idle()
      reading.close()
      writing.close()
    },
  }
}
