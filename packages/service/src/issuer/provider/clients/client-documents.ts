import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Configuration } from 'oidc-provider'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../../../clock.ts'
import { acceptsDocuments, documentRefusal } from '../../../domain/tenants/client-documents.ts'
import { clientNetwork } from '../../../domain/writes/addresses.ts'
import { type Outgoing, Unanswered } from '../../../egress/outgoing.ts'
import type { Tenant } from '../../../store/records.ts'
import {
  ClientRefused,
  ClientUnavailable,
  clientOf,
  isRedirect,
  MAX_REDIRECTS,
  shownName,
} from './self-described.ts'

type Features = NonNullable<Configuration['features']>
type ProviderFetch = NonNullable<Configuration['fetch']>

/** The maximum size of a metadata document, in bytes. */
const MAX_BYTES = 10 * 1024

/**
 * The bounds for the cache time of a document, in seconds. The `max-age` of its response is clamped
 * to them; without `max-age`, the minimum applies.
 */
const KEPT = { min: 60, max: 3_600 }

/** The maximum number of cached documents, of some hundred bytes each. */
const MAX_KEPT = 2_000

/** The time during which an unusable document is not fetched again, in milliseconds. */
const PAUSE_MS = 30_000

/** The maximum number of unusable documents that are remembered, of some hundred bytes each. */
const MAX_REFUSED = 1_000

/** The maximum number of documents that are fetched per minute for one client network. */
const READS_PER_MINUTE = 30

/**
 * The maximum number of concurrent fetches: in all, and for one tenant. Further fetches are refused
 * at once.
 */
const MAX_READING = { all: 20, ofTenant: 5 }

/** The time after which to retry if there are too many fetches, in seconds: the time of one. */
const BUSY_SECONDS = 5

/** Returns the facts about a request that decide whether a document is fetched. */
type FactsOf = (request: IncomingMessage) => { tenant: Tenant; clientIp: string }

/** The metadata documents of unregistered clients. */
export interface ClientDocuments {
  /**
   * The `clientIdMetadataDocument` feature of oidc-provider for a tenant.
   *
   * @param factsOf - Returns the tenant's current record and the visitor's IP address.
   */
  feature(tenant: Tenant, factsOf: FactsOf): NonNullable<Features['clientIdMetadataDocument']>
  /**
   * The `fetch` for a tenant's documents. Its response contains only the supported metadata.
   *
   * @throws ClientRefused if the document cannot be used; ClientUnavailable if it cannot be fetched
   *   at the moment.
   */
  reading(tenantId: string): ProviderFetch
}

/** The time until which a document is not fetched again, and the reason. */
interface Pause {
  readonly until: number
  readonly reason: string
  /** Whether the document could not be fetched, so that nothing is known about it. */
  readonly isPassing: boolean
}

/** Creates the reader and cache of metadata documents. */
export function createClientDocuments(context: {
  clock: Clock
  outgoing: Pick<Outgoing, 'reading'>
  logger: { warn(facts: object, message: string): void }
}): ClientDocuments {
  const { clock, outgoing, logger } = context
  const reads = new RateLimiterMemory({ points: READS_PER_MINUTE, duration: 60 })
  const known = new LRUCache<string, { until: number; metadata: object }>({ max: MAX_KEPT })
  const refused = new LRUCache<string, Pause>({ max: MAX_REFUSED })
  const reading = new Map<string, number>()

  /** Whether an entry is valid. Too late an expiry means that the clock was set back since. */
  function isFresh(one: { until: number } | undefined): boolean {
    const left = (one?.until ?? 0) - clock.now()
    return left > 0 && left <= KEPT.max * 1_000
  }

  /** Counts a fetch as running, until the returned function is called. */
  function enter(tenantId: string): () => void {
    const [own = 0, all] = [reading.get(tenantId), [...reading.values()].reduce((a, b) => a + b, 0)]
    if (own >= MAX_READING.ofTenant || all >= MAX_READING.all) {
      throw new ClientUnavailable('Too many documents are being read.', BUSY_SECONDS)
    }
    reading.set(tenantId, own + 1)
    return () => {
      const left = (reading.get(tenantId) ?? 1) - 1
      if (left > 0) reading.set(tenantId, left)
      else reading.delete(tenantId)
    }
  }

  async function countRead(clientIp: string): Promise<void> {
    try {
      if (clientIp !== '') await reads.consume(clientNetwork(clientIp))
    } catch (cause) {
      if (!(cause instanceof RateLimiterRes)) throw cause
      const seconds = Math.max(1, Math.ceil(cause.msBeforeNext / 1_000))
      const description = `Too many metadata documents are asked for; wait ${seconds} s.`
      throw new ClientUnavailable(description, seconds, 429)
    }
  }

  return {
    feature: ({ id: tenantId, metadata }, factsOf) => ({
      enabled: acceptsDocuments({ metadata }),
      ack: 'draft-02',
      // The cache above decides how long a document is used. oidc-provider's own cache is lost when
      // a tenant's provider is rebuilt.
      cacheDuration: { min: 1, max: KEPT.max },
      async allowFetch(ctx, clientId) {
        const { tenant, clientIp } = factsOf(ctx.req)
        admit(tenant, clientId)
        const key = keyOf(tenantId, clientId)
        if (isFresh(known.get(key))) return true
        const pause = refused.get(key)
        if (pause && isFresh(pause)) throw errorOf(pause, clock.now())
        await countRead(clientIp)
        return true
      },
      async allowClient(ctx, client) {
        admit(factsOf(ctx.req).tenant, client.clientId)
        return true
      },
    }),

    reading: (tenantId) => async (target) => {
      const clientId = String(target)
      const key = keyOf(tenantId, clientId)
      const kept = known.get(key)
      if (kept && isFresh(kept)) return answer(kept, clock.now())
      const leave = enter(tenantId)
      try {
        const send = outgoing.reading(tenantId, MAX_BYTES)
        const response = await send(clientId, { headers: { accept: 'application/json' } })
        const metadata = metadataOf(clientId, response, await response.text())
        const read = { metadata, until: clock.now() + keptSeconds(response) * 1_000 }
        known.set(key, read)
        return answer(read, clock.now())
      } catch (error) {
        const pause = pauseFor(clientId, error, clock.now())
        refused.set(key, pause)
        const { reason, isPassing } = pause
        const fault = isPassing ? 'fetched' : 'used'
        logger.warn(
          { tenantId, clientId, reason },
          `A client metadata document cannot be ${fault}.`,
        )
        throw errorOf(pause, clock.now())
      } finally {
        leave()
      }
    },
  }
}

function admit(tenant: Tenant, clientId: string): void {
  const refusal = documentRefusal(tenant, clientId)
  if (refusal !== undefined) throw new ClientRefused(refusal)
}

/** A cached document as a response, with the time for which it is still cached. */
function answer({ metadata, until }: { metadata: object; until: number }, now: number): Response {
  const seconds = Math.max(1, Math.floor((until - now) / 1_000))
  return Response.json(metadata, { headers: { 'cache-control': `max-age=${seconds}` } })
}

/** The pause after a document could not be fetched or used. */
function pauseFor(clientId: string, error: unknown, now: number): Pause {
  const isPassing = !(error instanceof Unusable) && !(innermost(error) instanceof Unanswered)
  const fault = isPassing ? 'fetched' : 'used'
  const reason = `The metadata document ${clientId} cannot be ${fault}: ${reasonOf(error)}`
  return { reason, until: now + PAUSE_MS, isPassing }
}

/** The error for a request during a pause. */
function errorOf({ reason, isPassing, until }: Pause, now: number): Error {
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000))
  return isPassing ? new ClientUnavailable(reason, seconds) : new ClientRefused(reason)
}

/** The statuses below 500 that say nothing about the document: a timeout, and too many requests. */
const PASSING: readonly number[] = [408, 425, 429]

/** The error for a document that was fetched and cannot be used. */
class Unusable extends Error {}

function keyOf(tenantId: string, clientId: string): string {
  return `${tenantId} ${clientId}`
}

function keptSeconds({ headers }: Response): number {
  const [, told] = /(?:^|,)\s*max-age=(\d{1,9})/i.exec(headers.get('cache-control') ?? '') ?? []
  return Math.min(KEPT.max, Math.max(KEPT.min, Number(told ?? 0)))
}

/**
 * Checks a document and returns its supported metadata, for a public client. All other members are
 * ignored.
 *
 * @throws Unusable whose message is the fault, as a sentence; Error if the host has a fault that may
 *   pass.
 * @see draft-ietf-oauth-client-id-metadata-document §4
 */
function metadataOf(clientId: string, { status, headers }: Response, text: string): object {
  if (status >= 500 || PASSING.includes(status)) throw new Error(`it was answered with ${status}.`)
  if (status !== 200) throw new Unusable(`it was answered with ${status}; no redirect is followed.`)
  const type = headers.get('content-type') ?? ''
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Unusable(`its content type is "${type.slice(0, 100)}"; it must be application/json.`)
  }
  const document = membersOf(text)
  const { client_id: id, redirect_uris: uris, token_endpoint_auth_method: method } = document
  if (id !== clientId) throw new Unusable('its "client_id" is not its own address.')
  if ('client_secret' in document)
    throw new Unusable('it has a "client_secret", which is public now.')
  if (method !== undefined && method !== 'none') {
    throw new Unusable(
      'its "token_endpoint_auth_method" is not "none"; only public clients with PKCE are accepted.',
    )
  }
  const redirectUris = (Array.isArray(uris) ? uris : []).slice(0, MAX_REDIRECTS).filter(isRedirect)
  if (redirectUris.length === 0) {
    throw new Unusable(
      'it has no "redirect_uris" that can be used: https://, http:// on localhost, 127.0.0.1 or [::1], or a scheme after a domain, such as com.example.app:/callback.',
    )
  }
  return clientOf({ clientId, name: shownName(document.client_name), redirectUris })
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's error is dropped, because its message quotes the document.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new Unusable('it is not a JSON object.')
}

/** The innermost cause. The outer error of `fetch` only says "fetch failed". */
function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error
}

function reasonOf(error: unknown): string {
  const cause = innermost(error)
  return cause instanceof Error ? cause.message : String(cause)
}
