import {
  allowInsecureRequests,
  ClientSecretBasic,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import { ProviderError } from './errors.ts'
import type { ResolvedAuthOptions } from './options.ts'

/** The provider as this application knows it. */
export interface Provider {
  readonly issuer: string
  readonly clientId: string
  /**
   * What the provider published, looked up at first use, by one request however many ask.
   *
   * @throws {@link ProviderError} with `LATCHKEY_PROVIDER_UNAVAILABLE` when it cannot be had.
   */
  configuration(): Promise<Configuration>
}

const TIMEOUT_SECONDS = 10

/** Makes the provider of the options. Nothing is fetched before it is needed. */
export function createProvider(options: ResolvedAuthOptions): Provider {
  let ready: Configuration | undefined
  let inFlight: Promise<Configuration> | undefined

  const discover = async (): Promise<Configuration> => {
    try {
      const insecure = options.issuer.protocol === 'http:' ? [allowInsecureRequests] : []
      ready = await discovery(
        options.issuer,
        options.clientId,
        { client_secret: options.clientSecret },
        ClientSecretBasic(options.clientSecret),
        {
          execute: [enableNonRepudiationChecks, ...insecure],
          timeout: TIMEOUT_SECONDS,
          [customFetch]: options.fetch as CustomFetch,
        },
      )
      return ready
    } catch (cause) {
      throw new ProviderError(
        'LATCHKEY_PROVIDER_UNAVAILABLE',
        `The provider ${options.issuer.origin} could not be read; is it running and is "issuer" right?`,
        { cause },
      )
    } finally {
      inFlight = undefined
    }
  }

  return {
    issuer: options.issuer.href,
    clientId: options.clientId,
    async configuration() {
      if (ready) return ready
      inFlight ??= discover()
      return inFlight
    },
  }
}
