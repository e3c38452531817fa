import type { Clock } from '../../clock.ts'
import { StoreError } from '../errors.ts'
import type { DataStore } from '../ports.ts'
import { createRareTables, type SqlTables } from '../sql/data-store.ts'
import { createReadAccount } from '../sql/read-account.ts'
import { every, type Row } from '../sql/schema.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { toRow as auditRow, createAddEntry } from '../sql/tables/audit.ts'
import { createCredentials, credentialsTable } from '../sql/tables/credentials.ts'
import { createDeliveries } from '../sql/tables/deliveries.ts'
import { createJobs } from '../sql/tables/jobs.ts'
import { createLegacyPasswords } from '../sql/tables/legacy-passwords.ts'
import { createMailDays } from '../sql/tables/mail-days.ts'
import { createRestores } from '../sql/tables/restores.ts'
import { countEffect } from '../sql/tables/standings.ts'
import { createUsers } from '../sql/tables/users.ts'
import type { Connections } from './connections.ts'
import { createDatabase } from './database.ts'
import { createExclusive } from './exclusive.ts'
import { createNow } from './now.ts'
import { followRevision, type Revision, type Waiting } from './revision.ts'
import { followSettled } from './settled.ts'
import { createPostgresAudit } from './tables/audit.ts'
import { createPostgresCursors } from './tables/cursors.ts'
import { createDeliveryDatabase } from './tables/deliveries.ts'
import { eraseUsers } from './tables/erase-users.ts'
import { createFrequentTable, insertFurther } from './tables/frequent-table.ts'
import { createSealingKeys } from './tables/sealing-keys.ts'
import { createUpdateAccount } from './tables/update-account.ts'
import { createInsertMany } from './tables/user-batch.ts'
import { textlessUsers, writeText } from './tables/user-texts.ts'

/**
 * Creates a data store in PostgreSQL for any number of processes. The tables must exist.
 *
 * @param clock - The clock for deliveries and jobs, for tests that move the time. Default: the
 *   clock of PostgreSQL.
 */
export function createPostgresDataStore(
  connections: Connections,
  clock?: Clock,
): DataStore & Pick<Revision, 'mayBeDue' | 'clock' | 'asked'> {
  const now = createNow(clock)
  const revision = followRevision(connections)
  // The revision knows the due rows by the clock of PostgreSQL, not by the clock of a test.
  const mayBeDue = (table: Waiting) => clock !== undefined || revision.mayBeDue(table)
  return {
    mayBeDue,
    clock: revision.clock,
    asked: revision.asked,
    ...createTables(connections, now, revision.lastEntry),
    deliveries: {
      ...createDeliveries(createDeliveryDatabase(connections, now)),
      mayBeDue: () => mayBeDue('webhooks'),
    },
    foreignVersion: revision.current,
    exclusively: createExclusive(connections),
    together: createExclusive(connections, 'shared'),
    sealingKeys: createSealingKeys(connections),
    async check() {
      // PostgreSQL refuses this statement if it accepts no writes. The statement changes no row, so
      // it waits for no lock.
      const touch = sql`update revision set n = n where id = 0`
      await within(
        CHECK_MS,
        connections.use((run) => run(touch)),
      )
    },
    async close() {
      await Promise.all([revision.close(), connections.close()])
    },
  }
}

/**
 * The time, in milliseconds, after which {@link DataStore.check} fails. A connection would take
 * longer to fail.
 */
const CHECK_MS = 2_000

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new StoreError(`PostgreSQL has not answered for ${ms} ms.`)),
    ms,
  )
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function createTables(
  connections: Connections,
  now: () => Sql,
  lastEntry: () => number | undefined,
): SqlTables {
  const engine = createDatabase(connections)
  const addEntry = createAddEntry(engine)
  const settled = followSettled(connections)
  const rare = createRareTables(engine)
  const users = createFrequentTable(engine, connections, textlessUsers, writeText)
  const credentials = createFrequentTable(engine, connections, credentialsTable)
  return {
    ...rare,
    tenants: {
      ...rare.tenants,
      // Users are erased outside of a rare write, because after a rare write every process reloads its caches.
      async erase(id, limit, audit) {
        if ((await eraseUsers(connections, id, limit)) === limit) return true
        return rare.tenants.erase(id, limit, audit)
      },
    },
    apiKeys: {
      ...rare.apiKeys,
      async touch(id, at) {
        await connections.write(sql`update api_keys set last_used_at = ${at} where id = ${id}`)
      },
    },
    users: createUsers(
      engine,
      users,
      (row) => [insertFurther('credentials', row)],
      (effect) => [
        countEffect(effect, sql`select tenant_id as of_tenant, id as of_user from written`),
      ],
      {
        insertMany: createInsertMany(connections),
        updateAccount: createUpdateAccount(connections),
        ...createReadAccount(engine),
      },
    ),
    // `rev` is raised, so that an update of the user in progress starts over and does not restore
    // the earlier `sessions_valid_after`.
    credentials: createCredentials(engine, credentials, (at, tenantId, userId) => [
      sql`update users
          set sessions_valid_after = greatest(users.sessions_valid_after, ${at}), rev = users.rev + 1
          from written where users.tenant_id = ${tenantId} and users.id = ${userId}
          returning users.tenant_id, users.id`,
      // The row of the user is locked first, as in other writes, to avoid deadlocks.
      countEffect('ruled', sql`select tenant_id as of_tenant, id as of_user from further1`),
    ]),
    legacyPasswords: createLegacyPasswords(engine),
    audit: createPostgresAudit(engine, addEntry, connections, settled, lastEntry),
    restores: createRestores(engine, addEntry, {
      continueFrom: (id) => sql`select setval('audit_id_seq', ${id})`,
      touchUser: sql`, rev = rev + 1`,
    }),
    cursors: createPostgresCursors(connections, settled, lastEntry),
    // Jobs are written outside of a rare write, because after a rare write every process reloads
    // its caches.
    jobs: createJobs({
      reader: engine.reader,
      async run(statement, audit) {
        if (!audit) return (await connections.write(statement)).rows
        const audited = insertFurther('audit', auditRow(audit))
        const both = sql<Row<'jobs'>>`with written as (${statement}), audited as (${audited})
          select ${every('jobs')} from written`
        return (await connections.write(both)).rows
      },
      now,
      skipLocked: sql`for update skip locked`,
    }),
    mailDays: createMailDays({ reader: engine.reader, run: connections.write }),
  }
}
