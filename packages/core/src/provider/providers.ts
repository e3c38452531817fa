import { createHash } from 'node:crypto'
import { ConfigError, ProviderError } from '../errors/errors.ts'
import { discoveryUrlOf, isUsableUrl } from '../http/issuer-url.ts'
import { issuerRedirectUri } from '../http/redirect-uri.ts'
import type { AuthRequest } from '../http/request.ts'
import type { Publish } from '../log/events.ts'
import type {
  IssuerRegistration,
  ResolvedAuthOptions,
  ResolvedRegistration,
} from '../options/options.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { OldestFirst, remember } from '../shared/oldest-first.ts'
import { commonParameters } from './authorization-request.ts'
import { createProvider, type Provider } from './provider.ts'
import type { ProviderTransport } from './transport.ts'

/** The provider, or providers, of an application. */
export interface Providers {
  /** The provider, if every request has the same one; `undefined` if `issuer` is a function. */
  readonly fixed: Provider | undefined
  /** Chooses the provider of a request; all exchanges with the result share one time budget. */
  of(request: AuthRequest): MaybePromise<Provider>
}

const MAX_PROVIDERS = 200

/**
 * Makes the provider in the options, or the providers that an `issuer` function names. Of the
 * latter, the 200 that were used last are kept.
 *
 * @param guardedTransport - A transport that reaches only public addresses, for providers that an
 *   `issuer` function names.
 */
export function createProviders(
  options: ResolvedAuthOptions,
  publish: Publish,
  transport: ProviderTransport,
  guardedTransport: ProviderTransport,
): Providers {
  const { registration } = options
  const settings = (redirectUri: string) => ({
    ...{ ...options, redirectUri, publish },
    authorizationParams: commonParameters(options, redirectUri),
  })
  if (typeof registration !== 'function') {
    const provider = createProvider({ ...settings(options.redirectUri), registration, transport })
    return { fixed: provider, of: () => provider.forRequest() }
  }

  const kept = new OldestFirst<string, Provider>()
  return {
    fixed: undefined,
    async of(request) {
      const named = await registration(request)
      const chosen = checkRegistration(named, options.allowPrivateIssuers)
      const redirectUri = named.sharedCallback
        ? options.redirectUri
        : issuerRedirectUri(options.redirectUri, chosen.issuer)
      const { issuer, clientId, clientSecret } = chosen
      const key = createHash('sha256')
        .update(JSON.stringify([issuer.href, clientId, clientSecret, redirectUri]))
        .digest('base64url')
      const provider =
        kept.get(key) ??
        createProvider({
          ...settings(redirectUri),
          registration: chosen,
          transport: options.allowPrivateIssuers || options.fetch ? transport : guardedTransport,
        })
      remember(kept, key, provider, MAX_PROVIDERS)
      return provider.forRequest()
    },
  }
}

function checkRegistration(
  chosen: IssuerRegistration | undefined,
  allowPrivate: boolean,
): ResolvedRegistration {
  const href = String(chosen?.issuer ?? '')
  const issuer = URL.canParse(href) ? new URL(href) : undefined
  if (!chosen || !issuer || !chosen.clientId) {
    const remedy = 'the resolver must return { issuer, clientId, clientSecret } for every request'
    throw new ConfigError([{ option: 'issuer', remedy }])
  }
  if (!isUsableUrl(issuer) || (issuer.protocol !== 'https:' && !allowPrivate)) {
    throw new ProviderError(
      'LATCHKEY_PROVIDER_INVALID',
      'The issuer that the resolver named is not a plain https:// URL.',
    )
  }
  const { clientId, clientSecret } = chosen
  return { issuer, discovery: discoveryUrlOf(issuer), clientId, clientSecret }
}
