import type { ApplicationStore } from '../ports.ts'
import type { Application } from '../records.ts'
import { listingOf } from './listing.ts'
import { prepared } from './prepared.ts'
import type { ApplicationRow } from './schema.ts'
import type { Tables } from './tables.ts'

/** The applications of a SQLite store. */
export function createApplications(tables: Tables): ApplicationStore {
  const { reader, writer, write, record, count } = tables
  const byId = prepared(reader, 2, (tenantId: string, id: string) =>
    reader
      .selectFrom('applications')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id),
  )
  const current = prepared(writer, 2, (tenantId: string, id: string) =>
    writer
      .selectFrom('applications')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id),
  )
  // One statement, so that the total and the page are of one moment.
  const page = prepared(
    reader,
    4,
    (scope: string, tenantId: string, after: string, limit: number) =>
      reader
        .selectFrom('counters')
        .leftJoin(
          reader
            .selectFrom('applications')
            .selectAll()
            .where('tenant_id', '=', tenantId)
            .where('id', '>', after)
            .orderBy('id')
            .limit(limit)
            .as('page'),
          (join) => join.onTrue(),
        )
        .where('scope', '=', scope)
        .select('value as total')
        .selectAll('page')
        .orderBy('page.id'),
  )

  return {
    insert: (application, audit) =>
      write(async () => {
        if (!(await tables.tenantExists(application.tenantId))) return { kind: 'missing' }
        await writer.insertInto('applications').values(toRow(application)).execute()
        await count(`applications:${application.tenantId}`, 1)
        await record(audit)
        return { kind: 'written', record: application }
      }),

    async get(tenantId, id) {
      const [row] = await byId(tenantId, id)
      return row && fromRow(row)
    },

    async list(tenantId, { after = '', limit }) {
      const rows = await page(`applications:${tenantId}`, tenantId, after, limit + 1)
      return rows.length === 0 ? undefined : listingOf(rows, limit, fromRow)
    },

    update: (tenantId, id, change, audit) =>
      write(async () => {
        const [row] = await current(tenantId, id)
        if (!row) return { kind: 'missing' }
        const before = fromRow(row)
        const after = change(before)
        if (after === before) return { kind: 'unchanged', record: after }
        await writer
          .updateTable('applications')
          .set(toRow(after))
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .execute()
        await record(audit)
        return { kind: 'written', record: after }
      }),

    delete: (tenantId, id, audit) =>
      write(async () => {
        const [row] = await current(tenantId, id)
        if (!row) return { kind: 'missing' }
        await writer
          .deleteFrom('applications')
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .execute()
        await count(`applications:${tenantId}`, -1)
        await record(audit)
        return { kind: 'written', record: fromRow(row) }
      }),
  }
}

function toRow(application: Application): ApplicationRow {
  return {
    tenant_id: application.tenantId,
    id: application.id,
    name: application.name,
    sealed_secret: application.sealedSecret,
    login_url: application.loginUrl,
    logout_urls: JSON.stringify(application.logoutUrls),
    redirect_urls: JSON.stringify(application.redirectUrls),
    metadata: JSON.stringify(application.metadata),
    created_at: application.createdAt,
    updated_at: application.updatedAt,
  }
}

function fromRow(row: ApplicationRow): Application {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: JSON.parse(row.metadata),
    sealedSecret: row.sealed_secret,
    loginUrl: row.login_url,
    logoutUrls: JSON.parse(row.logout_urls),
    redirectUrls: JSON.parse(row.redirect_urls),
  }
}
