import type { WebhookStore } from '../../ports.ts'
import type { Webhook, WebhookEnd } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'
import { type AddEntry, createTable, inTenant } from '../table.ts'

/** Creates the {@link WebhookStore} of an SQL database. */
export function createWebhooks(engine: Engine, addEntry: AddEntry): WebhookStore {
  const { reader, writer, json } = engine
  const table = createTable(engine, addEntry, {
    name: 'webhooks',
    key: ['tenant_id', 'id'],
    parent: inTenant,
    toRow,
    fromRow,
  })
  const all = sql<Row<'webhooks'>>`select ${every('webhooks')} from webhooks`
  async function ofTenants(ids: readonly string[], { all: read } = reader): Promise<Webhook[]> {
    const rows = await read(sql<Row<'webhooks'>>`${all}
      where tenant_id in ${json.items(JSON.stringify(ids))} order by created_at, id`)
    return rows.map(fromRow)
  }
  return {
    insert: (webhook, audit, check) =>
      table.insert(webhook, audit, undefined, async () => {
        check?.(await ofTenants([webhook.tenantId], writer))
        return true
      }),
    get: table.byId,
    list: (tenantId) => ofTenants([tenantId]),
    all: async () => (await reader.all(all)).map(fromRow),
    ofTenants: (ids) => ofTenants(ids),
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

function toRow(webhook: Webhook): Row<'webhooks'> {
  return {
    tenant_id: webhook.tenantId,
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    types: JSON.stringify(webhook.types),
    metadata: JSON.stringify(webhook.metadata),
    disabled: webhook.disabled ?? null,
    sealed_secret: webhook.sealedSecret,
    earlier_secret: webhook.earlierSecret?.sealed ?? null,
    earlier_secret_until: webhook.earlierSecret?.until ?? null,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  }
}

/** Makes the webhook endpoint from a row. */
export function fromRow(row: Row<'webhooks'>): Webhook {
  const { earlier_secret: sealed, earlier_secret_until: until } = row
  return {
    id: row.id,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    url: row.url,
    description: row.description,
    types: JSON.parse(row.types),
    metadata: JSON.parse(row.metadata),
    disabled: (row.disabled as WebhookEnd | null) ?? undefined,
    sealedSecret: row.sealed_secret,
    earlierSecret: sealed === null || until === null ? undefined : { sealed, until },
  }
}
