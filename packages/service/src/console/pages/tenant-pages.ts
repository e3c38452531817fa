import type { Sentence } from '../texts/index.ts'

/** A page in the navigation of a tenant. */
export interface TenantPage {
  /** The part of its path behind `/console/t/:tenant`. */
  readonly path: string
  readonly label: Sentence
  /** The group that the page stands in. Default: none, in front of the groups. */
  readonly group?: Sentence
}

/** The navigation of a tenant, in its order, group by group. A page without a route is left out. */
export const tenantPages: readonly TenantPage[] = [
  { path: '', label: 'Overview' },
  { path: '/audit', label: 'Audit log' },
  { path: '/users', label: 'Users', group: 'People' },
  { path: '/jobs', label: 'Jobs', group: 'People' },
  { path: '/outbox', label: 'Outbox', group: 'People' },
  { path: '/settings', label: 'Settings', group: 'Login' },
  { path: '/texts', label: 'Texts', group: 'Login' },
  { path: '/connections', label: 'Connections', group: 'Login' },
  { path: '/signing-keys', label: 'Signing keys', group: 'Login' },
  { path: '/applications', label: 'Applications', group: 'Integration' },
  { path: '/keys', label: 'API keys', group: 'Integration' },
  { path: '/webhooks', label: 'Webhooks', group: 'Integration' },
]
