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
import type { DecodedJws, JwtHeader } from './jwt.ts'
import { createProviderKeys, type TokenSender } from './keys.ts'
import { createMetadataCache, type ProviderHealth } from './metadata-cache.ts'
import {
  type ClientCall,
  type ClientPool,
  createClientPool,
  preloadOpenidClient,
} from './openid-client.ts'
import { createProofs, type Proofs } from './proofs.ts'
import { type KeySet, type SignatureAnswer, verifySignature } from './signature.ts'
import { createProviderFetch, type ProviderFetch, type ProviderTransport } from './transport.ts'

/** Settings of a provider. */
export interface ProviderSettings extends Omit<ResolvedAuthOptions, 'registration'> {
  readonly registration: ResolvedRegistration
  readonly transport: ProviderTransport
  readonly publish: Publish
}

/** The provider as this application knows it. */
export interface Provider {
  /** The issuer as the options name it; the metadata has the provider's own name. */
  readonly issuer: string
  readonly clientId: string
  /** The configured method; by default the discovery document decides. */
  readonly clientAuth: ClientAuth | undefined
  /** The tenants of Entra ID that are admitted. */
  readonly entraTenants: readonly string[] | undefined
  /** The client secret, if it is a fixed one; a function, so that printing a provider does not show it. */
  clientSecret(): string | undefined
  /** The same provider for one request, whose exchanges share a budget of time. */
  forRequest(): Provider
  /** The redirect URI of this provider, which no other provider of the application has. */
  readonly redirectUri: string
  /**
   * The discovery document.
   *
   * @throws {@link ProviderError} when nothing is known and the provider does not answer.
   */
  metadata(): MaybePromise<ServerMetadata>
  /** The URL of an authorization request. */
  authorizationUrl(request: AuthorizationRequest): MaybePromise<string>
  /**
   * The key set for a token, see {@link ProviderKeys}.
   *
   * @throws {@link ProviderError} when the keys are needed and cannot be had.
   */
  keys(header: JwtHeader, sender: TokenSender): Promise<KeySet>
  /** The security profile of logins, from the options. */
  readonly profile: 'fapi2' | undefined
  /** Whether its access tokens must be bound to a key of their session. */
  readonly dpop: boolean
  /** Proofs that the application has the keys of its access tokens. */
  readonly proofs: Proofs
  /**
   * Verifies the signature of a token, and nothing else of it.
   *
   * @param token - The token, or the parts that it was taken apart into.
   * @param sender - Default `provider`.
   * @param name - A SHA-256 of a token that may come again, see {@link KeySet}.
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
  /** The pool of this discovery document; a later document has its own. */
  readonly clients: ClientPool
}

const MULTI_TENANT =
  'This issuer of Entra ID is for users of every tenant. Name the tenants you admit: entraTenants: ["<tenant id>"].'
const MAX_BYTES = 1_048_576

/** Makes a provider. Nothing is fetched before it is needed. */
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

  const withBudget = (budget: ExchangeBudget | undefined): Provider => {
    const share: ExchangeBudget['share'] = (exchange) =>
      budget ? budget.share(exchange) : exchange()
    const known = (): MaybePromise<Known> => {
      const found = cache.get()
      return found instanceof Promise ? share(() => found) : found
    }
    const provider: Provider = {
      issuer,
      // That of personas is known once they have been reached.
      get clientId() {
        return registration.clientId
      },
      clientAuth: settings.clientAuth,
      entraTenants: settings.entraTenants,
      clientSecret: () => (typeof clientSecret === 'string' ? clientSecret : undefined),
      redirectUri: settings.redirectUri,
      forRequest: () => withBudget(createExchangeBudget(settings)),
      metadata: () => when(known(), ({ metadata }) => metadata),
      authorizationUrl: (request) =>
        when(known(), ({ metadata, authorizationPrefix: prefix }) => {
          preloadOpenidClient()
          const isPushed = request.isPushed || metadata.require_pushed_authorization_requests
          if (!isPushed) return authorizationUrl(prefix, request)
          const { authorizationParams } = settings
          const parameters = { ...authorizationParams, ...request.chosen, ...request.fresh }
          return pushedUrl(metadata, provider.call, parameters)
        }),
      keys: async (header, sender) =>
        providerKeys.known(header) ?? share(() => providerKeys.find(header, sender)),
      profile: settings.profile,
      dpop: settings.dpop,
      proofs,
      verify: (token, sender = 'provider', name) =>
        verifySignature(
          token,
          (header) => providerKeys.known(header) ?? provider.keys(header, sender),
          settings.profile && FAPI_ALGORITHMS,
          name,
        ),
      fetch: budget
        ? (url, init) => budget.spend((timeoutSeconds) => fetch(url, { ...init, timeoutSeconds }))
        : fetch,
      call: async (work) => (await known()).clients.call(provider.fetch, work),
      health: () => cache.health(),
    }
    return provider
  }
  return withBudget(undefined)
}
