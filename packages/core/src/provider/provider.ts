import type { ServerMetadata } from 'openid-client'
import { answering } from '../errors/deadline.ts'
import { ProviderError } from '../errors/errors.ts'
import type { Publish } from '../log/events.ts'
import type { ClientAuth, ResolvedAuthOptions, ResolvedRegistration } from '../options/options.ts'
import { type MaybePromise, when } from '../shared/maybe-promise.ts'
import {
  type AuthorizationRequest,
  authorizationPrefix,
  authorizationUrl,
  pushedUrl,
} from './authorization-request.ts'
import { clientAuthentication } from './client-auth.ts'
import { type Discovered, discover } from './discovery.ts'
import { createExchangeBudget, type ExchangeBudget } from './exchange-budget.ts'
import { FAPI_ALGORITHMS, mustOffer } from './fapi.ts'
import { createMetadataCache, type MetadataCache, type ProviderHealth } from './metadata-cache.ts'
import {
  type ClientCall,
  type ClientPool,
  type ClientWork,
  createClientPool,
  preloadOpenidClient,
} from './openid-client.ts'
import { createProofs, type Proofs } from './proofs.ts'
import type { DecodedJws, JwtHeader } from './signed/jwt.ts'
import { createProviderKeys, type ProviderKeys, type TokenSender } from './signed/keys.ts'
import { type KeySet, type SignatureAnswer, verifySignature } from './signed/signature.ts'
import { createProviderFetch, type ProviderFetch, type ProviderTransport } from './transport.ts'

/** Settings of a provider. */
export interface ProviderSettings extends Omit<ResolvedAuthOptions, 'registration'> {
  readonly registration: ResolvedRegistration
  readonly transport: ProviderTransport
  readonly publish: Publish
}

/** A provider, with the registration of this application. */
export interface Provider {
  /** The issuer in the options. The issuer as the provider names itself is in `metadata()`. */
  readonly issuer: string
  readonly clientId: string
  /** The configured method; `undefined` if the discovery document decides. */
  readonly clientAuth: ClientAuth | undefined
  /** The Entra ID tenants whose users may log in. */
  readonly entraTenants: readonly string[] | undefined
  /**
   * The client secret; `undefined` if no secret is configured, or if a function returns it. This is
   * a method, so that printing a provider does not show the secret.
   */
  clientSecret(): string | undefined
  /** The same provider for one request. Its exchanges share a time budget. */
  forRequest(): Provider
  /**
   * The redirect URI of this provider. No other provider has it, except those with
   * `sharedCallback`.
   */
  readonly redirectUri: string
  /**
   * The discovery document.
   *
   * @throws {@link ProviderError} if the document is not cached and cannot be fetched or used.
   */
  metadata(): MaybePromise<ServerMetadata>
  /** The URL of an authorization request, whose parameters may be pushed to the provider first. */
  authorizationUrl(request: AuthorizationRequest): MaybePromise<string>
  /**
   * The key set for a token, see {@link ProviderKeys}.
   *
   * @throws {@link ProviderError} if the keys are not known and cannot be fetched.
   */
  keys(header: JwtHeader, sender: TokenSender): Promise<KeySet>
  /** The security profile of logins, from the options. */
  readonly profile: 'fapi2' | undefined
  /** Whether access tokens must be bound to a key of their session. */
  readonly dpop: boolean
  /** DPoP proofs that the application possesses the keys of its access tokens. */
  readonly proofs: Proofs
  /**
   * Verifies only the signature of a token.
   *
   * @param token - The token, or its decoded parts.
   * @param sender - Default `provider`.
   * @param name - A SHA-256 of a token that may be verified again, see {@link KeySet}.
   */
  verify(token: string | DecodedJws, sender?: TokenSender, name?: string): Promise<SignatureAnswer>
  /** One exchange with an endpoint of the provider. */
  readonly fetch: ProviderFetch
  readonly call: ClientCall
  /** The last known state of the provider. Makes no network call. */
  health(): ProviderHealth
}

/** The provider's metadata, and the objects made from it. */
interface Known extends Discovered {
  readonly authorizationPrefix: string
  /** The pool of configurations for this discovery document; a later document has another pool. */
  readonly clients: ClientPool
}

const MULTI_TENANT =
  'This issuer of Entra ID is for users of every tenant. Name the tenants you admit: entraTenants: ["<tenant id>"].'
const MAX_BYTES = 1_048_576

/** Creates a provider for the whole application. Makes no network call before the first use. */
export function createProvider(settings: ProviderSettings): Provider {
  const { registration, now, publish } = settings
  const { clientSecret } = registration
  const issuer = registration.issuer.href
  const proofs = createProofs()
  const bare = createProviderFetch(settings.transport, {
    timeoutSeconds: settings.timeoutSeconds,
    maxBytes: MAX_BYTES,
  })
  const fetch: ProviderFetch = async (url, init) => {
    const answer = await bare(url, init)
    proofs.note(url, answer.headers)
    return answer
  }
  const cache = createMetadataCache<Known>({
    ...{ issuer, now, publish },
    async lookUp() {
      const found = await discover(registration, settings.metadata, fetch)
      const { metadata } = found
      if (metadata.issuer.includes('{tenantid}') && !settings.entraTenants) {
        throw new ProviderError('LATCHKEY_PROVIDER_INVALID', MULTI_TENANT)
      }
      mustOffer(metadata, settings)
      const credentials = {
        method: settings.clientAuth,
        secret:
          typeof clientSecret === 'function'
            ? answering('clientSecret', clientSecret, settings.answerSeconds)
            : clientSecret,
        key: settings.clientKey,
        assertion: settings.clientAssertion,
      }
      const clients = createClientPool(async () =>
        found.configure(await clientAuthentication(credentials, metadata)),
      )
      const common = { client_id: registration.clientId, ...settings.authorizationParams }
      return { ...found, clients, authorizationPrefix: authorizationPrefix(metadata, common) }
    },
  })
  const providerKeys = createProviderKeys({
    now,
    async download() {
      const { metadata } = await cache.get()
      const { status, body } = await fetch(metadata.jwks_uri ?? '', {
        headers: { accept: 'application/json, application/jwk-set+json' },
      })
      return status === 200 ? body : undefined
    },
  })

  return new KnownProvider({ settings, issuer, proofs, cache, providerKeys, fetch })
}

/** The parts of a provider that all requests share. */
interface ProviderParts {
  readonly settings: ProviderSettings
  readonly issuer: string
  readonly proofs: Proofs
  readonly cache: MetadataCache<Known>
  readonly providerKeys: ProviderKeys
  readonly fetch: ProviderFetch
}

/**
 * A provider for the whole application, or for one request, whose exchanges then share a time
 * budget. It is a class with methods, not an object of closures, because each request creates one.
 */
class KnownProvider implements Provider {
  readonly #parts: ProviderParts
  readonly #budget: ExchangeBudget | undefined

  constructor(parts: ProviderParts, budget?: ExchangeBudget) {
    this.#parts = parts
    this.#budget = budget
  }

  get issuer(): string {
    return this.#parts.issuer
  }

  /** A getter, because the client id of personas is known only after the first contact. */
  get clientId(): string {
    return this.#parts.settings.registration.clientId
  }

  get clientAuth(): ClientAuth | undefined {
    return this.#parts.settings.clientAuth
  }

  get entraTenants(): readonly string[] | undefined {
    return this.#parts.settings.entraTenants
  }

  get redirectUri(): string {
    return this.#parts.settings.redirectUri
  }

  get profile(): 'fapi2' | undefined {
    return this.#parts.settings.profile
  }

  get dpop(): boolean {
    return this.#parts.settings.dpop
  }

  get proofs(): Proofs {
    return this.#parts.proofs
  }

  clientSecret(): string | undefined {
    const { clientSecret } = this.#parts.settings.registration
    return typeof clientSecret === 'string' ? clientSecret : undefined
  }

  forRequest(): Provider {
    return new KnownProvider(this.#parts, createExchangeBudget(this.#parts.settings))
  }

  metadata(): MaybePromise<ServerMetadata> {
    return when(this.#known(), ({ metadata }) => metadata)
  }

  authorizationUrl(request: AuthorizationRequest): MaybePromise<string> {
    return when(this.#known(), ({ metadata, authorizationPrefix: prefix }) => {
      preloadOpenidClient()
      const isPushed = request.isPushed || metadata.require_pushed_authorization_requests
      if (!isPushed) return authorizationUrl(prefix, request)
      const { authorizationParams } = this.#parts.settings
      const parameters = { ...authorizationParams, ...request.chosen, ...request.fresh }
      return pushedUrl(metadata, (work) => this.call(work), parameters)
    })
  }

  async keys(header: JwtHeader, sender: TokenSender): Promise<KeySet> {
    const { providerKeys } = this.#parts
    return providerKeys.known(header) ?? this.#share(() => providerKeys.find(header, sender))
  }

  verify(
    token: string | DecodedJws,
    sender: TokenSender = 'provider',
    name?: string,
  ): Promise<SignatureAnswer> {
    return verifySignature(
      token,
      (header) => this.#parts.providerKeys.known(header) ?? this.keys(header, sender),
      this.profile && FAPI_ALGORITHMS,
      name,
    )
  }

  get fetch(): ProviderFetch {
    const { fetch } = this.#parts
    const budget = this.#budget
    if (!budget) return fetch
    return (url, init) => budget.spend((timeoutSeconds) => fetch(url, { ...init, timeoutSeconds }))
  }

  async call<T>(work: ClientWork<T>): Promise<T> {
    return (await this.#known()).clients.call(this.fetch, work)
  }

  health(): ProviderHealth {
    return this.#parts.cache.health()
  }

  #known(): MaybePromise<Known> {
    const found = this.#parts.cache.get()
    return found instanceof Promise ? this.#share(() => found) : found
  }

  #share<T>(exchange: () => Promise<T>): Promise<T> {
    return this.#budget ? this.#budget.share(exchange) : exchange()
  }
}
