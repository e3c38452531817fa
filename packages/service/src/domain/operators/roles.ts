import type { OperatorRole } from '../../store/records.ts'

/** The permissions of operators in the console, by their names. */
export const permissions = [
  'read',
  'export',
  'help',
  'edit',
  'impersonate',
  'secrets',
  'operators',
] as const

export type Permission = (typeof permissions)[number]

/**
 * The roles of operators with their permissions. All code that checks a permission uses this table.
 */
export const ROLES: Readonly<Record<OperatorRole, readonly Permission[]>> = {
  viewer: ['read', 'export'],
  support: ['read', 'help'],
  admin: ['read', 'export', 'help', 'edit', 'impersonate', 'secrets'],
  owner: permissions,
}

/** All roles, from the fewest permissions to the most. */
export const operatorRoles = Object.keys(ROLES) as readonly OperatorRole[]

/** Whether operators of the role have the permission. */
export function roleMay(role: OperatorRole, permission: Permission): boolean {
  // A role that only a newer version knows has no permissions here.
  return ROLES[role]?.includes(permission) ?? false
}

/** The roles that have the permission. */
export function rolesThatMay(permission: Permission): OperatorRole[] {
  return operatorRoles.filter((role) => roleMay(role, permission))
}
