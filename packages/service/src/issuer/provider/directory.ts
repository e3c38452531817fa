import { LRUCache } from 'lru-cache'
import type { AdapterPayload } from 'oidc-provider'
import { lookUpApplication } from '../../domain/applications.ts'
import { type DomainContext, foreignVersion } from '../../domain/context.ts'
import { findTenant, lookUpTenant } from '../../domain/tenants.ts'
import type { Tenant } from '../../store/records.ts'
import { clientMetadata } from './client-metadata.ts'
import { issuerUrl, mustStaySecure } from './issuer-url.ts'

/** A tenant with what follows from its domain. */
export interface Site {
  readonly tenant: Tenant
  readonly issuer: string
  readonly url: URL
  /** Whether browsers are told to come back over TLS only. */
  readonly mustStaySecure: boolean
}

/**
 * Tenants and applications as they are now. What every request needs is read once and kept until
 * something was written that may concern it, by this process or another.
 */
export interface Directory {
  /** The tenant that is served at a host, in lower case. */
  siteAt(host: string): Promise<Site | undefined>
  /** An application as oidc-provider knows its clients, secret included. */
  client(tenantId: string, id: string): Promise<AdapterPayload | undefined>
}

/** How many tenants are kept, and how many applications: some kilobytes each. */
const MAX_KEPT = 1_000

/** What may have changed a tenant or an application. */
const CONCERNS_DIRECTORY = /^(tenant|application)\./

/** Makes the directory over the data store. */
export function createDirectory(
  domain: DomainContext,
  options: { allowHttpOnLoopback: boolean },
): Directory {
  const sites = createKept<Site>(domain)
  const clients = createKept<AdapterPayload>(domain)
  domain.events.on('change', ({ action }) => {
    if (!CONCERNS_DIRECTORY.test(action)) return
    sites.clear()
    clients.clear()
  })

  return {
    siteAt: (host) =>
      sites.get(host, async () => {
        const tenant = await findTenant({ context: domain }, host)
        if (!tenant) return undefined
        const issuer = issuerUrl(tenant.settings.domain, options)
        const url = new URL(issuer)
        return { tenant, issuer, url, mustStaySecure: mustStaySecure(url) }
      }),
    client: (tenantId, id) =>
      clients.get(`${tenantId} ${id}`, async () => {
        const application = await lookUpApplication(domain, tenantId, id)
        const tenant = await lookUpTenant(domain, tenantId)
        return (
          application &&
          tenant &&
          clientMetadata(domain, application, tenant.settings.developerMode)
        )
      }),
  }
}

/** Keeps what was read, unless the store cannot tell when another process has written. */
function createKept<T extends object>(domain: DomainContext) {
  const kept = new LRUCache<string, T>({ max: MAX_KEPT })
  let version: unknown
  let generation = 0

  function clear(): void {
    kept.clear()
    generation++
  }

  return {
    clear,
    async get(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
      const seen = foreignVersion(domain)
      if (seen === undefined) return read()
      if (seen !== version) clear()
      version = seen
      const known = kept.get(key)
      if (known) return known

      const before = generation
      const found = await read()
      // What was read before a write came in between is not kept. Nor is that there is nothing:
      // whoever asks for names that do not exist would drive out those that do.
      if (found && before === generation) kept.set(key, found)
      return found
    },
  }
}
