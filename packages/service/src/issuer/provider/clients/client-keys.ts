import { LRUCache } from 'lru-cache'
import { errors } from 'oidc-provider'
import type { Clock } from '../../../clock.ts'
import {
  type PublicKeySet,
  publishedKeys,
} from '../../../domain/applications/application-profile.ts'
import type { Outgoing } from '../../../egress/outgoing.ts'

/** The time after which published keys are fetched again, in milliseconds. */
const FRESH_MS = 300_000

/**
 * The time during which published keys are used if they can't be fetched again, in milliseconds.
 */
const STALE_MS = 3_600_000

/**
 * The minimum time between two fetches of a key set, in milliseconds. It also applies when the set
 * lacks a key, because any client assertion can name an unknown key.
 */
const PAUSE_MS = 10_000

/** The maximum number of cached key sets, of some kilobytes each. */
const MAX_KNOWN = 500

/**
 * A request for the published keys of an application. `kid` is the key ID in the header of the
 * client assertion.
 */
export interface AskedKeys {
  readonly tenantId: string
  readonly applicationId: string
  readonly url: string
  readonly kid: unknown
}

/** The public keys that applications publish at their own URLs. */
export interface ClientKeys {
  /**
   * Returns the keys at a URL. They are fetched if they are older than five minutes or lack the
   * key. If the fetch fails, keys fetched within the last hour are returned.
   *
   * @throws InvalidClientAuth if no keys were fetched within the last hour. The log has the reason.
   */
  of(asked: AskedKeys): Promise<PublicKeySet>
}

interface Known {
  readonly keys?: PublicKeySet
  readonly readAt?: number
  readonly triedAt: number
}

/** Creates the cache of published keys. */
export function createClientKeys(context: {
  clock: Clock
  outgoing: Pick<Outgoing, 'reading'>
  logger: { warn(facts: object, message: string): void }
}): ClientKeys {
  const { clock, outgoing, logger } = context
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN })
  const reading = new Map<string, Promise<Known>>()

  /**
   * Whether a time is less than `ms` ago. `false` for a time in the future, which occurs after the
   * clock was set back.
   */
  function isWithin(ms: number, at: number | undefined): boolean {
    const age = clock.now() - (at ?? Number.NEGATIVE_INFINITY)
    return age >= 0 && age < ms
  }

  async function read({ tenantId, applicationId, url }: AskedKeys, before?: Known): Promise<Known> {
    try {
      const send = outgoing.reading(tenantId)
      const response = await send(url, { headers: { accept: 'application/json' } })
      if (response.status !== 200) throw new Error(`It was answered with ${response.status}.`)
      const keys = publishedKeys(await response.text())
      const now = clock.now()
      return { keys, readAt: now, triedAt: now }
    } catch (error) {
      const reason = reasonOf(error)
      const facts = { tenantId, applicationId, jwksUri: url, reason }
      logger.warn(facts, 'The published keys of an application cannot be read.')
      return { ...before, triedAt: clock.now() }
    }
  }

  return {
    async of(asked) {
      const name = `${asked.tenantId} ${asked.url}`
      let found = known.get(name)
      const isFresh = isWithin(FRESH_MS, found?.readAt) && hasKey(found?.keys, asked.kid)
      if (!isFresh && !isWithin(PAUSE_MS, found?.triedAt)) {
        const started = reading.get(name) ?? read(asked, found).finally(() => reading.delete(name))
        reading.set(name, started)
        found = await started
        known.set(name, found)
      }
      if (found?.keys && isWithin(STALE_MS, found.readAt)) return found.keys
      throw new errors.InvalidClientAuth('the published keys of the application cannot be read')
    },
  }
}

/** Whether a set may contain a key. Without a key ID, `true`: only the signature check can tell. */
function hasKey(set: PublicKeySet | undefined, kid: unknown): boolean {
  return kid === undefined || (set?.keys.some((key) => key.kid === kid) ?? false)
}

/** The message of the innermost cause. The outer error of `fetch` only says "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}
