import type { Provider } from 'oidc-provider'

/** Deletes a grant without reading it first. */
export function destroyGrant(provider: Provider, grantId: string): Promise<void> {
  return provider.Grant.adapter.destroy(grantId) as Promise<void>
}
