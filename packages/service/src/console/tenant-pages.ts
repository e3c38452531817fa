import type { Sentence } from './texts/index.ts'
/** A page in the navigation of a tenant. */
export interface TenantPage {
  /** The part of its path behind `/console/t/:tenant`. */
  readonly path: string
  readonly label: Sentence
}

/** The navigation of a tenant, in its order. A page without a route is left out. */
export const tenantPages: readonly TenantPage[] = [
  { path: '', label: 'Overview' },
  { path: '/settings', label: 'Settings' },
  { path: '/texts', label: 'Texts' },
  { path: '/applications', label: 'Applications' },
  { path: '/users', label: 'Users' },
  { path: '/jobs', label: 'Jobs' },
  { path: '/connections', label: 'Connections' },
  { path: '/webhooks', label: 'Webhooks' },
  { path: '/signing-keys', label: 'Signing keys' },
  { path: '/keys', label: 'API keys' },
  { path: '/outbox', label: 'Outbox' },
  { path: '/audit', label: 'Audit log' },
]
