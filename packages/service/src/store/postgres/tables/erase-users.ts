import { sql } from '../../sql/sql.ts'
import { userCounter } from '../../sql/tables/users.ts'
import type { Connections } from '../connections.ts'

/** Erases at most `limit` users of a deleted tenant. Resolves to the number of erased users. */
export async function eraseUsers(
  connections: Connections,
  tenantId: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await connections.write(sql`with erased as (
      delete from users where tenant_id = ${tenantId} and id in (
        select users.id from users
        join tenants on tenants.id = users.tenant_id and tenants.deleted_at is not null
        where tenant_id = ${tenantId} order by users.id limit ${limit})
      returning id),
    counted as (update counter_shards set n = n - (select count(*) from erased)
      where scope = ${userCounter(tenantId)} and shard = 0)
    select id from erased`)
  return rowCount ?? 0
}
