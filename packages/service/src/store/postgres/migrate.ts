import { setTimeout as wait } from 'node:timers/promises'
import { createIndex } from '../sql/create-tables.ts'
import type { Queries } from '../sql/engine.ts'
import { type Change, missingOf } from '../sql/migrations.ts'
import { once, script, sql } from '../sql/sql.ts'
import { type Connections, createConnections, type PostgresOptions } from './connections.ts'
import { createExclusive } from './exclusive.ts'
import { isDeadlock, isDuplicate, isLockTimeout } from './failure.ts'
import { changes, createAll, RELEASED } from './migrations.ts'
import { createPostgresQueries } from './queries.ts'
import type { Run } from './statements.ts'
import { missingTrigrams } from './tables/trigrams.ts'

/** The table with the names of the changes that were made. */
const TABLE = 'latchkey_migration'

/** The key of PostgreSQL's advisory lock: an arbitrary number, the same in every process. */
const LOCK = 716_493_051_284

/**
 * The maximum time, in milliseconds, that a change waits for a table in use. {@link MAX_TRIES}: the
 * number of attempts.
 */
const LOCK_MS = 2_000
const MAX_TRIES = 30

/**
 * The time, in milliseconds, for which a process that stops in the middle of a migration blocks other
 * processes. Within a step, 5,000 users get their search texts between two statements.
 */
const MAX_IDLE_MS = 60_000

/**
 * The result of {@link schemaState}: the tables are up to date, or changes with these names are
 * missing.
 */
export type SchemaState = { kind: 'current' } | { kind: 'behind'; missing: readonly string[] }

/**
 * Compares the tables with this version of the service.
 *
 * @throws if a newer version changed the tables in a way that this version cannot use, or the
 *   tables are older than release 0.2.0.
 */
export async function schemaState(connections: Connections): Promise<SchemaState> {
  const db = createPostgresQueries(connections.read)
  const found = await db.first(
    once(sql<{ exists: boolean }>`select to_regclass(${TABLE}) is not null as "exists"`),
  )
  return stateOf(found?.exists ? await appliedTo(db) : undefined)
}

/**
 * Migrates the tables to this version of the service.
 *
 * Any number of processes can call this function at once: one process changes the tables, and the
 * other processes wait. While a table is in use, a change waits only briefly and then tries again,
 * so that requests do not wait behind the change for long.
 *
 * @param limits - `idleMs`: the maximum time between two statements of a transaction, in milliseconds.
 *   PostgreSQL ends a transaction that takes longer. Default: {@link MAX_IDLE_MS}.
 * @returns The names of the changes that this call made.
 */
export async function migratePostgres(
  options: PostgresOptions,
  { idleMs = MAX_IDLE_MS }: { idleMs?: number } = {},
): Promise<readonly string[]> {
  const connections = createConnections(options, { queryMs: 0 })
  const done: string[] = []
  try {
    for (let tries = 1; ; tries++) {
      try {
        for (;;) {
          const left = await connections.use((run) => migrate(run, idleMs, done))
          if (left === 'none') return done
          if (left !== 'more') await makeIndexes(connections, left, done)
        }
      } catch (error) {
        if (
          tries === MAX_TRIES ||
          !(isLockTimeout(error) || isDeadlock(error) || isDuplicate(error))
        )
          throw error
        await wait(LOCK_MS * Math.random())
      }
    }
  } finally {
    await connections.close()
  }
}

/**
 * The remaining work after a transaction: none, more changes, or indexes to create outside of a
 * transaction. `name`: the name of the change that consists of these indexes.
 */
type Left = 'none' | 'more' | (Pick<Change, 'indexes' | 'beforeIndexes'> & { name?: string })

/**
 * Runs the pending changes in one transaction, and returns the work that remains. Stops after a
 * change whose indexes must be created outside of the transaction, or whose step needs another
 * pass. In an empty database, creates all tables.
 */
async function migrate(run: Run, idleMs: number, done: string[]): Promise<Left> {
  const db = createPostgresQueries(run)
  const say = (text: string) => db.run(script(text))
  await say(`begin; set local idle_in_transaction_session_timeout = ${idleMs}`)
  try {
    await say(`select pg_advisory_xact_lock(${LOCK})`)
    await say(`set local lock_timeout = ${LOCK_MS}`)
    await say(`create table if not exists ${TABLE} (name text primary key)`)
    const applied = await appliedTo(db)
    const isNew = applied.names.length === 0
    const made: string[] = []
    const note = async (name: string) => {
      await say(`insert into ${TABLE} values ('${name}')`)
      made.push(name)
    }
    if (isNew) {
      for (const statement of createAll()) await say(statement)
      for (const name of [...RELEASED, ...changes.map(({ name }) => name)]) await note(name)
    }
    let left: Left = 'none'
    for (const change of isNew ? [] : changesMissing(applied)) {
      if (change.isLong && made.length > 0) left = 'more'
      if (left === 'more') break
      if (change.indexes) left = change
      for (const statement of change.statements ?? []) await say(statement)
      if ((await change.step?.(db)) === 'unfinished') left = 'more'
      if (left !== 'none') break
      await note(change.name)
    }
    if (left === 'none') {
      const indexes = await missingTrigrams(db)
      if (!isNew && indexes) left = { indexes }
      for (const [index, on] of Object.entries((isNew && indexes) || {})) {
        await say(createIndex(index, on))
      }
      await turnOffCompiler(db)
    }
    await say('commit')
    done.push(...made)
    return left
  } catch (error) {
    await say('rollback').catch(() => {})
    throw error
  }
}

/**
 * Turns off PostgreSQL's compilation of statements (`jit`) for this role in this database, from the
 * next connection on. Our statements are short, but compiling a statement takes 20 ms if PostgreSQL
 * overestimates its cost. If the role may not change the setting, nothing happens.
 */
async function turnOffCompiler(db: Queries): Promise<void> {
  const setting = await db.first(once(sql<{ jit: string }>`select current_setting('jit') as jit`))
  if (setting?.jit === 'off') return
  await db.run(script('savepoint compiler'))
  try {
    await db.run(
      script(`do $$ begin
        execute format('alter role current_user in database %I set jit = off', current_database());
      end $$`),
    )
  } catch {
    await db.run(script('rollback to savepoint compiler'))
  }
}

/**
 * Creates indexes, one process at a time, while other processes write to the tables. An invalid
 * index is created again. An index is invalid if its process was killed, or if a process of the
 * last release wrote a row that the unique index refuses.
 */
async function makeIndexes(
  connections: Connections,
  { name, indexes = {}, beforeIndexes }: Exclude<Left, string>,
  done: string[],
): Promise<void> {
  // This lock does not wait. A process that waited for a lock in a query would block the creation
  // of the index, which waits for all queries in progress.
  const isOurs = await createExclusive(connections)('indexes', () =>
    connections.use(async (run) => {
      const say = async (text: string) => (await run(script<{ isValid?: boolean }>(text))).rows
      for (const [index, on] of Object.entries(indexes)) {
        const [found] = await say(
          `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('${index}')`,
        )
        if (found?.isValid) continue
        if (found) await say(`drop index concurrently ${index}`)
        if (beforeIndexes !== undefined && on.startsWith('unique')) await say(beforeIndexes)
        await say(createIndex(index, on, 'concurrently'))
      }
      if (name === undefined) return
      const noted = await say(
        `insert into ${TABLE} values ('${name}') on conflict do nothing returning name`,
      )
      if (noted.length > 0) done.push(name)
    }),
  )
  if (!isOurs) await wait(LOCK_MS * Math.random())
}

interface Applied {
  names: readonly string[]
  leastSchema: number
}

async function appliedTo(db: Queries): Promise<Applied> {
  const rows = await db.all(script<{ name: string }>(`select name from ${TABLE} order by name`))
  if (rows.length === 0) return { names: [], leastSchema: 0 }
  const least = await db.first(script<{ n: number }>('select least_schema as n from revision'))
  return { names: rows.map(({ name }) => name), leastSchema: least?.n ?? 0 }
}

function stateOf(applied: Applied | undefined): SchemaState {
  if (!applied || applied.names.length === 0) return { kind: 'behind', missing: RELEASED }
  const missing = changesMissing(applied).map(({ name }) => name)
  return missing.length === 0 ? { kind: 'current' } : { kind: 'behind', missing }
}

function changesMissing({ names, leastSchema }: Applied): readonly Change[] {
  if (leastSchema > RELEASED.length + changes.length) {
    throw new Error(
      'The database was written by a newer version of the service, which this one cannot work with. ' +
        'Start the newer version.',
    )
  }
  return missingOf(changes, new Set(names), '0010-tenant-search')
}
