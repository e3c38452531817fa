import { LatchkeyError } from '../errors/errors.ts'
import type { Publish } from '../log/events.ts'

/**
 * The last known state of the provider. `stale`: the last fetch failed, so cached metadata are
 * used.
 */
export interface ProviderHealth {
  readonly provider: 'unknown' | 'ok' | 'stale' | 'unavailable'
  /** When the provider's metadata were last fetched, in seconds since the epoch. */
  readonly discoveredAt: number | undefined
}

/** A cache of the provider's metadata. */
export interface MetadataCache<T> {
  /** The cached metadata, or a promise if they have to be fetched first. */
  get(): T | Promise<T>
  health(): ProviderHealth
}

/**
 * Settings of a {@link MetadataCache}: the function that fetches the metadata, and the function
 * that publishes events.
 */
export interface MetadataCacheSettings<T> {
  readonly issuer: string
  lookUp(): Promise<T>
  readonly now: () => number
  readonly publish: Publish
}

/** The seconds after which cached metadata are fetched again. */
const MAX_AGE_SECONDS = 3600
const RETRY_SECONDS = 30

/**
 * Makes a cache of the provider's metadata. They are fetched at first use, once for parallel
 * callers. After an hour, the next use fetches them again in the background. If that fails, the old
 * metadata stay in use.
 */
export function createMetadataCache<T>(settings: MetadataCacheSettings<T>): MetadataCache<T> {
  const { issuer, now, publish } = settings
  let known: { readonly value: T } | undefined
  let discoveredAt: number | undefined
  let failedAt: number | undefined
  let inFlight: Promise<T> | undefined

  const lookUp = async (): Promise<T> => {
    try {
      const value = await settings.lookUp()
      known = { value }
      discoveredAt = now()
      failedAt = undefined
      publish('discovery.refreshed', { issuer })
      return value
    } catch (error) {
      failedAt = now()
      const code = error instanceof LatchkeyError ? { code: error.code } : {}
      publish(known ? 'discovery.stale' : 'discovery.failed', { issuer, ...code })
      if (known) return known.value
      throw error
    } finally {
      inFlight = undefined
    }
  }

  return {
    get() {
      if (!known) {
        inFlight ??= lookUp()
        return inFlight
      }
      const isDue = !isWithin(discoveredAt, MAX_AGE_SECONDS, now())
      if (isDue && !inFlight && !isWithin(failedAt, RETRY_SECONDS, now())) inFlight = lookUp()
      return known.value
    },
    health() {
      if (!known) return { provider: failedAt ? 'unavailable' : 'unknown', discoveredAt }
      return { provider: failedAt ? 'stale' : 'ok', discoveredAt }
    },
  }
}

/** Whether an instant is less than `seconds` ago; `false` if the clock was set back. */
function isWithin(instant: number | undefined, seconds: number, now: number): boolean {
  const age = now - (instant ?? Number.NEGATIVE_INFINITY)
  return age >= 0 && age < seconds
}
