import type { IncomingMessage } from 'node:http'
import {
  type AdapterPayload,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { systemClock } from '../../../clock.ts'
import {
  acceptsRegistration,
  registrationRefusal,
} from '../../../domain/tenants/client-documents.ts'
import { clientNetwork } from '../../../domain/writes/addresses.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { entry, type Found, type Holder, keyOf } from '../../../domain/writes/entries.ts'
import { newId } from '../../../domain/writes/ids.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { Micros, Tenant } from '../../../store/records.ts'
import { paths } from '../../requests/paths.ts'
import { factsOf } from '../../requests/request-facts.ts'
import { hasOtherUsers } from '../consents.ts'
import {
  ClientRefused,
  clientOf,
  isRedirect,
  MAX_REDIRECTS,
  type SelfDescription,
  shownName,
} from './self-described.ts'

type Features = NonNullable<Configuration['features']>

/** The maximum size of a registration, in bytes. */
const MAX_BYTES = 10 * 1024

/** The maximum number of clients that one network may register per minute in one process. */
const PER_MINUTE = 30

/** The lifetime of a client without any consent, in seconds. */
const UNUSED_SECONDS = 86_400

/** The number of storage slots for clients without any consent, per tenant. */
const PLACES = 2_000

/**
 * The number of possible slots of a client. The client gets a free slot or, if all are taken, the
 * slot of the oldest client.
 */
const CHOICES = 4

/**
 * The maximum number of stored clients to which the same user was the last to agree. Beyond it, the
 * oldest client is released; see {@link release}.
 */
const MAX_OF_USER = 100

/** A client that has registered itself. */
interface Registered extends SelfDescription {
  readonly at: Micros
  /**
   * Whether every consent to the client can be found by its id. Missing for a client that an
   * earlier release has stored.
   */
  readonly hasUsersListed?: true
}

const clients = entry<Registered>('RegisteredClient', undefined)

/**
 * The dynamic client registration feature of oidc-provider for a tenant. Clients get no secret and
 * no registration access token.
 *
 * @see RFC 7591
 */
export function registrationOf(
  tenant: Tenant,
  facts: (request: IncomingMessage) => { tenant: Tenant },
): NonNullable<Features['registration']> {
  return {
    enabled: acceptsRegistration(tenant),
    initialAccessToken: false,
    issueRegistrationAccessToken: false,
    // oidc-provider calls this before it uses the metadata, so the request's body can be replaced
    // here.
    idFactory(ctx) {
      const clientId = newId('reg', systemClock)
      const request = ctx as KoaContextWithOIDC
      const described = describe(clientId, request.oidc.body ?? {})
      const refusal = registrationRefusal(facts(request.req).tenant, described.redirectUris)
      if (refusal !== undefined) throw new errors.InvalidClientMetadata(`redirect_uris: ${refusal}`)
      Object.assign(request.oidc, { body: clientOf(described) })
      return clientId
    },
  }
}

/**
 * Checks the body of a registration and returns the supported metadata. Unknown members are
 * ignored; the response contains the registered members.
 *
 * @throws InvalidClientMetadata
 * @see RFC 7591 §2, §3.2.2
 */
function describe(clientId: string, body: Readonly<Record<string, unknown>>): SelfDescription {
  if (Buffer.byteLength(JSON.stringify(body)) > MAX_BYTES)
    refuse(`it has more than ${MAX_BYTES} bytes`)
  const { redirect_uris: uris, application_type: type, client_name: name } = body
  const { grant_types: grants, response_types: responses } = body
  if (!isAbsent(grants) && !listOf(grants).includes('authorization_code')) {
    refuse('grant_types must include authorization_code')
  }
  if (!isAbsent(responses) && !listOf(responses).includes('code')) {
    refuse('response_types must include code')
  }
  if (!isAbsent(type) && type !== 'web' && type !== 'native') {
    refuse('application_type must be web or native')
  }
  if (!isAbsent(name) && typeof name !== 'string') refuse('client_name must be a text')
  const redirectUris = listOf(uris)
  if (redirectUris.length === 0) refuse('redirect_uris must be a list of URIs')
  if (redirectUris.length > MAX_REDIRECTS) refuse(`redirect_uris has more than ${MAX_REDIRECTS}`)
  if (!redirectUris.every(isRedirect)) {
    refuse(
      'redirect_uris must be https://, http:// on localhost, 127.0.0.1 or [::1], or have a scheme after a domain, such as com.example.app:/callback',
    )
  }
  if (type === 'web' && !redirectUris.every((uri) => uri.startsWith('https:'))) {
    refuse(
      'redirect_uris of a web application must be https://; others are for application_type native',
    )
  }
  return { clientId, name: shownName(name), redirectUris, type: isAbsent(type) ? undefined : type }
}

function refuse(description: string): never {
  throw new errors.InvalidClientMetadata(description)
}

/** A member without a value counts as absent (RFC 7591 §2). */
function isAbsent(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Creates the rate limiter for registrations: per network, in this process. */
export function createRegistrationCounts(): RateLimiterMemory {
  return new RateLimiterMemory({ points: PER_MINUTE, duration: 60 })
}

/**
 * Adds the middleware for registrations. It answers preflight requests, and limits the size and the
 * rate of registrations before the body is read.
 */
export function boundRegistrations(provider: Provider, registrations: RateLimiterMemory): void {
  provider.use(async (ctx, next) => {
    if (ctx.path !== paths.registration) return next()
    // The response does not depend on cookies.
    ctx.set('access-control-allow-origin', '*')
    if (ctx.method === 'OPTIONS') {
      ctx.set('access-control-allow-methods', 'POST')
      ctx.set('access-control-allow-headers', 'content-type')
      ctx.status = 204
      return
    }
    const { clientIp } = factsOf(ctx.req)
    if ((ctx.request.length ?? 0) > MAX_BYTES) {
      ctx.status = 413
      ctx.body = {
        error: 'invalid_client_metadata',
        error_description: `it has more than ${MAX_BYTES} bytes`,
      }
      return
    }
    try {
      if (clientIp !== '') await registrations.consume(clientNetwork(clientIp))
    } catch (cause) {
      if (!(cause instanceof RateLimiterRes)) throw cause
      const seconds = Math.max(1, Math.ceil(cause.msBeforeNext / 1_000))
      ctx.status = 429
      ctx.set('retry-after', String(seconds))
      ctx.body = {
        error: 'temporarily_unavailable',
        error_description: `too many clients are registered; wait ${seconds} s`,
      }
      return
    }
    return next()
  })
}

/**
 * Stores a client that has just registered itself. If all its possible slots are taken, the client
 * replaces the oldest one there.
 */
export async function addRegistered(
  holder: Holder,
  {
    client_id: clientId = '',
    client_name: name,
    redirect_uris: redirectUris = [],
    ...rest
  }: AdapterPayload,
): Promise<void> {
  const type = rest.application_type === 'native' ? 'native' : 'web'
  const client = {
    clientId,
    name,
    redirectUris,
    type,
    at: now(holder),
    hasUsersListed: true,
  } as const
  const places = await Promise.all(
    placesOf(clientId).map(async (place) => {
      const found = await clients.read(holder, place)
      return { place, at: found?.value.at ?? 0 }
    }),
  )
  const [{ place } = { place: '' }] = places.sort((a, b) => a.at - b.at)
  await clients.put(holder, place, client, { seconds: UNUSED_SECONDS })
}

/**
 * Finds a client that has registered itself; `undefined` if it is no longer stored.
 *
 * @throws ClientRefused if the tenant does not accept registrations, or not those of this client.
 */
export async function findRegistered(
  holder: Holder & { readonly tenant: Tenant },
  clientId: string,
): Promise<AdapterPayload | undefined> {
  const { tenant } = holder
  const refusal = registrationRefusal(tenant, [])
  if (refusal !== undefined) throw new ClientRefused(refusal)
  const client = await readRegistered(holder, clientId)
  if (!client) return undefined
  const notAccepted = registrationRefusal(tenant, client.redirectUris)
  if (notAccepted !== undefined) throw new ClientRefused(notAccepted)
  return clientOf(client)
}

async function readRegistered(holder: Holder, clientId: string): Promise<Registered | undefined> {
  const all = [clientId, ...placesOf(clientId)].map((id) => clients.read(holder, id))
  return (await Promise.all(all)).find((found) => found?.value.clientId === clientId)?.value
}

/**
 * Stores a client for the lifetime of the user's consent to it. Returns the client, or `undefined`
 * if it is no longer stored.
 */
export async function keepRegistered(
  holder: Holder,
  userId: string,
  clientId: string,
): Promise<SelfDescription | undefined> {
  const client = await readRegistered(holder, clientId)
  if (!client) return undefined
  const seconds = lifetimes.offlineGrantSeconds
  await clients.put(
    holder,
    clientId,
    // Later than the write before, even if the clock stands still: `release` tells them apart by it.
    { ...client, at: Math.max(now(holder), client.at + 1) },
    { accountId: userId, seconds },
  )
  const own = (await clients.ofAccount(holder, userId)).sort((a, b) => b.value.at - a.value.at)
  await Promise.all(own.slice(MAX_OF_USER).map((one) => release(holder, userId, one)))
  return client
}

/** Releases the clients to which a user was the last to agree. */
export async function dropRegistered(holder: Holder, userId: string): Promise<void> {
  const own = await clients.ofAccount(holder, userId)
  await Promise.all(own.map((one) => release(holder, userId, one)))
}

/**
 * Removes the link of a client to the user who was the last to agree to it. If no other user has
 * agreed, the client expires like one without any consent. Does nothing if a user agrees at the
 * same time: that user stores the client again, after which the write here fails.
 */
async function release(holder: Holder, userId: string, found: Found<Registered>): Promise<void> {
  const { value, entry } = found
  const { accountId: _, ...unlinked } = entry
  const isKept = !value.hasUsersListed || (await hasOtherUsers(holder, userId, value.clientId))
  const unusedUntil = now(holder) + UNUSED_SECONDS * 1e6
  const expiresAt = isKept ? entry.expiresAt : Math.min(entry.expiresAt, unusedUntil)
  await clients.amend(holder, { ...found, entry: { ...unlinked, expiresAt } }, value)
}

/** The possible slots of a client to which no user has agreed yet. */
function placesOf(clientId: string): string[] {
  return Array.from({ length: CHOICES }, (_, at) => {
    const number = Buffer.from(keyOf(`${at} ${clientId}`), 'base64url').readUInt32BE() % PLACES
    return `place ${number}`
  })
}

function now({ context }: Holder): Micros {
  return nowMicros(context.domain.clock)
}
