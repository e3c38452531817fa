import { userCounter } from '../sql/users.ts'
import type { Connections } from './connections.ts'
import { draft } from './statement.ts'

/** Erases at most `limit` users of a deleted tenant; answers how many. */
export async function eraseUsers(
  connections: Connections,
  tenantId: string,
  limit: number,
): Promise<number> {
  const one = draft()
  const tenant = one.bind(tenantId)
  const { rowCount } = await connections.write(
    one.as(`with erased as (
        delete from users where tenant_id = ${tenant} and id in (
          select users.id from users
          join tenants on tenants.id = users.tenant_id and tenants.deleted_at is not null
          where tenant_id = ${tenant} order by users.id limit ${one.bind(limit)})
        returning id),
      counted as (update counter_shards set n = n - (select count(*) from erased)
        where scope = ${one.bind(userCounter(tenantId))} and shard = 0)
      select id from erased`),
  )
  return rowCount ?? 0
}
