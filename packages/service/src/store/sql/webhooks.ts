import type { WebhookStore } from '../ports.ts'
import type { Webhook, WebhookEnd } from '../records.ts'
import type { Record } from './audit.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { prepared } from './prepared.ts'
import type { WebhookRow } from './schema.ts'
import { createTable, inTenant } from './table.ts'

/** The endpoints of an SQL store. */
export function createWebhooks(engine: Engine, record: Record): WebhookStore {
  const { reader, json } = engine
  const table = createTable<Webhook>(engine, record, {
    name: 'webhooks',
    key: ['tenant_id', 'id'],
    parent: inTenant,
    toRow,
    fromRow,
  })
  const ofTenants = prepared(reader, 1, (tenantIds: string) =>
    reader
      .selectFrom('webhooks')
      .select(columns.webhooks)
      .where('tenant_id', 'in', json.items(tenantIds))
      .orderBy('created_at')
      .orderBy('id'),
  )
  const listOf = async (ids: readonly string[]) =>
    (await ofTenants(JSON.stringify(ids))).map(fromRow)
  return {
    insert: (webhook, audit) => table.insert(webhook, audit),
    get: table.byId,
    list: (tenantId) => listOf([tenantId]),
    all: async () =>
      (await reader.selectFrom('webhooks').select(columns.webhooks).execute()).map(fromRow),
    ofTenants: listOf,
    update: (tenantId, id, change, audit) => table.update([tenantId, id], change, audit),
    delete: (tenantId, id, audit) => table.delete([tenantId, id], audit),
  }
}

function toRow(webhook: Webhook): WebhookRow {
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

/** A row as an endpoint. */
export function fromRow(row: WebhookRow): Webhook {
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
