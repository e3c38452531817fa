const keys = { email: 'email_key', name: 'name_key', family_name: 'family_name_key' }
const states = { disabled: 'disabled = 1', unverified: 'verified_at is null' }

/**
 * The indexes of lists with filters, as they follow `on`, by name: users in a state by each key of a search, and
 * entries of the audit log by action, of all, of a tenant and of an actor.
 *
 * @param byBytes - A column that is compared by its bytes.
 */
export function listFilterIndexes(byBytes: (column: string) => string): Record<string, string> {
  const ofUsers = Object.entries(states).flatMap(([state, isIn]) =>
    Object.entries(keys).map(([name, key]) => {
      const where = key === 'email_key' ? isIn : `${isIn} and ${key} > ''`
      return [`users_${state}_by_${name}`, `users (tenant_id, ${key}, id) where ${where}`] as const
    }),
  )
  const action = byBytes('action')
  return {
    ...Object.fromEntries(ofUsers),
    audit_by_action: `audit (${action}, at, id)`,
    audit_by_tenant_and_action: `audit (tenant_id, ${action}, at, id)`,
    audit_by_actor: `audit (actor, ${action}, at, id)`,
  }
}

/**
 * The indexes of the domains of addresses, as they follow `on`, by name: of all users, and of those in a state.
 *
 * @param domain - The domain, as a column or an expression.
 */
export function domainIndexes(domain: string): Record<string, string> {
  const columns = `users (tenant_id, ${domain}, id)`
  const ofStates = Object.entries(states).map(
    ([state, isIn]) => [`users_${state}_by_domain`, `${columns} where ${isIn}`] as const,
  )
  return { users_by_domain: columns, ...Object.fromEntries(ofStates) }
}

/** The statements that make the table of the last login of each user. */
export function createLastLogins(byBytes: string, integer: string): string[] {
  return [
    `create table last_logins (
      tenant_id text ${byBytes} not null,
      user_id text ${byBytes} not null,
      at ${integer} not null,
      primary key (tenant_id, user_id),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    )`,
    'create index last_logins_by_time on last_logins (tenant_id, at, user_id)',
  ]
}

/** The statement that reads the last logins from the audit log. A login that was noted meanwhile is later. */
export const FILL_LAST_LOGINS = `insert into last_logins (tenant_id, user_id, at)
  select users.tenant_id, users.id, max(audit.at) from audit
  join users on users.tenant_id = audit.tenant_id and users.id = audit.target
  where audit.action = 'login.succeeded' and audit.outcome = 'success'
  group by users.tenant_id, users.id on conflict do nothing`
