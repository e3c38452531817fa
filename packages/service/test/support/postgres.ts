import pg from 'pg'
import { sharedPostgres } from '../../../../test/support/postgres-server.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../src/store/postgres/data-store.ts'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'

/** A database of a test. */
export interface TestDatabase {
  readonly url: string
  /** Runs a statement in it. */
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Removes all rows but those that the migrations made. */
  empty(): Promise<void>
  drop(): Promise<void>
}

/** Makes a database, with all tables, in the PostgreSQL that the tests share, or in the one at a port. */
export async function createDatabase({
  migrate = true,
  port,
}: {
  migrate?: boolean
  port?: number
} = {}): Promise<TestDatabase> {
  const server = `postgres://latchkey@127.0.0.1:${port ?? (await sharedPostgres())}`
  const name = `test_${process.pid}_${crypto.randomUUID().slice(0, 8)}`
  await once(`${server}/postgres`, `create database ${name}`)
  const url = `${server}/${name}`
  if (migrate) await migratePostgres({ url })
  let client: pg.Client | undefined
  const query = async (sql: string) => {
    client ??= await connect(url, () => {
      client = undefined
    })
    return (await client.query(sql)).rows ?? []
  }
  return {
    url,
    query,
    async empty() {
      // What processes still do in the background may lock the same rows in another order, one after the other.
      for (let attempt = 1; ; attempt++) {
        try {
          return void (await query(EMPTY))
        } catch (error) {
          const isDeadlock = (error as { code?: string }).code === '40P01'
          if (!isDeadlock || attempt === MAX_ATTEMPTS) throw error
        }
      }
    },
    async drop() {
      await client?.end()
      await once(`${server}/postgres`, `drop database ${name} with (force)`)
    },
  }
}

/** A data store on a database of a test. */
export function openPostgresDataStore(url: string): DataStore {
  return createPostgresDataStore(createConnections({ url }))
}

// Deleted and not truncated: that is quicker where there are a few rows. Other processes hear that everything changed.
const EMPTY = `delete from tenants; delete from api_keys; delete from held_domains;
  delete from webhooks; delete from audit; delete from mail; delete from notices;
  delete from counter_shards where scope <> 'tenants'; update counter_shards set n = 0;
  update revision set n = n + 1`

/** The most tries to delete all rows. */
const MAX_ATTEMPTS = 10

async function once(url: string, sql: string): Promise<void> {
  const client = await connect(url)
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** A connection. Whoever needs it no more is told when the server has ended it; without a listener, that would end the process. */
export async function connect(url: string, forget: () => void = () => {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', forget).on('end', forget)
  await client.connect()
  return client
}
