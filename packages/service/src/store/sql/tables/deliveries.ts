import { WEBHOOKS } from '../../cursors.ts'
import {
  DELIVERIES_KEPT_DAYS,
  type Delivery,
  type DeliveryStore,
  LANE_AT_ONCE,
  type Lane,
  type LaneLimits,
  type LaneShare,
  MAX_WEBHOOKS,
  type NewDelivery,
  NOT_DUE,
} from '../../deliveries.ts'
import { within } from '../../queue-times.ts'
import { columnsOf, every, type Row } from '../schema.ts'
import { type Sql, sql } from '../sql.ts'
import { fromRow as toWebhook } from './webhooks.ts'

/** The interface of a database for the deliveries. */
export interface DeliveryDatabase {
  read<R>(query: Sql<R>): Promise<R[]>
  /** Runs one statement as a transaction of its own. */
  write<R>(query: Sql<R>): Promise<R[]>
  /** The expression for the current time, from a clock that all processes share. */
  now(): Sql
  /** A subquery that reads a JSON array of objects as a table. */
  table(json: string, columns: { [name: string]: 'text' | 'bigint' }): Sql
  /** The expression that makes a JSON array of objects from rows. */
  jsonRows(columns: readonly string[], from: Sql): Sql
  /** The end of a query that locks its rows against writes of other processes. */
  readonly locked: Sql
  /** The end of a query that locks its rows, and skips rows that another process has locked. */
  readonly skipLocked: Sql
}

type DeliveryRow = Row<'deliveries'>

type DueRow = DeliveryRow & { age: number }

type LaneRow = Row<'webhooks'> & {
  fence: number
  version: number
  failing: number | null
  due: string
}

/** The parts of a lane that statements need. `id`: the id of the endpoint. */
interface LaneGiven {
  id: string
  fence: number
  version: number
}

const all = every('deliveries')

/**
 * The microseconds by which the clocks of two processes may differ. They matter when times from two
 * processes are compared.
 */
const CLOCKS_APART = 600 * 1e6

/** The maximum number of rows that one statement deletes. */
const PRUNE_BATCH = 1_000

/** Creates the {@link DeliveryStore} of an SQL database. */
export function createDeliveries(db: DeliveryDatabase): DeliveryStore {
  return {
    ...createAdding(db),
    ...createClaims(db),
    ...createOutcomes(db),
    ...createMissed(db),
    ...createKept(db),
  }
}

/** Makes the methods that add deliveries. */
function createAdding(db: DeliveryDatabase): Pick<DeliveryStore, 'add' | 'addAgain'> {
  const { write, now, table } = db

  async function add(
    deliveries: readonly Omit<NewDelivery, 'entry'>[],
    rows: readonly object[],
    { isNew, onConflict }: { isNew: Sql; onConflict: Sql },
  ): Promise<void> {
    if (deliveries.length === 0) return
    const added = table(
      JSON.stringify(
        deliveries.map(({ webhookId, eventId, type, body }, position) => ({
          ...{ webhook_id: webhookId, event_id: eventId, type, body, position },
          ...rows[position],
        })),
      ),
      {
        ...{ webhook_id: 'text', event_id: 'text', type: 'text', body: 'text' },
        ...{ position: 'bigint', entry_id: 'bigint', entry_at: 'bigint' },
      },
    )
    // The `join` skips endpoints that were deleted since. Without `order by`, PostgreSQL could
    // insert the deliveries in another order than that of the log.
    await write(sql`insert into deliveries (webhook_id, event_id, type, body, created_at, due_at)
      select added.webhook_id, added.event_id, added.type, added.body, ${now()}, ${now()}
      from ${added} as added join webhooks on webhooks.id = added.webhook_id
      where ${isNew} order by added.position
      on conflict (webhook_id, event_id) ${onConflict}`)
    const ids = [...new Set(deliveries.map(({ webhookId }) => webhookId))]
    const named = table(JSON.stringify(ids.map((id) => ({ id }))), { id: 'text' })
    // `due_at` gets a new value each time, so that a process that releases the lane notices the
    // change.
    await write(sql`update webhooks
      set due_at = case when webhooks.due_at > ${now()} then ${now()} else webhooks.due_at + 1 end
      from (select lane.id from webhooks as lane join ${named} as named on named.id = lane.id
        order by lane.id ${db.locked}) as ours
      where webhooks.id = ours.id`)
  }

  return {
    add: (deliveries) =>
      add(
        deliveries,
        deliveries.map(({ entry }) => ({ entry_id: entry.id, entry_at: entry.at })),
        {
          isNew: sql`(added.entry_at > webhooks.created_at + ${CLOCKS_APART} or added.entry_id > coalesce(
            (select max(audit.id) from audit
              where audit.target = webhooks.id and audit.action = 'webhook.create'), 0))`,
          onConflict: sql`do nothing`,
        },
      ),

    addAgain: (deliveries) =>
      add(deliveries, [], {
        isNew: sql`1 = 1`,
        onConflict: sql`do update set outcome = null, attempts = 0, due_at = ${now()},
          created_at = case when deliveries.created_at < ${now()} then ${now()} else deliveries.created_at + 1 end`,
      }),
  }
}

/**
 * Makes the methods that take lanes, extend their leases, and free lanes after the clock was set
 * back.
 */
function createClaims(db: DeliveryDatabase): Pick<DeliveryStore, 'claim' | 'renew' | 'recall'> {
  const { write, now, table } = db
  const isFree = () => sql`due_at <= ${now()} and held_until <= ${now()} and disabled is null`

  /**
   * The query for the ids of at most `most` free lanes of a kind, the longest waiting first. `nth`
   * counts the lanes of each tenant, including lanes that this process already holds. It limits the
   * lanes of a tenant to `ofTenant`.
   */
  const freeWithinShares = (
    isOfKind: Sql,
    kind: Sql,
    { ofTenant, held }: LaneShare,
    most: number,
  ) => {
    // Tenants that have used up their share are excluded before the limit. Otherwise, their lanes
    // could fill it.
    const full = [...held].flatMap(([id, n]) => (n >= ofTenant ? [{ id }] : []))
    const taken = table(JSON.stringify([...held].map(([id, n]) => ({ id, n }))), {
      ...{ id: 'text', n: 'bigint' },
    })
    return sql`select id from (
      select found.id, coalesce(taken.n, 0) + row_number() over (
        partition by found.tenant_id order by found.due_at) as nth
      from (select id, tenant_id, due_at from webhooks where ${isFree()} and ${isOfKind}
          and tenant_id not in (select id from ${table(JSON.stringify(full), { id: 'text' })} as full_ones)
        order by due_at limit ${most}) as found
      left join ${taken} as taken on taken.id = found.tenant_id
    ) as ${kind} where nth <= ${ofTenant}`
  }

  return {
    async claim(limit, seconds, limits = unlimited(limit)) {
      const due = db.jsonRows(
        [...columnsOf('deliveries'), 'age'],
        sql`(select ${all}, (${now()} - created_at) / 1000000 as age from deliveries
          where webhook_id = webhooks.id and outcome is null and due_at <= ${now()}
          order by due_at, id limit ${LANE_AT_ONCE})`,
      )
      const { quick, failing, moreFailing } = limits
      const isQuick = sql`failing_since is null`
      const isFailing = sql`failing_since is not null`
      const rows = await write(sql<LaneRow>`update webhooks
        set held_until = ${now()} + ${seconds * 1e6}, fence = fence + 1
        where (tenant_id, id) in (select tenant_id, id from webhooks
          where ${isFree()} and id in (
            ${freeWithinShares(isQuick, sql`quick`, quick, limit * MAX_WEBHOOKS)} union all
            ${freeWithinShares(isFailing, sql`failing`, failing, moreFailing)})
          order by ${isFailing}, due_at limit ${limit} ${db.skipLocked})
        returning ${every('webhooks')}, fence, due_at as version,
          (${now()} - failing_since) / 1000000 as failing, ${due} as due`)
      return rows.map((row) => ({
        webhook: toWebhook(row),
        due: (JSON.parse(row.due) as DueRow[]).map((one) => ({ ...toDelivery(one), age: one.age })),
        fence: row.fence,
        version: row.version,
        failingSeconds: row.failing ?? undefined,
      }))
    },

    async renew(lanes, seconds) {
      await write(sql`update webhooks set held_until = ${now()} + ${seconds * 1e6}
        from ${held(
          db,
          lanes.map((lane) => givenOf(lane)),
        )} as ours where webhooks.id = ours.id`)
    },

    async recall(leaseSeconds, longestPauseSeconds) {
      await write(sql`update deliveries set due_at = ${now()} where outcome is null
        and due_at > ${now()} + ${within(0)} and (attempts = 0 or tried_at > ${now()} + ${within(0)})`)
      const isFailing = sql`coalesce(lane.failing_since <= ${now()}, 1 = 0)`
      const rows = await write(sql`update webhooks set held_until = 0,
          due_at = case when webhooks.due_at = ${NOT_DUE} then ${NOT_DUE} else ${now()} end,
          failing_since = case when failing_since > ${now()} then ${now()} else failing_since end
        from (select lane.id from webhooks as lane
          where lane.held_until > ${now()} + ${within(longestPauseSeconds)}
            or (lane.held_until > ${now()} + ${within(leaseSeconds)} and not ${isFailing})
            or (lane.due_at > ${now()} and lane.due_at < ${NOT_DUE} and exists (select 1 from deliveries
              where webhook_id = lane.id and outcome is null and due_at <= ${now()}))
          order by lane.id ${db.locked}) as ours
        where webhooks.id = ours.id returning webhooks.id`)
      return rows.length
    },
  }
}

/** Makes the methods that store the results of attempts and release lanes. */
function createOutcomes(db: DeliveryDatabase): Pick<DeliveryStore, 'finish' | 'release'> {
  const { write, now, table } = db
  return {
    async finish(attempts) {
      if (attempts.length === 0) return
      const rows = attempts.map(({ waitSeconds, createdAt, ...rest }) => ({
        ...rest,
        created: createdAt,
        wait: Math.round(waitSeconds * 1e6),
      }))
      const tried = table(JSON.stringify(rows), {
        ...{ id: 'bigint', created: 'bigint', status: 'bigint', millis: 'bigint', wait: 'bigint' },
        ...{ reason: 'text', outcome: 'text' },
      })
      await write(sql`update deliveries set attempts = attempts + 1, tried_at = ${now()},
          status = tried.status, reason = tried.reason, millis = tried.millis,
          outcome = tried.outcome, due_at = ${now()} + tried.wait
        from ${tried} as tried where deliveries.id = tried.id and deliveries.created_at = tried.created
          and deliveries.outcome is null`)
    },

    async release(releases) {
      const given = releases.map(({ lane, pauseSeconds, isFailing }) => ({
        ...givenOf(lane),
        pause: Math.round(pauseSeconds * 1e6),
        failing: isFailing === undefined ? null : Number(isFailing),
      }))
      // `due_at` is both the due time of the next delivery and the version of the lane. If `due_at`
      // has changed since the claim, a delivery was added that this statement may not see, so the
      // lane is due at once.
      const rows = await write(sql<{ id: string; due: number; held: number }>`update webhooks
        set held_until = ${now()} + ours.pause, fence = fence + 1,
          failing_since = case ours.failing when 0 then null
            when 1 then coalesce(failing_since, ${now()}) else failing_since end,
          due_at = case when webhooks.due_at <> ours.version then ${now()} else coalesce(
            (select min(deliveries.due_at) from deliveries
              where deliveries.webhook_id = webhooks.id and outcome is null), ${NOT_DUE}) end
        from ${held(db, given)} as ours where webhooks.id = ours.id
        returning webhooks.id, due_at - ${now()} as due, held_until - ${now()} as held`)
      const seconds = new Map(
        rows.map(({ id, due, held: pause }) => [
          id,
          due > NOT_DUE / 2 ? undefined : Math.max(0, due, pause) / 1e6,
        ]),
      )
      return releases.map(({ lane }) => seconds.get(lane.webhook.id))
    },
  }
}

/** Makes the methods that record missed events and end the pause of endpoints. */
function createMissed({
  read,
  write,
  now,
}: DeliveryDatabase): Pick<DeliveryStore, 'miss' | 'missed' | 'madeUp' | 'resume'> {
  return {
    async miss(webhookId) {
      // `missing_from` gets a new value each time, so that a process that is adding missed events
      // notices the change.
      await write(sql`update webhooks set missing_from = coalesce(missing_from - 1,
        (select min(position) from cursors where reader = ${WEBHOOKS})) where id = ${webhookId}`)
    },

    async missed() {
      const rows = await read(sql<Row<'webhooks'> & { missing_from: number }>`
        select ${every('webhooks')}, missing_from from webhooks
        where missing_from is not null and disabled is null`)
      return rows.map((row) => ({ webhook: toWebhook(row), from: row.missing_from }))
    },

    async madeUp({ webhook: { id }, from }, to) {
      const rows = await write(sql`update webhooks set missing_from = ${to ?? null}
        where id = ${id} and missing_from = ${from} and disabled is null returning id`)
      return rows.length > 0
    },

    async resume(webhookId) {
      await write(
        sql`update webhooks set failing_since = null, held_until = 0, due_at = ${now()} where id = ${webhookId}`,
      )
    },
  }
}

/** Makes the methods that list, read, count and prune deliveries. */
function createKept({
  read,
  write,
  now,
}: DeliveryDatabase): Pick<DeliveryStore, 'list' | 'get' | 'backlog' | 'prune'> {
  return {
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
      // Through all ids, because a delivery that was sent again is young and has a low id.
      for (let after = 0; ; ) {
        const [part] = await read(sql<{ last: number | null; expired: number }>`
          select max(id) as last, count(case when created_at < ${old} then 1 end) as expired
          from (select id, created_at from deliveries where id > ${after} order by id limit ${PRUNE_BATCH}) as part`)
        const last = part?.last ?? undefined
        if (last === undefined) break
        if (part?.expired) {
          await write(sql`delete from deliveries
            where id > ${after} and id <= ${last} and created_at < ${old}`)
        }
        after = last
      }
      await write(sql`delete from webhooks
        where not exists (select 1 from tenants where tenants.id = webhooks.tenant_id)
          and not exists (select 1 from deliveries
            where deliveries.webhook_id = webhooks.id and outcome is null)`)
    },
  }
}

/**
 * The subquery for the lanes that this process still holds, whose fence is unchanged. It locks the
 * lanes in the order of their ids, to avoid deadlocks.
 */
function held({ table, locked }: DeliveryDatabase, lanes: readonly LaneGiven[]): Sql {
  const given = table(JSON.stringify(lanes), {
    ...{ id: 'text', fence: 'bigint', version: 'bigint', pause: 'bigint', failing: 'bigint' },
  })
  return sql`(select lane.id, given.version, given.pause, given.failing
    from webhooks as lane join ${given} as given on given.id = lane.id and given.fence = lane.fence
    order by lane.id ${locked})`
}

/** The limits for a process that takes all due lanes. */
function unlimited(limit: number): LaneLimits {
  const share = { ofTenant: MAX_WEBHOOKS, held: new Map<string, number>() }
  return { quick: share, failing: share, moreFailing: limit }
}

function givenOf({ webhook: { id }, fence, version }: Lane): LaneGiven {
  return { id, fence, version }
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
