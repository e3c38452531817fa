import { lookup } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import type { Configuration } from 'oidc-provider'
import { Agent, fetch as undiciFetch } from 'undici'
import type { DomainContext } from '../../domain/context.ts'
import { isLoopback } from './issuer-url.ts'

type ProviderFetch = NonNullable<Configuration['fetch']>

/** Requests from the service to addresses that customers have written down. */
export interface Outgoing {
  /** `fetch` for the provider of a tenant. */
  forTenant(tenantId: string): ProviderFetch
  close(): Promise<void>
}

interface OutgoingContext {
  domain: Pick<DomainContext, 'store'>
  allowHttpOnLoopback: boolean
}

/** How long an application may take to answer. */
const TIMEOUT_MS = 5_000

/** Networks that are not the public internet (RFC 6890 and the registries it founded). */
const notPublic = new BlockList()
for (const network of `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/128 ::1/128 64:ff9b::/96 64:ff9b:1::/48 100::/64
  2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10
  ff00::/8`.split(/\s+/)) {
  const [address = '', prefix = ''] = network.split('/')
  notPublic.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 0) return false
  return !notPublic.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Requests that reach the public internet over TLS only, so that nobody can use the service to look
 * around in the network it runs in. The address is checked when the connection is made: a name that
 * changes its address between two look-ups gains nothing.
 *
 * A tenant in developer mode, and loopback in development, are exempt.
 */
export function createOutgoing(context: OutgoingContext): Outgoing {
  const guarded = new Agent({
    connect: {
      timeout: TIMEOUT_MS,
      lookup(hostname, options, callback) {
        lookup(hostname, { ...options, all: true }, (error, found) => {
          const refused = found?.find(({ address }) => !isPublicAddress(address))
          if (error) return callback(error, '', 0)
          if (refused)
            return callback(new Error(`${hostname} is not on the public internet.`), '', 0)
          const [first] = found
          if (options.all) callback(null, found)
          else callback(null, first?.address ?? '', first?.family)
        })
      },
    },
  })
  const open = new Agent({
    connect: {
      timeout: TIMEOUT_MS,
      lookup(hostname, options, callback) {
        const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
        lookup(isLocal ? '127.0.0.1' : hostname, options, callback)
      },
    },
  })

  async function isExempt(tenantId: string, url: URL): Promise<boolean> {
    if (context.allowHttpOnLoopback && isLoopback(url.hostname)) return true
    const tenant = await context.domain.store.tenants.get(tenantId)
    return tenant?.settings.developerMode ?? false
  }

  return {
    forTenant: (tenantId) => async (target, options) => {
      const url = new URL(String(target))
      const exempt = await isExempt(tenantId, url)
      if (!exempt) assertPublic(url)
      const { method, headers, body } = options as RequestInit
      const response = await undiciFetch(url.href, {
        method: method ?? 'GET',
        headers: [...new Headers(headers)],
        ...(body && { body: String(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        dispatcher: exempt ? open : guarded,
      })
      // Nobody reads what is in it, and it may be endless.
      await response.body?.cancel()
      return new Response(null, { status: response.status })
    },
    async close() {
      await Promise.all([guarded.destroy(), open.destroy()])
    },
  }
}

function assertPublic(url: URL): void {
  if (url.protocol !== 'https:') throw new Error(`${url.origin} is not served over https.`)
  // A look-up happens for names only.
  const address = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) !== 0 && !isPublicAddress(address)) {
    throw new Error(`${url.hostname} is not on the public internet.`)
  }
}
