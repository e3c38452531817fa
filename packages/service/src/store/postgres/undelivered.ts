import {
  FAILED_CONDITION,
  type MessageQueue,
  STATE_CONDITIONS,
  UNDELIVERED_READ,
  type UndeliveredRow,
} from '../protocol-store.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'

/** The query of {@link MessageQueue.undelivered}. */
export function undeliveredIn(
  queue: Sql,
  ...[tenantIds, since]: Parameters<MessageQueue['undelivered']>
): Sql<UndeliveredRow> {
  const failed = failedIn(queue, tenantIds)
  const found =
    since === undefined
      ? failed
      : sql`(${failed}) union all (${givenUpIn(queue, tenantIds, since)})`
  return sql<UndeliveredRow>`select tenant_id, state, n, is_more, answer
    from (${found}) as found order by at desc`
}

type TenantIds = Parameters<MessageQueue['undelivered']>[0]

function failedIn(queue: Sql, tenantIds: TenantIds): Sql {
  const isFailed = sql`tenant_id = tenants.id and ${raw(FAILED_CONDITION)}`
  return sql`${tenantsWith(queue, FAILED_CONDITION, tenantIds)}
    select tenants.id as tenant_id, 'waiting' as state, counted.n, counted.n = share.size as is_more,
      last.answer, last.due_at as at
    from tenants cross join share cross join lateral (
      select count(*) as n from (select 1 from ${queue} where ${isFailed}
        limit (select size from share)) as found
    ) as counted cross join lateral (
      select answer, due_at from ${queue} where ${isFailed} order by due_at desc limit 1
    ) as last`
}

function givenUpIn(queue: Sql, tenantIds: TenantIds, since: number): Sql {
  const isGivenUp = raw(STATE_CONDITIONS.given_up)
  return sql`${tenantsWith(queue, STATE_CONDITIONS.given_up, tenantIds)}, newest as materialized (
      select message.*, message.ended_at >= ${since} and not exists (
        select 1 from ${queue} as later
        where later.tenant_id = message.tenant_id and later.user_id = message.user_id
          and later.created_at > message.created_at
          and later.kind = message.kind and later.outcome = 'sent') as is_open
      from tenants cross join lateral (
        select tenant_id, user_id, kind, created_at, ended_at, answer from ${queue}
        where tenant_id = tenants.id and ${isGivenUp}
        order by created_at desc limit (select size from share)) as message
    )
    select tenant_id, 'given_up', count(*) filter (where is_open) as n,
      count(*) = (select size from share) as is_more,
      (array_agg(answer order by ended_at desc) filter (where is_open))[1] as answer,
      max(ended_at) filter (where is_open) as at
    from newest group by tenant_id having bool_or(is_open)`
}

/**
 * The tables `tenants`, of the tenants with messages of a condition, and `share`, of the number of
 * messages to read for each. Tenants are looked up one after the other in an index, those of
 * `tenantIds` only.
 */
function tenantsWith(queue: Sql, condition: string, tenantIds: TenantIds): Sql {
  const { all, most, least } = UNDELIVERED_READ
  const ids = tenantIds
    ? sql`ids as (
      select distinct given.id from unnest(${tenantIds}::text[]) as given(id)
      where exists (select 1 from ${queue} where tenant_id = given.id and ${raw(condition)}))`
    : sql`ids as (
      select min(tenant_id) as id from ${queue} where ${raw(condition)}
      union all select (select min(tenant_id) from ${queue}
        where ${raw(condition)} and tenant_id > ids.id) from ids where id is not null)`
  return sql`with recursive ${ids}, tenants as materialized (
      select id from ids where id is not null
    ), share as materialized (
      select least(${raw(String(most))}, greatest(${raw(String(least))},
        ${raw(String(all))} / greatest(1, count(*)))) as size from tenants
    )`
}
