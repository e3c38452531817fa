import { sql } from 'kysely'
import type { DataStore } from '../ports.ts'
import { createUpdateAccount } from './accounts.ts'
import { createApiKeys } from './api-keys.ts'
import { createApplications } from './applications.ts'
import { createAudit, createRecord } from './audit.ts'
import { createConnectionTable } from './connections.ts'
import { createCredentials, credentialsTable } from './credentials.ts'
import { createCursors } from './cursors.ts'
import type { Engine } from './engine.ts'
import { createJobs } from './jobs.ts'
import { createOperators } from './operators.ts'
import { prepared, preparedInsert } from './prepared.ts'
import { createReadAccount } from './read-account.ts'
import { createSigningKeys } from './signing-keys.ts'
import { createTable } from './table.ts'
import { createTenants } from './tenants.ts'
import { createInsertMany } from './user-batch.ts'
import { createUsers, usersTable } from './users.ts'
import { createWebhooks } from './webhooks.ts'

/** The tables of a data store. */
export type SqlTables = Omit<
  DataStore,
  'deliveries' | 'foreignVersion' | 'exclusively' | 'sealingKeys' | 'check' | 'close'
>

/** The tables that few writes concern, for every SQL database. */
export function createRareTables(
  engine: Engine,
): Pick<
  SqlTables,
  'tenants' | 'applications' | 'apiKeys' | 'signingKeys' | 'connections' | 'operators' | 'webhooks'
> {
  const record = createRecord(engine)
  return {
    tenants: createTenants(engine, record),
    applications: createApplications(engine, record),
    apiKeys: createApiKeys(engine, record),
    signingKeys: createSigningKeys(engine, record),
    connections: createConnectionTable(engine, record),
    operators: createOperators(engine, record),
    webhooks: createWebhooks(engine, record),
  }
}

/** All tables, in a database where a write costs little more than its statements. */
export function createSqlTables(engine: Engine): SqlTables {
  const { writer } = engine
  const record = createRecord(engine)
  const insertCredential = preparedInsert(writer, 'credentials')
  const endSessions = prepared(writer, 3, (at: number, tenantId: string, userId: string) =>
    writer
      .updateTable('users')
      .set(({ fn, ref, val }) => ({
        sessions_valid_after: fn<number>('max', [ref('sessions_valid_after'), val(at)]),
      }))
      .where('tenant_id', '=', tenantId)
      .where('id', '=', userId),
  )
  return {
    ...createRareTables(engine),
    users: createUsers(engine, createTable(engine, record, usersTable), insertCredential, {
      insertMany: createInsertMany(engine),
      updateAccount: createUpdateAccount(engine, record),
      ...createReadAccount(engine),
    }),
    credentials: createCredentials(
      engine,
      createTable(engine, record, credentialsTable),
      endSessions,
    ),
    audit: createAudit(engine, record),
    cursors: createCursors(engine),
    jobs: createJobs({
      reader: engine.reader,
      run: (statement) => engine.write(async () => (await statement.execute(writer)).rows),
      now: sql<number>`cast(unixepoch('subsec') * 1000000 as integer)`,
      skipLocked: sql``,
    }),
  }
}
