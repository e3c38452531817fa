import type { AuditChange, AuditDetails } from '../audit-details.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import type { Queries } from './engine.ts'
import { every, type Row } from './schema.ts'
import { type EngineName, list, once, type Sql, sql } from './sql.ts'

/** The SQL expressions for a member of a JSON column. */
const memberOf: { readonly [Engine in EngineName]: (column: string, member: string) => string } = {
  sqlite: (column, member) => `${column} ->> '$.${member}'`,
  postgres: (column, member) => `${column}::json ->> '${member}'`,
}

/**
 * The SQL expressions for the id of the object in a target. A target may continue with a part such
 * as `/password`.
 */
const objectIn: { readonly [Engine in EngineName]: (target: string) => string } = {
  sqlite: (target) => `substr(${target}, 1, instr(${target} || '/', '/') - 1)`,
  postgres: (target) => `split_part(${target}, '/', 1)`,
}

const named = (name: string, more: string) =>
  `case when coalesce(${name}, '') = '' then ${more} else ${name} || ' (' || ${more} || ')' end`

/**
 * The SQL expressions for the names of an entry's actor and target. `entry`: the name of the
 * entry's row.
 */
function namesOf(engine: EngineName, entry: string): { actor: string; target: string } {
  const label = named(memberOf[engine]('profile', 'name'), 'email')
  const user = (tenant: string, id: string) =>
    `(select ${label} from users where tenant_id = ${tenant} and id = ${id})`
  const of = (table: string, name: string, id: string) =>
    `(select nullif(${name}, '') from ${table} where id = ${id})`
  const within = (table: string, name: string, id: string) =>
    `(select nullif(${name}, '') from ${table} where tenant_id = ${tenant} and id = ${id})`
  const tenant = `coalesce(${entry}.tenant_id, '${SYSTEM_TENANT_ID}')`
  const object = objectIn[engine](`${entry}.target`)
  return {
    actor: `case
      when ${entry}.actor like 'user:%' then ${user(tenant, `substr(${entry}.actor, 6)`)}
      when ${entry}.actor like 'operator:%'
        then ${user(`'${SYSTEM_TENANT_ID}'`, `substr(${entry}.actor, 10)`)}
      when ${entry}.actor like 'key:%' then ${of('api_keys', 'name', `substr(${entry}.actor, 5)`)} end`,
    target: `case substr(${entry}.target, 1, 4)
      when 'usr_' then ${user(tenant, object)}
      when 'ten_' then ${of('tenants', named('name', "replace(domain, id || ' ', '')"), object)}
      when 'app_' then ${within('applications', 'name', object)}
      when 'con_' then ${within('connections', 'name', object)}
      when 'whk_' then ${within('webhooks', named('description', 'url'), object)}
      when 'key_' then ${of('api_keys', 'name', object)} end`,
  }
}

/**
 * The query for the ids of the entries about a user. `byUser`: the query for the ids of the entries
 * of the user's own actions. `id`: the expression for the user's id.
 */
const aboutUser = (id: string) => `select id from audit where target = ${id}
  union all select id from audit where target >= ${id} || '/' and target < ${id} || '0'`
const byUser = (id: string) =>
  `select id from audit where actor in ('user:' || ${id}, 'operator:' || ${id})`
// The column `actor` has another collation than an id. Without `collate`, its index would not be
// used.
const byRemoved = byUser('removed.id collate "default"')

/**
 * The statements that clear the names and values of deleted users in `audit_details`, because the
 * audit log must not show deleted users. `about`: the condition for entries about a deleted user.
 * `by`: the condition for entries of a deleted user's own actions.
 */
const forget = (about: string, by: string) => `
  update audit_details set target = null, changes = null where audit_id ${about};
  update audit_details set actor = null where audit_id ${by};`

/**
 * The condition for the entries that a query finds for the users of one deletion. PostgreSQL looks
 * up the ids in the index if they are an array.
 */
const ofRemoved = (query: string) =>
  `= any(array(select found.id from removed, lateral (${query}) as found))`

/**
 * Locks the rows in the order of their ids, because two deletions of users who acted on each other
 * could otherwise deadlock.
 */
const lockRemoved = `perform from audit_details
  where audit_id ${ofRemoved(`${aboutUser('removed.id')} union all ${byRemoved}`)}
  order by audit_id for update;`

/**
 * The statements that create the triggers for the details of audit entries. The triggers store the
 * names with every entry, even if release 0.2 writes it. The names of a user are erased in the
 * transaction that deletes the user.
 */
export function createAuditTriggers(engine: EngineName): string[] {
  const { actor, target } = namesOf(engine, engine === 'sqlite' ? 'new' : 'added')
  const isNamed = 'actor is not null or target is not null'
  if (engine === 'sqlite') {
    return [
      `create trigger audit_details_insert after insert on audit begin
        insert into audit_details (audit_id, actor, target)
          select new.id, actor, target from (select ${actor} as actor, ${target} as target)
          where ${isNamed};
      end`,
      `create trigger audit_details_forget after delete on users begin
        ${forget(`in (${aboutUser('old.id')})`, `in (${byUser('old.id')})`)} end`,
    ]
  }
  const returns = 'returns trigger language plpgsql as'
  return [
    `create function latchkey_name_entries() ${returns} $$ begin
      insert into audit_details (audit_id, actor, target)
        select id, named_actor, named_target
        from (select id, ${actor} as named_actor, ${target} as named_target from added) as found
        where named_actor is not null or named_target is not null
        on conflict (audit_id) do update set actor = excluded.actor, target = excluded.target;
      return null;
    end $$`,
    `create trigger audit_details_insert after insert on audit referencing new table as added
      for each statement execute function latchkey_name_entries()`,
    // cspell:ignore seqscan
    // PostgreSQL would read the whole log for each user before it has statistics about it.
    `create function latchkey_forget_users() ${returns} $$ begin
      ${lockRemoved} ${forget(ofRemoved(aboutUser('removed.id')), ofRemoved(byRemoved))}
      return null; end $$ set enable_seqscan = off`,
    `create trigger audit_details_forget after delete on users referencing old table as removed
      for each statement execute function latchkey_forget_users()`,
  ]
}

/**
 * The statement that stores the values that an update changed. `audited`: a query that returns the
 * `id` of the audit entry.
 */
export function storeChanges(changes: readonly AuditChange[], audited: Sql): Sql {
  return sql`insert into audit_details (audit_id, changes)
    select id, cast(${JSON.stringify(changes)} as text) from (${audited}) as audited where true
    on conflict (audit_id) do update set changes = excluded.changes`
}

/** Reads the details of entries by their ids. */
export async function readAuditDetails(
  reader: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, AuditDetails>> {
  if (ids.length === 0) return new Map()
  const rows = await reader.all(
    once(sql<Row<'audit_details'>>`select ${every('audit_details')} from audit_details
      where audit_id in (${list(ids)})`),
  )
  return new Map(rows.map((row) => [row.audit_id, toDetails(row)]))
}

function toDetails({ actor, target, changes }: Row<'audit_details'>): AuditDetails {
  return {
    actor: actor ?? undefined,
    target: target ?? undefined,
    changes: changes === null ? [] : JSON.parse(changes),
  }
}
