import type { AdapterPayload } from 'oidc-provider'
import { listApis, type OwnedApi } from '../../domain/applications/apis.ts'
import { lookUpApplication } from '../../domain/applications/applications.ts'
import { lookUpTenant, tenantAt } from '../../domain/tenants/tenants.ts'
import { createCache } from '../../domain/writes/cache.ts'
import type { DomainContext } from '../../domain/writes/context.ts'
import type { Tenant } from '../../store/records.ts'
import { issuerUrl, mustStaySecure } from '../requests/issuer-url.ts'
import { clientMetadata } from './clients/client-metadata.ts'

/** A tenant with facts derived from its domain. */
export interface Site {
  readonly tenant: Tenant
  readonly issuer: string
  readonly url: URL
  /** Whether responses tell browsers to use only TLS for this host from now on. */
  readonly mustStaySecure: boolean
}

/**
 * The lookup of the current tenants, applications and APIs. Records are cached until a write, by
 * this process or another, may have changed them.
 */
export interface Directory {
  /** The tenant at a host. The host must be in lower case. */
  siteAt(host: string): Promise<Site | undefined>
  /** An application in oidc-provider's form of a client, with its secret. */
  client(tenantId: string, id: string): Promise<AdapterPayload | undefined>
  /** The API with this identifier, if an application of the tenant offers it. */
  api(tenantId: string, identifier: string): Promise<OwnedApi | undefined>
  /** The identifiers of the APIs that self-described clients may ask for. */
  openApis(tenantId: string): Promise<string[]>
}

interface Apis {
  tenantId: string
  offered: ReadonlyMap<string, OwnedApi>
}

interface Client {
  tenantId: string
  metadata: AdapterPayload
}

/** Matches the actions of events that may have changed a tenant or an application. */
const CONCERNS_DIRECTORY = /^(tenant|application)\./

/** Creates the directory on top of the data store. */
export function createDirectory(
  domain: DomainContext,
  options: { allowHttpOnLoopback: boolean },
): Directory {
  const sites = createCache<Site>(domain, {
    name: 'sites',
    concerns: CONCERNS_DIRECTORY,
    tenantOf: ({ tenant }) => tenant.id,
  })
  const clients = createCache<Client>(domain, {
    name: 'clients',
    concerns: CONCERNS_DIRECTORY,
    tenantOf: ({ tenantId }) => tenantId,
  })

  const apis = createCache<Apis>(domain, {
    name: 'apis',
    concerns: CONCERNS_DIRECTORY,
    tenantOf: ({ tenantId }) => tenantId,
  })

  async function apisOf(tenantId: string): Promise<Apis['offered']> {
    const found = await apis.get(tenantId, async () => {
      return { tenantId, offered: await listApis(domain, tenantId) }
    })
    return found?.offered ?? new Map()
  }

  return {
    siteAt: (host) =>
      sites.get(host, async () => {
        const tenant = await tenantAt(domain, host)
        if (!tenant) return undefined
        const issuer = issuerUrl(tenant.settings.domain, options)
        const url = new URL(issuer)
        return { tenant, issuer, url, mustStaySecure: mustStaySecure(url) }
      }),
    async client(tenantId, id) {
      const found = await clients.get(`${tenantId} ${id}`, async () => {
        const application = await lookUpApplication(domain, tenantId, id)
        const tenant = await lookUpTenant(domain, tenantId)
        if (!application || !tenant) return undefined
        const { developerMode } = tenant.settings
        return { tenantId, metadata: clientMetadata(domain, application, developerMode) }
      })
      return found?.metadata
    },
    api: async (tenantId, identifier) => (await apisOf(tenantId)).get(identifier),
    async openApis(tenantId) {
      const open = [...(await apisOf(tenantId)).values()].filter(({ isOpen }) => isOpen)
      return open.map(({ identifier }) => identifier)
    },
  }
}
