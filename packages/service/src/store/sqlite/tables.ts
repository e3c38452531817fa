import type { AuditEntry } from '../records.ts'
import type { Database } from './database.ts'
import type { SqliteKysely } from './dialect.ts'
import { prepared, preparedInsert } from './prepared.ts'
import type { AuditRow, Schema } from './schema.ts'

type AuditInsert = Omit<AuditRow, 'id'>

/** What the parts of the SQLite store share. */
export interface Tables {
  readonly reader: SqliteKysely<Schema>
  /** Only inside {@link Tables.write}. */
  readonly writer: SqliteKysely<Schema>
  /** Runs `work` atomically and resolves when it is durable. */
  write<T>(work: () => Promise<T>): Promise<T>
  /** Adds to the audit log, inside {@link Tables.write}. */
  record(entry: AuditEntry): Promise<unknown>
  /** Inside {@link Tables.write}. */
  tenantExists(id: string): Promise<boolean>
  /** Adds `by` to the counter of `scope`, inside {@link Tables.write}. */
  count(scope: string, by: number): Promise<unknown>
}

/** The shared part, over an open database. */
export function createTables({ reader, writer, commits }: Database): Tables {
  const count = prepared(writer, 2, (scope: string, by: number) =>
    writer
      .insertInto('counters')
      .values({ scope, value: by })
      .onConflict((conflict) =>
        conflict
          .column('scope')
          .doUpdateSet((eb) => ({ value: eb('counters.value', '+', eb.ref('excluded.value')) })),
      ),
  )
  const insertAudit = preparedInsert<'audit', AuditInsert>(writer, 'audit', [
    'at',
    'tenant_id',
    'actor',
    'request_id',
    'action',
    'target',
  ])
  const tenant = prepared(writer, 1, (id: string) =>
    writer.selectFrom('tenants').select('id').where('id', '=', id),
  )

  return {
    reader,
    writer,
    write: (work) => commits.write(work),
    count,
    tenantExists: async (id) => (await tenant(id)).length > 0,
    record: ({ tenantId, requestId, ...entry }) =>
      insertAudit({ ...entry, tenant_id: tenantId ?? null, request_id: requestId ?? null }),
  }
}
