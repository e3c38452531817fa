import type { Sentence } from '../texts/index.ts'

/** A page in the navigation of a tenant. */
export interface TenantPage {
  /** The part of its path after `/console/t/:tenant`. */
  readonly path: string
  readonly label: Sentence
  /** The group of the page in the navigation. Pages without a group come first. */
  readonly group?: Sentence
}

/**
 * The pages in the navigation of a tenant, in order. `routes/index.ts` leaves out those without a
 * route.
 */
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
