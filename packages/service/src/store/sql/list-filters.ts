const keys = { email: 'email_key', name: 'name_key', family_name: 'family_name_key' }
const states = { disabled: 'disabled = 1', unverified: 'verified_at is null' }

/**
 * The statements that make the indexes of lists with filters: users in a state by each key of a search, and
 * entries of the audit log by action, of all, of a tenant and of an actor.
 *
 * @param byBytes - A column that is compared by its bytes.
 */
export function createListFilters(byBytes: (column: string) => string): string[] {
  const ofUsers = Object.entries(states).flatMap(([state, isIn]) =>
    Object.entries(keys).map(([name, key]) => {
      const where = key === 'email_key' ? isIn : `${isIn} and ${key} > ''`
      return `create index users_${state}_by_${name} on users (tenant_id, ${key}, id) where ${where}`
    }),
  )
  const action = byBytes('action')
  return [
    ...ofUsers,
    `create index audit_by_action on audit (${action}, at, id)`,
    `create index audit_by_tenant_and_action on audit (tenant_id, ${action}, at, id)`,
    `create index audit_by_actor on audit (actor, ${action}, at, id)`,
  ]
}
