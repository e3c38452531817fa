import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditStore, DataStore, StandingEffect } from '../ports.ts'
import { createCursors } from './cursors.ts'
import type { Engine } from './engine.ts'
import { createReadAccount } from './read-account.ts'
import { type Sql, sql } from './sql.ts'
import { createInsert, createTable } from './table.ts'
import { createUpdateAccount } from './tables/accounts.ts'
import { createApiKeys } from './tables/api-keys.ts'
import { createApplications } from './tables/applications.ts'
import { createAddEntry, createAudit, notePruned } from './tables/audit.ts'
import { createConnectionTable } from './tables/connections.ts'
import { createCredentials, credentialsTable } from './tables/credentials.ts'
import { createJobs } from './tables/jobs.ts'
import { createLegacyPasswords } from './tables/legacy-passwords.ts'
import { createMailDays } from './tables/mail-days.ts'
import { createOperators } from './tables/operators.ts'
import { createRestores } from './tables/restores.ts'
import { createSigningKeys } from './tables/signing-keys.ts'
import { countEffect } from './tables/standings.ts'
import { createTenants } from './tables/tenants.ts'
import { createUsers, usersTable } from './tables/users.ts'
import { createWebhooks } from './tables/webhooks.ts'
import { createInsertMany } from './user-batch.ts'

/** The parts of a data store that are tables, except deliveries. */
export type SqlTables = Omit<
  DataStore,
  'deliveries' | 'foreignVersion' | 'exclusively' | 'together' | 'sealingKeys' | 'check' | 'close'
>

/** Makes the tables with few writes. Their code is the same for every SQL database. */
export function createRareTables(
  engine: Engine,
): Pick<
  SqlTables,
  'tenants' | 'applications' | 'apiKeys' | 'signingKeys' | 'connections' | 'operators' | 'webhooks'
> {
  const addEntry = createAddEntry(engine)
  return {
    tenants: createTenants(engine, addEntry),
    applications: createApplications(engine, addEntry),
    apiKeys: createApiKeys(engine, addEntry),
    signingKeys: createSigningKeys(engine, addEntry),
    connections: createConnectionTable(engine, addEntry),
    operators: createOperators(engine, addEntry),
    webhooks: createWebhooks(engine, addEntry),
  }
}

/**
 * Makes all tables of SQLite except deliveries. SQLite runs in this process, so a write may consist
 * of many statements.
 *
 * @param now - Makes the expression for the current time, which the leases of jobs use.
 */
export function createSqlTables(engine: Engine, now: () => Sql): SqlTables {
  const { writer, write } = engine
  const addEntry = createAddEntry(engine)
  const count = (effect: StandingEffect, tenantId: string, userId: string) =>
    writer.run(countEffect(effect, sql`select ${tenantId} as of_tenant, ${userId} as of_user`))
  async function endSessions(at: number, tenantId: string, userId: string): Promise<void> {
    await writer.run(sql`update users set sessions_valid_after = max(sessions_valid_after, ${at})
      where tenant_id = ${tenantId} and id = ${userId}`)
    await count('ruled', tenantId, userId)
  }
  return {
    ...createRareTables(engine),
    users: createUsers(
      engine,
      createTable(engine, addEntry, usersTable),
      createInsert(writer, 'credentials'),
      count,
      {
        insertMany: createInsertMany(engine),
        updateAccount: createUpdateAccount(engine, addEntry),
        ...createReadAccount(engine),
      },
    ),
    credentials: createCredentials(
      engine,
      createTable(engine, addEntry, credentialsTable),
      endSessions,
    ),
    legacyPasswords: createLegacyPasswords(engine),
    audit: {
      ...createAudit(engine, addEntry),
      prune: createPrune(engine),
    },
    restores: createRestores(engine, addEntry, { touchUser: sql`` }),
    cursors: createCursors(engine),
    jobs: createJobs({
      reader: engine.reader,
      run: (statement, audit) =>
        write(async () => {
          const rows = await writer.all(statement)
          if (audit && rows.length > 0) await addEntry(audit)
          return rows
        }),
      now,
      skipLocked: sql``,
    }),
    mailDays: createMailDays({
      reader: engine.reader,
      run: (statement) => engine.write(() => writer.run(statement)),
    }),
  }
}

/**
 * The maximum number of audit entries that one write deletes. Requests wait for the statements of
 * SQLite, and the log of a transaction must fit on the disk.
 */
const PRUNE_BATCH = 500

/** Makes the method that deletes old audit entries from SQLite. */
function createPrune({ writer, write, indexedBy }: Engine): AuditStore['prune'] {
  /** Deletes entries in the order of the index that `where` names. Resolves to their number. */
  async function pruneWhere(where: Sql, before: number, isClosed: () => boolean): Promise<number> {
    const batch = sql`select id from audit ${where} and at < ${before}
      order by at, id limit ${PRUNE_BATCH}`
    let pruned = 0
    for (; !isClosed(); await nextTurn()) {
      const deleted = await write(async () => {
        await writer.run(notePruned(sql`id in (${batch})`))
        return writer.run(sql`delete from audit where id in (${batch})`)
      })
      pruned += deleted
      if (deleted < PRUNE_BATCH) break
    }
    return pruned
  }

  return async (before, refusedBefore, isClosed = () => false) => {
    const isAny = sql`${indexedBy('audit_by_time')} where true`
    const isRefused = sql`${indexedBy('audit_refused_by_time')} where outcome = 'refused'`
    const pruned = await pruneWhere(isAny, before, isClosed)
    return pruned + (await pruneWhere(isRefused, refusedBefore, isClosed))
  }
}
