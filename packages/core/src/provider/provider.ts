import type { KeyObject } from 'node:crypto'
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client'
import { type LatchkeyError, ProviderError } from '../errors.ts'
import type { Publish } from '../events.ts'
import {
  createExchangeBudget,
  type ExchangeBudget,
  type ExchangeLimits,
} from '../login/exchange-budget.ts'
import { PROTECTED_PARAMETERS } from '../login/protected-parameters.ts'
import type {
  ClientAssertionOptions,
  ClientAuth,
  ResolvedRegistration,
} from '../options/options.ts'
import { clientAuthentication } from './client-auth.ts'
import { decodeJwt } from './jwt.ts'
import type { JwtHeader, KeySet } from './key-set.ts'
import type { OpenidClient } from './openid-client.ts'
import { type Discovered, discover } from './provider-discovery.ts'
import { printable } from './provider-error.ts'
import {
  createProviderFetch,
  type ProviderAnswer,
  type ProviderFetch,
  type ProviderTransport,
} from './provider-fetch.ts'
import { createProviderKeys, type TokenSender } from './provider-keys.ts'

/** What a provider works with. */
export interface ProviderSettings extends ExchangeLimits {
  readonly registration: ResolvedRegistration
  readonly clientAuth: ClientAuth | undefined
  readonly clientKey: KeyObject | undefined
  readonly clientAssertion: ClientAssertionOptions
  /** Members that replace those of the discovery document. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly entraTenants: readonly string[] | undefined
  /** Where this provider sends visitors back to. */
  readonly redirectUri: string
  /** The parameters that every authorization request of the application has in common. */
  readonly authorizationParams: Readonly<Record<string, string>>
  readonly transport: ProviderTransport
  readonly now: () => number
  readonly publish: Publish
}

/** The provider as this application knows it. */
export interface Provider {
  /** As registered; what the provider says of itself is in {@link ProviderState.metadata}. */
  readonly issuer: string
  readonly clientId: string
  /** The tenants of Entra ID that are admitted. */
  readonly entraTenants: readonly string[] | undefined
  /** The client secret, if it is a fixed one; a function, so that printing a provider does not show it. */
  clientSecret(): string | undefined
  /** The same provider for one request, whose exchanges share a budget of time. */
  forRequest(): Provider
  /** Where this provider sends visitors back to; no other provider of the application does. */
  readonly redirectUri: string
  /**
   * What the provider published: looked up at first use, by one request however many ask, looked up
   * again in the background every hour, and kept when that fails.
   *
   * @throws {@link ProviderError} when there is nothing to keep.
   */
  state(): Promise<ProviderState>
  /**
   * The key set for a token, see {@link ProviderKeys}.
   *
   * @throws {@link ProviderError} when the keys are needed and cannot be had.
   */
  keys(header: JwtHeader, sender: TokenSender): Promise<KeySet>
  /** Verifies the signature of a token that the provider sent, and nothing else of it. */
  verify(token: string): Promise<SignatureAnswer>
  /** One exchange with an endpoint of the provider. */
  readonly fetch: ProviderFetch
  /** Calls openid-client with a configuration that reaches the provider. */
  call<T>(work: (client: OpenidClient, configuration: Configuration) => Promise<T>): Promise<T>
  /** How it stands with the provider, without asking it. */
  health(): ProviderHealth
}

/** The header of a token whose signature is good, or the reason why it is not: `is wrong`. */
export type SignatureAnswer =
  | { readonly header: JwtHeader; readonly fault?: undefined }
  | { readonly header?: undefined; readonly fault: string }

/** What is known from the provider's discovery document. */
export interface ProviderState extends Discovered {
  /** The authorization endpoint with what requests have in common; the rest of one follows. */
  readonly authorizationPrefix: string
}

/** `stale`: what is known is served although the provider did not answer the last time. */
export interface ProviderHealth {
  readonly provider: 'unknown' | 'ok' | 'stale' | 'unavailable'
  /** When the provider last answered a look-up, in seconds since the epoch. */
  readonly discoveredAt: number | undefined
}

const MULTI_TENANT =
  'This issuer of Entra ID is for users of every tenant. Name the tenants you admit: entraTenants: ["<tenant id>"].'
const MAX_BYTES = 1_048_576
/** How long what the provider published is taken to hold. */
const MAX_AGE_SECONDS = 3600
const RETRY_SECONDS = 30
const MAX_IDLE = 20

/** Makes a provider. Nothing is fetched before it is needed. */
export function createProvider(settings: ProviderSettings): Provider {
  const { registration, now, publish } = settings
  const issuer = registration.issuer.href
  const fetch = createProviderFetch(settings.transport, {
    timeoutSeconds: settings.timeoutSeconds,
    maxBytes: MAX_BYTES,
  })

  let state: ProviderState | undefined
  let discoveredAt: number | undefined
  let failedAt: number | undefined
  let inFlight: Promise<ProviderState> | undefined
  // A configuration holds the fetch of one request, and making one takes a while.
  let idle: Configuration[] = []

  const lookUp = async (): Promise<ProviderState> => {
    try {
      const found = await discover(registration, settings.metadata, fetch)
      if (found.metadata.issuer.includes('{tenantid}') && !settings.entraTenants) {
        throw new ProviderError('LATCHKEY_PROVIDER_INVALID', MULTI_TENANT)
      }
      const common = { client_id: registration.clientId, ...settings.authorizationParams }
      state = { ...found, authorizationPrefix: authorizationPrefix(found.metadata, common) }
      idle = []
      discoveredAt = now()
      failedAt = undefined
      publish('discovery.refreshed', { issuer })
      return state
    } catch (error) {
      failedAt = now()
      const { code } = error as LatchkeyError
      publish(state ? 'discovery.stale' : 'discovery.failed', { issuer, code })
      if (state) return state
      throw error
    } finally {
      inFlight = undefined
    }
  }

  /** The state; a promise of it when it has to be looked up first. */
  const current = (): ProviderState | Promise<ProviderState> => {
    if (!state) {
      inFlight ??= lookUp()
      return inFlight
    }
    const isDue = !isWithin(discoveredAt, MAX_AGE_SECONDS, now())
    if (isDue && !inFlight && !isWithin(failedAt, RETRY_SECONDS, now())) inFlight = lookUp()
    return state
  }

  const configure = async ({ configure, metadata }: ProviderState): Promise<Configuration> => {
    const { clientSecret: secret } = registration
    const { clientAuth: method, clientKey: key, clientAssertion: assertion } = settings
    const credentials = { method, secret, key, assertion }
    return configure(await clientAuthentication(credentials, metadata), fetchForClient(fetch))
  }

  const providerKeys = createProviderKeys({
    now,
    async download() {
      const { metadata } = await current()
      const { status, body } = await fetch(metadata.jwks_uri ?? '', {
        headers: { accept: 'application/json, application/jwk-set+json' },
      })
      return status === 200 ? body : undefined
    },
  })

  const withBudget = (budget: ExchangeBudget | undefined): Provider => {
    const within: ExchangeBudget['spend'] = (exchange) =>
      budget ? budget.spend(exchange) : exchange(settings.timeoutSeconds)
    const provider: Provider = {
      issuer,
      clientId: registration.clientId,
      entraTenants: settings.entraTenants,
      clientSecret: () =>
        typeof registration.clientSecret === 'string' ? registration.clientSecret : undefined,
      redirectUri: settings.redirectUri,
      forRequest: () => withBudget(createExchangeBudget(settings)),
      async state() {
        const found = current()
        return found instanceof Promise ? within(() => found) : found
      },
      keys: async (header, sender) =>
        providerKeys.known(header) ?? within(() => providerKeys.find(header, sender)),
      async verify(token) {
        const jwt = decodeJwt(token)
        if (!jwt || jwt.header.crit !== undefined) return { fault: 'cannot be read' }
        const { header } = jwt
        const set = await provider.keys(header, 'provider')
        if (!set.has(header))
          return { fault: `is by a key that the provider does not publish${keyName(header)}` }
        if (!set.hasOne(header)) return { fault: `could be by several keys${keyName(header)}` }
        return set.verify(header, jwt.signed, jwt.signature) ? { header } : { fault: 'is wrong' }
      },
      fetch: (url, init) => within((timeoutSeconds) => fetch(url, { ...init, timeoutSeconds })),
      async call(work) {
        const found = await provider.state()
        const pool = idle
        const configuration = pool.pop() ?? (await configure(found))
        configuration[found.client.customFetch] = fetchForClient(provider.fetch)
        try {
          return await work(found.client, configuration)
        } finally {
          if (pool.length < MAX_IDLE) pool.push(configuration)
        }
      },
      health() {
        if (!state) return { provider: failedAt ? 'unavailable' : 'unknown', discoveredAt }
        return { provider: failedAt ? 'stale' : 'ok', discoveredAt }
      },
    }
    return provider
  }
  return withBudget(undefined)
}

/** Whether an instant lies less than so many seconds back; never when the clock was set back. */
function isWithin(instant: number | undefined, seconds: number, now: number): boolean {
  const age = now - (instant ?? Number.NEGATIVE_INFINITY)
  return age >= 0 && age < seconds
}

function keyName({ kid, alg }: JwtHeader): string {
  const name = kid === undefined ? 'missing' : `"${printable(kid)}"`
  return ` ("kid" ${name}, "alg" "${printable(alg)}")`
}

/**
 * A fetch as openid-client takes it: its bodies are forms, or nothing. The error of a token endpoint is
 * in the body (RFC 6749 §5.2), which openid-client does not read when it sees a `WWW-Authenticate` too.
 */
function fetchForClient(fetch: ProviderFetch): CustomFetch {
  return async (url, { method, headers, body }) =>
    responseOf(await fetch(url, { method, headers, ...(body ? { body: String(body) } : {}) }))
}

function responseOf({ status, headers, body }: ProviderAnswer): Response {
  const read = headers.filter(([name]) => name === 'content-type')
  return new Response(body === '' ? null : body, { status, headers: read })
}

/** The endpoint may have parameters of its own, but none that the kit decides (RFC 6749 §3.1). */
function authorizationPrefix(
  metadata: ServerMetadata,
  parameters: Readonly<Record<string, string>>,
): string {
  const url = new URL(metadata.authorization_endpoint ?? '')
  for (const name of PROTECTED_PARAMETERS) url.searchParams.delete(name)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  url.hash = ''
  return `${url.href}&`
}
