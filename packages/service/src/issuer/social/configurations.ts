import { LRUCache } from 'lru-cache'
import type { Configuration, CustomFetch } from 'openid-client'
import { recipes } from '../../domain/connections/connection-recipes.ts'
import { openConnectionSecret } from '../../domain/connections/connections.ts'
import type { DomainContext } from '../../domain/writes/context.ts'
import type { Outgoing } from '../../egress/outgoing.ts'
import type { Connection } from '../../store/records.ts'
import { appleSecret } from './apple-secret.ts'
import { factsOf, reach, Unreachable } from './failures.ts'
import { githubMetadata, withErrorStatus } from './github.ts'

/** The time after which a provider's metadata are fetched again, in milliseconds. */
const FRESH_MS = 3_600_000

/** The pause after a failed fetch, in milliseconds. During the pause, the old metadata are used. */
const RETRY_MS = 60_000

/** The maximum number of cached configurations, of some kilobytes each. */
const MAX_KNOWN = 500

/** The maximum difference between a provider's clock and the service's clock, in seconds. */
export const TOLERANCE_SECONDS = 30

/** The services that the client of providers uses. */
export interface UpstreamContext {
  domain: DomainContext
  outgoing: Outgoing
  logger: { warn(facts: object, message: string): void }
}

interface Known {
  config: Configuration
  freshUntil: number
}

/** The configurations of connections for openid-client. */
interface Configurations {
  /** Fetches the metadata of the provider now. */
  discover(connection: Connection): Promise<Known>
  /**
   * Returns the cached configuration, or fetches a new one. If the provider cannot be reached, an
   * old configuration is used.
   */
  configOf(connection: Connection): Promise<Configuration>
}

/** Creates the cache of configurations. openid-client is loaded with the first configuration. */
export function createConfigurations({
  domain,
  outgoing,
  logger,
}: UpstreamContext): Configurations {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN })
  const asking = new Map<string, Promise<Known>>()

  async function discover(connection: Connection): Promise<Known> {
    const client = await import('openid-client')
    const { tenantId, issuer, clientId, apple } = connection
    const secret = openConnectionSecret(domain, connection)
    const isPlain = issuer.startsWith('http:')
    const read = outgoing.reading(tenantId)
    const fetch: CustomFetch = async (url, options) => {
      const response = await reach(() => read(url, options as RequestInit))
      if (response.status >= 500) throw new Unreachable(`It answered ${response.status}.`)
      return response
    }
    if (recipes[connection.recipe].isGithub) {
      const config = new client.Configuration(
        githubMetadata(issuer),
        clientId,
        undefined,
        client.ClientSecretPost(secret),
      )
      config[client.customFetch] = async (...request) => withErrorStatus(await fetch(...request))
      if (isPlain) client.allowInsecureRequests(config)
      return { config, freshUntil: Number.POSITIVE_INFINITY }
    }
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: TOLERANCE_SECONDS },
      (server, metadata, body, headers) => {
        const own = apple ? appleSecret(connection, secret, domain.clock.now()) : secret
        const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
        const isBasic = methods.includes('client_secret_basic')
        const auth = isBasic ? client.ClientSecretBasic : client.ClientSecretPost
        auth(own)(server, metadata, body, headers)
      },
      {
        // The `fetch` for outgoing requests checks addresses, and allows plain HTTP only on
        // loopback.
        execute: isPlain
          ? [client.allowInsecureRequests, client.enableNonRepudiationChecks]
          : [client.enableNonRepudiationChecks],
        [client.customFetch]: fetch,
      },
    )
    return { config, freshUntil: domain.clock.now() + FRESH_MS }
  }

  async function configOf(connection: Connection): Promise<Configuration> {
    // The key contains `updatedAt`, so that the configuration of a changed connection is fetched
    // again.
    const key = `${connection.tenantId} ${connection.id} ${connection.updatedAt}`
    const found = known.get(key)
    if (found && found.freshUntil > domain.clock.now()) return found.config
    const asked = asking.get(key) ?? discover(connection).finally(() => asking.delete(key))
    asking.set(key, asked)
    try {
      const fresh = await asked
      known.set(key, fresh)
      return fresh.config
    } catch (error) {
      if (!found) throw error
      const { tenantId, id, issuer } = connection
      const facts = { tenantId, connection: id, issuer, ...factsOf(error) }
      logger.warn(
        facts,
        'The discovery document of a provider cannot be read; its earlier endpoints stay in use.',
      )
      found.freshUntil = domain.clock.now() + RETRY_MS
      return found.config
    }
  }

  return { discover, configOf }
}
