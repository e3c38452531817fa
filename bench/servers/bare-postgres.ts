import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createConnections } from '../../packages/service/src/store/postgres/connections.ts'
import { raw, sql } from '../../packages/service/src/store/sql/sql.ts'
import { serveCommands } from '../parts/child.ts'

/**
 * The speed of PostgreSQL alone, through the service's connections and without its rules:
 * `bare-postgres.ts DATABASE TENANT`.
 */

const [, , url = '', tenantId = ''] = process.argv
const connections = createConnections({ url })
const COLUMNS = raw(`tenant_id, id, email, email_key, profile, metadata, disabled, verified_at,
  sessions_valid_after, created_at, updated_at`)
const PROFILE = '{"name":"Ada Lovelace","given_name":"Ada","family_name":"Lovelace"}'
let made = 0

async function repeat(count: number, atOnce: number, run: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next++ < count) await run()
    }),
  )
  return (performance.now() - began) / 1_000
}

function insert(users: number): Promise<unknown> {
  const ids = Array.from({ length: users }, () => `usr_bare${String(made++).padStart(22, '0')}`)
  return connections.write(sql`insert into users (${COLUMNS})
    select ${tenantId}, id, id || '@example.com', id || '@example.com', ${PROFILE}, '{}', 0, null,
      0, 1800000000000000, 1800000000000000 from unnest(${ids}::text[]) as id`)
}

async function page(after: string): Promise<void> {
  const found = await connections.read(sql`select ${COLUMNS} from users
    where tenant_id = ${tenantId} and id > ${after} order by id limit 100`)
  JSON.stringify(found.rows)
}

const server = createServer().listen(0, '127.0.0.1', () => {
  serveCommands(
    (server.address() as AddressInfo).port,
    {
      create: (count: number) => repeat(count, 16, () => insert(1)),
      import: (count: number) => repeat(count, 4, () => insert(100)),
      page: ({ count, after }: { count: number; after: string }) =>
        repeat(count, 1, () => page(after)),
    },
    () => connections.close(),
  )
})
