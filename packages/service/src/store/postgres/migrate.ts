import { setTimeout as wait } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import {
  type Connections,
  createConnections,
  type PostgresOptions,
  type Run,
} from './connections.ts'
import { isLockTimeout } from './failure.ts'
import { createPostgresKysely } from './kysely.ts'
import { migrations } from './migrations.ts'
import { addTrigrams } from './trigrams.ts'

/** The names of the changes that were made. Ours and not Kysely's, so that one lock covers all of it. */
const TABLE = 'latchkey_migration'

/** The key of PostgreSQL's advisory lock: an arbitrary number, the same in every process. */
const LOCK = 716_493_051_284

/** How long a change waits for a table that is in use, and how often it tries. */
const LOCK_MS = 2_000
const MAX_TRIES = 30

/** The state of a database's schema, as {@link pendingMigrations} finds it. */
export type SchemaState = { kind: 'current' } | { kind: 'behind'; missing: readonly string[] }

/**
 * Compares the tables with this version of the service.
 *
 * @throws when they were changed by a newer version in a way that this one cannot serve.
 */
export async function schemaState(connections: Connections): Promise<SchemaState> {
  const db = createPostgresKysely<unknown>(connections.read)
  const found = await sql<{ exists: boolean }>`
    select to_regclass(${TABLE}) is not null as "exists"`.execute(db)
  return stateOf(found.rows[0]?.exists ? await appliedTo(db) : undefined)
}

/**
 * Brings the tables to this version of the service. Any number of processes may do so at once: one
 * changes the tables, the others wait for it. A table that is in use is waited for in turns, so that
 * those who use it meanwhile do not wait behind us for long.
 *
 * @returns The names of the changes that were made.
 */
export async function migratePostgres(options: PostgresOptions): Promise<readonly string[]> {
  const connections = createConnections(options, { queryMs: 0 })
  const done: string[] = []
  try {
    for (let tries = 1; ; tries++) {
      try {
        while (!(await connections.use((run) => migrate(run, done))));
        return done
      } catch (error) {
        if (tries === MAX_TRIES || !isLockTimeout(error)) throw error
        await wait(LOCK_MS * Math.random())
      }
    }
  } finally {
    await connections.close()
  }
}

/** Makes the changes that are missing, up to one with more to do; answers whether all are made. */
async function migrate(run: Run, done: string[]): Promise<boolean> {
  const db = createPostgresKysely<unknown>((statement) => run(statement, false))
  await sql`begin`.execute(db)
  try {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(db)
    await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(db)
    await sql`create table if not exists ${sql.table(TABLE)} (name text primary key)`.execute(db)
    const state = stateOf(await appliedTo(db))
    const missing = state.kind === 'behind' ? state.missing : []
    const made: string[] = []
    for (const name of missing) {
      if ((await migrations[name]?.(db)) === 'unfinished') break
      await sql`insert into ${sql.table(TABLE)} values (${name})`.execute(db)
      made.push(name)
    }
    const isDone = made.length === missing.length
    if (isDone) await addTrigrams(db)
    await sql`commit`.execute(db)
    done.push(...made)
    return isDone
  } catch (error) {
    await sql`rollback`.execute(db).catch(() => {})
    throw error
  }
}

interface Applied {
  names: readonly string[]
  leastSchema: number
}

async function appliedTo(db: Kysely<unknown>): Promise<Applied> {
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(TABLE)} order by name`.execute(db)
  if (rows.length === 0) return { names: [], leastSchema: 0 }
  const least = await sql<{ n: number }>`select least_schema as n from revision`.execute(db)
  return { names: rows.map(({ name }) => name), leastSchema: least.rows[0]?.n ?? 0 }
}

function stateOf(applied: Applied | undefined): SchemaState {
  const known = Object.keys(migrations)
  if (applied && applied.leastSchema > known.length) {
    throw new Error(
      'The database was written by a newer version of the service, which this one cannot work with. ' +
        'Start the newer version.',
    )
  }
  const missing = known.filter((name) => !applied?.names.includes(name))
  return missing.length === 0 ? { kind: 'current' } : { kind: 'behind', missing }
}
