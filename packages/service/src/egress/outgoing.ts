import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Configuration } from 'oidc-provider'
import type { Agent } from 'undici'
import { opensDeveloperMode } from '../domain/tenants/developer-mode.ts'
import { lookUpTenant } from '../domain/tenants/tenants.ts'
import { isLoopbackHost } from '../domain/writes/addresses.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import { BrokenOff } from '../domain/writes/errors.ts'
import { type Reason, reason, sentenceIn } from '../domain/writes/reasons/index.ts'
import { lookUp, lookUpAnywhere } from './look-up.ts'

type ProviderFetch = NonNullable<Configuration['fetch']>

/** Requests from the service to URLs that customers have entered. */
export interface Outgoing {
  /**
   * A `fetch` on behalf of a tenant. Its responses have a status and headers, but no body. Rejects
   * with {@link BrokenOff} if {@link Outgoing.close} is called before the response.
   */
  forTenant(tenantId: string): ProviderFetch
  /**
   * A `fetch` on behalf of a tenant, with the bodies of responses. It does not follow redirects. A
   * response with more than `maxBytes`, by default 512 KiB, is an error.
   */
  reading(
    tenantId: string,
    maxBytes?: number,
  ): (url: string, options: RequestInit) => Promise<Response>
  /**
   * The reason why a URL of a tenant is refused; `undefined` if it is allowed. The addresses of a
   * host name are not looked up.
   */
  refusalOf(tenantId: string, url: URL): Promise<Reason | undefined>
  /** Closes all connections, also those of requests in progress. */
  close(): Promise<void>
}

export interface OutgoingOptions {
  domain: Pick<DomainContext, 'store' | 'domains' | 'allowDeveloperMode'>
  allowHttpOnLoopback: boolean
  /** The timeout of a request, in milliseconds. Default 5 s. */
  timeoutMs?: number
}

const TIMEOUT_MS = 5_000

/** The maximum time that an idle connection stays open. */
const IDLE_MS = 10_000

/** The default maximum size of a response. The documents of providers are smaller. */
const MAX_BODY_BYTES = 512 * 1024

/** The maximum size of an unused body that is read, so that its connection can be used again. */
const MAX_DUMPED_BYTES = 16 * 1024

/** The only range of IPv6 addresses that is assigned for public use. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** A request without a usable response. */
export class Unanswered extends Error {
  override readonly name: string = 'Unanswered'
  readonly reason: Reason

  constructor(because: Reason) {
    super(sentenceIn('en', because))
    this.reason = because
  }
}

/** The service does not connect to the URL: it is not https, or not on the public internet. */
export class RefusedAddress extends Unanswered {
  override readonly name = 'RefusedAddress'
}

/**
 * Whether an IP address belongs to the public internet. An IPv4 address written as IPv6 does not.
 * `core` has the same rule; a test compares the rules.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST)
}

/**
 * Makes requests that can reach only the public internet, over TLS, so that the service can't be
 * used to explore the network it runs in. The address is checked when the connection is made, so a
 * name that changes its address between two look-ups gains nothing.
 *
 * Tenants whose developer mode is open, and loopback in development, are exempt.
 */
export function createOutgoing(context: OutgoingOptions): Outgoing {
  const { timeoutMs = TIMEOUT_MS } = context
  let isClosed = false
  let client: ReturnType<typeof createClient> | undefined

  /** Called at the first request, because loading undici takes a tenth of the time of a start. */
  async function createClient() {
    const { Agent, fetch, request } = await import('undici')
    const guarded = new Agent(
      connectingTo(async (hostname) => {
        const found = await lookUp(hostname)
        if (found.every(({ address }) => isPublicAddress(address))) return found
        throw new RefusedAddress(reason('address_not_public', { host: hostname }))
      }),
    )
    return { fetch, request, guarded, open: new Agent(connectingTo(lookUpAnywhere)) }
  }

  async function isExempt(tenantId: string, url: URL): Promise<boolean> {
    if (context.allowHttpOnLoopback && isLoopbackHost(url.hostname)) return true
    const tenant = await lookUpTenant(context.domain, tenantId)
    return tenant !== undefined && opensDeveloperMode(context.domain, tenant)
  }

  async function prepare(tenantId: string, url: URL, options: RequestInit) {
    const exempt = await isExempt(tenantId, url)
    const refusal = exempt ? undefined : refusalOf(url)
    if (refusal !== undefined) throw new RefusedAddress(refusal)
    const { method, headers, body } = options
    if (isClosed) throw new BrokenOff()
    client ??= createClient()
    const { fetch, request, guarded, open } = await client
    const init = {
      method: (method ?? 'GET') as 'GET' | 'POST',
      headers: Object.fromEntries(new Headers(headers)),
      ...(body && { body: String(body) }),
      signal: AbortSignal.timeout(timeoutMs),
      dispatcher: exempt ? open : guarded,
    }
    return { fetch, request, url: url.href, init }
  }

  return {
    forTenant: (tenantId) => async (target, options) => {
      const { request, url, init } = await prepare(
        tenantId,
        new URL(String(target)),
        options as RequestInit,
      )
      const {
        statusCode: status,
        headers,
        body,
      } = await request(url, init).catch((error) => {
        throw isClosed ? new BrokenOff(error) : error
      })
      // The body is not needed. A short body is read, so that the connection can be used again. A
      // long body may never end.
      body.dump({ limit: MAX_DUMPED_BYTES, signal: init.signal }).catch(() => {})
      return new Response(null, { status, headers: Object.entries(headers).flatMap(entriesOf) })
    },
    reading:
      (tenantId, maxBytes = MAX_BODY_BYTES) =>
      async (target, options) => {
        const { fetch, url, init } = await prepare(tenantId, new URL(target), options)
        const { status, headers, body } = await fetch(url, { ...init, redirect: 'manual' })
        const chunks: Uint8Array[] = []
        let size = 0
        for await (const chunk of body ?? []) {
          size += chunk.length
          if (size > maxBytes)
            throw new Unanswered(reason('address_answers_too_much', { address: target }))
          chunks.push(chunk)
        }
        const isEmpty = status === 204 || status === 205 || status === 304
        const read = isEmpty ? null : Buffer.concat(chunks)
        return new Response(read, { status, headers: [...headers] })
      },
    refusalOf: async (tenantId, url) =>
      (await isExempt(tenantId, url)) ? undefined : refusalOf(url),
    async close() {
      isClosed = true
      const made = await client
      await Promise.all([made?.guarded.destroy(), made?.open.destroy()])
    },
  }
}

function entriesOf([name, value = []]: [string, string | string[] | undefined]): [
  string,
  string,
][] {
  return [value].flat().map((one) => [name, one])
}

/** The options of an agent that connects to the addresses that `look` finds. */
function connectingTo(look: (hostname: string) => Promise<LookupAddress[]>): Agent.Options {
  return {
    keepAliveMaxTimeout: IDLE_MS,
    connect: {
      timeout: TIMEOUT_MS,
      lookup(hostname, { all }, callback) {
        look(hostname).then(
          (found) => {
            const [first] = found
            if (all) callback(null, found)
            else callback(null, first?.address ?? '', first?.family)
          },
          (error) => callback(error, '', 0),
        )
      },
    },
  }
}

function refusalOf({ protocol, origin, hostname }: URL): Reason | undefined {
  const isPrivate = reason('address_not_public', { host: hostname })
  if (protocol !== 'https:') return reason('address_not_https', { origin })
  if (isLoopbackHost(hostname)) return isPrivate
  // IP addresses are checked here, because only names are checked at their look-up.
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0 || isPublicAddress(address)) return undefined
  return isPrivate
}
