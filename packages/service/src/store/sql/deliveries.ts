import {
  DELIVERIES_KEPT_DAYS,
  type Delivery,
  type DeliveryStore,
  type NewDelivery,
  NOT_DUE,
} from '../deliveries.ts'
import { every, type Row } from './schema.ts'
import { type Sql, sql } from './sql.ts'

/** A database as the deliveries use it. */
export interface DeliveryDatabase {
  read<R>(query: Sql<R>): Promise<R[]>
  /** Runs one statement as a transaction of its own. */
  write<R>(query: Sql<R>): Promise<R[]>
  /** The time now, by a clock that all processes share. */
  now(): Sql
  /** A JSON array of objects as a table. */
  table(json: string, columns: { [name: string]: 'text' | 'bigint' }): Sql
  /** Passes over rows that another process is about to write. */
  readonly skipLocked: Sql
}

type DeliveryRow = Row<'deliveries'>

const all = every('deliveries')

/** How many rows one statement removes. */
const PRUNE_BATCH = 1_000

/** The deliveries of an SQL store. */
export function createDeliveries(db: DeliveryDatabase): DeliveryStore {
  const { read, write, now, table } = db

  function rowsOf(deliveries: readonly NewDelivery[]): Sql {
    const rows = deliveries.map(({ webhookId, eventId, ...rest }, position) => ({
      ...rest,
      position,
      webhook_id: webhookId,
      event_id: eventId,
    }))
    const texts = { webhook_id: 'text', event_id: 'text', type: 'text', body: 'text' } as const
    return table(JSON.stringify(rows), { ...texts, position: 'bigint' })
  }

  async function add(deliveries: readonly NewDelivery[], onConflict: Sql) {
    if (deliveries.length === 0) return
    // An endpoint may have been deleted since. Without an order, PostgreSQL may join in another one than the log's.
    await write(sql`insert into deliveries (webhook_id, event_id, type, body, created_at, due_at)
      select added.webhook_id, added.event_id, added.type, added.body, ${now()}, ${now()}
      from ${rowsOf(deliveries)} as added
      where exists (select 1 from webhooks where webhooks.id = added.webhook_id)
      order by added.position
      on conflict (webhook_id, event_id) ${onConflict}`)
    const ids = [...new Set(deliveries.map(({ webhookId }) => webhookId))]
    const named = table(JSON.stringify(ids.map((id) => ({ id }))), { id: 'text' })
    await write(sql`update webhooks set due_at = ${now()}
      where due_at > ${now()} and id in (select named.id from ${named} as named)`)
  }

  return {
    add: (deliveries) => add(deliveries, sql`do nothing`),

    addAgain: (deliveries) =>
      add(
        deliveries,
        sql`do update set outcome = null, attempts = 0, due_at = ${now()}, created_at = ${now()}`,
      ),

    async claim(limit, seconds) {
      const rows = await write(sql<{
        tenant_id: string
        id: string
        fence: number
        failing: number | null
      }>`update webhooks set held_until = ${now()} + ${seconds * 1e6}, fence = fence + 1
        where (tenant_id, id) in (select tenant_id, id from webhooks
          where due_at <= ${now()} and held_until <= ${now()} and disabled is null
          order by due_at limit ${limit} ${db.skipLocked})
        returning tenant_id, id, fence, (${now()} - failing_since) / 1000000 as failing`)
      return rows.map(({ tenant_id, id, fence, failing }) => ({
        tenantId: tenant_id,
        webhookId: id,
        fence,
        failingSeconds: failing ?? undefined,
      }))
    },

    async renew({ webhookId, fence }, seconds) {
      const rows = await write(
        sql`update webhooks set held_until = ${now()} + ${seconds * 1e6}
          where id = ${webhookId} and fence = ${fence} returning id`,
      )
      return rows.length > 0
    },

    async release({ webhookId, fence }, pauseSeconds) {
      const [row] = await write(sql<{ due: number; held: number }>`update webhooks
        set held_until = ${now()} + ${Math.round(pauseSeconds * 1e6)},
          due_at = coalesce((select min(deliveries.due_at) from deliveries
            where deliveries.webhook_id = webhooks.id and outcome is null), ${NOT_DUE})
        where id = ${webhookId} and fence = ${fence}
        returning due_at - ${now()} as due, held_until - ${now()} as held`)
      if (!row || row.due > NOT_DUE / 2) return undefined
      return Math.max(0, row.due, row.held) / 1e6
    },

    async due(webhookId, limit) {
      const rows = await read(sql<DeliveryRow & { age: number }>`
        select ${all}, (${now()} - created_at) / 1000000 as age from deliveries
        where webhook_id = ${webhookId} and outcome is null and due_at <= ${now()}
        order by due_at, id limit ${limit}`)
      return rows.map((row) => ({ ...toDelivery(row), age: row.age }))
    },

    async finish(attempts) {
      const rows = attempts.map(({ waitSeconds, ...rest }) => ({
        ...rest,
        wait: Math.round(waitSeconds * 1e6),
      }))
      const tried = table(JSON.stringify(rows), {
        ...{ id: 'bigint', status: 'bigint', millis: 'bigint', wait: 'bigint' },
        ...{ reason: 'text', outcome: 'text' },
      })
      await write(sql`update deliveries set attempts = attempts + 1, tried_at = ${now()},
          status = tried.status, reason = tried.reason, millis = tried.millis,
          outcome = tried.outcome, due_at = ${now()} + tried.wait
        from ${tried} as tried where deliveries.id = tried.id and deliveries.outcome is null`)
    },

    async setFailing(webhookId, isFailing) {
      await write(
        isFailing
          ? sql`update webhooks set failing_since = ${now()} where id = ${webhookId} and failing_since is null`
          : sql`update webhooks set failing_since = null where id = ${webhookId} and failing_since is not null`,
      )
    },

    async resume(webhookId) {
      await write(
        sql`update webhooks set failing_since = null, held_until = 0, due_at = ${now()} where id = ${webhookId}`,
      )
    },

    async list(webhookId, { state, before = Number.MAX_SAFE_INTEGER, limit }) {
      const isIn =
        state === undefined
          ? sql`1 = 1`
          : state === 'waiting'
            ? sql`outcome is null`
            : sql`outcome = ${state}`
      const rows = await read(sql<DeliveryRow>`select ${all} from deliveries
        where webhook_id = ${webhookId} and id < ${before} and ${isIn} order by id desc limit ${limit}`)
      return rows.map(toDelivery)
    },

    async get(webhookId, id) {
      const [row] = await read(sql<DeliveryRow>`select ${all} from deliveries
        where webhook_id = ${webhookId} and id = ${id}`)
      return row && toDelivery(row)
    },

    async backlog() {
      const [row] = await read(sql<{ waiting: number; oldest: number | null }>`
        select count(*) as waiting, (${now()} - min(deliveries.created_at)) / 1000000 as oldest
        from deliveries join webhooks on webhooks.id = deliveries.webhook_id
        where outcome is null and webhooks.disabled is null`)
      return { waiting: row?.waiting ?? 0, oldestAge: row?.oldest ?? 0 }
    },

    async prune() {
      const old = sql`${now()} - ${DELIVERIES_KEPT_DAYS * 86_400 * 1e6}`
      for (let removed = PRUNE_BATCH; removed === PRUNE_BATCH; ) {
        const rows = await write(sql`delete from deliveries where id in (
          select id from (select id, created_at from deliveries order by id limit ${PRUNE_BATCH}) as first
          where created_at < ${old}) returning id`)
        removed = rows.length
      }
      await write(sql`delete from webhooks
        where not exists (select 1 from tenants where tenants.id = webhooks.tenant_id)
          and not exists (select 1 from deliveries
            where deliveries.webhook_id = webhooks.id and outcome is null)`)
    },
  }
}

function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    type: row.type,
    body: row.body,
    createdAt: row.created_at,
    dueAt: row.due_at,
    attempts: row.attempts,
    triedAt: row.tried_at ?? undefined,
    status: row.status ?? undefined,
    reason: row.reason ?? undefined,
    millis: row.millis ?? undefined,
    outcome: row.outcome ?? undefined,
  }
}
