import { tables } from '../schema.ts'
import type { EngineName } from '../sql.ts'

/** The rule that deletes the row of a deleted user. */
export const [, NEVER_KEY] = tables.never_logged_in.rules

/**
 * The statements that create the triggers for the table `never_logged_in`. The triggers add a new
 * user to the table and remove the user at the first login, even if an earlier release writes these
 * rows. Later logins update a row of `last_logins`, which fires no trigger.
 */
export function createNeverTriggers(engine: EngineName): string[] {
  const add = 'insert into never_logged_in (tenant_id, user_id)'
  const remove = `delete from never_logged_in
    where tenant_id = new.tenant_id and user_id = new.user_id;`
  const name = 'create trigger never_logged_in'
  if (engine === 'sqlite') {
    return [
      `${name}_add after insert on users begin ${add} values (new.tenant_id, new.id); end`,
      `${name}_remove after insert on last_logins begin ${remove} end`,
    ]
  }
  const returns = 'returns trigger language plpgsql as'
  return [
    `create function latchkey_add_never() ${returns}
      $$ begin ${add} select tenant_id, id from added; return null; end $$`,
    `${name}_add after insert on users referencing new table as added
      for each statement execute function latchkey_add_never()`,
    `create function latchkey_remove_never() ${returns} $$ begin ${remove} return null; end $$`,
    `${name}_remove after insert on last_logins
      for each row execute function latchkey_remove_never()`,
  ]
}

const FILL = `insert into never_logged_in (tenant_id, user_id)
  select users.tenant_id, users.id from users
  left join last_logins on last_logins.tenant_id = users.tenant_id and user_id = users.id
  where user_id is null`

/** The expression for an hour before the transaction, because clocks may differ. */
const SINCE = '(extract(epoch from now()) - 3600) * 1000000'

/**
 * The statements that fill the table and create its triggers. On PostgreSQL, creating a trigger or
 * a foreign key stops all writes of users until the end of the transaction. So the long fill comes
 * first, into a table without {@link NEVER_KEY}. After the triggers, only recent rows are read
 * again. {@link CHECK_NEVER} does the rest.
 */
export function fillNever(engine: EngineName): string[] {
  if (engine === 'sqlite') return [FILL, ...createNeverTriggers(engine)]
  return [
    FILL,
    `alter table never_logged_in add ${NEVER_KEY} not valid`,
    ...createNeverTriggers(engine),
    `${FILL} and users.created_at >= ${SINCE} on conflict do nothing`,
    `delete from never_logged_in using last_logins where last_logins.at >= ${SINCE}
      and never_logged_in.tenant_id = last_logins.tenant_id
      and never_logged_in.user_id = last_logins.user_id`,
  ]
}

/**
 * The statements for PostgreSQL that delete the rows of users who were deleted during the fill, and
 * validate the foreign key. Users are written meanwhile.
 */
export const CHECK_NEVER: readonly string[] = [
  `delete from never_logged_in where not exists (select 1 from users
    where users.tenant_id = never_logged_in.tenant_id and users.id = never_logged_in.user_id)`,
  'alter table never_logged_in validate constraint never_logged_in_tenant_id_user_id_fkey',
]
