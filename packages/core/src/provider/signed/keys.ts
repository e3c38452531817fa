import { ProviderError } from '../../errors/errors.ts'
import { createTokenBucket } from '../token-bucket.ts'
import type { JwtHeader } from './jwt.ts'
import { type KeySet, parseKeySet } from './signature.ts'

/**
 * The sender of a token: `provider`, over a connection that we opened, or `anybody` who can reach
 * one of our routes. Fetches of keys are limited for each kind of sender, so that a flood of tokens
 * from outside does not block tokens of the provider.
 */
export type TokenSender = 'provider' | 'anybody'

/** The keys that a provider publishes. */
export interface ProviderKeys {
  /** The key set, if it is fresh and has a key for the header. Fetches nothing. */
  known(header: JwtHeader): KeySet | undefined
  /**
   * The key set for a token. The set is fetched if it has no key for the header, or if it is older
   * than an hour, because keys can be withdrawn. Parallel calls share one fetch. Tokens with
   * unknown keys cause at most two fetches at once, and then one every half minute.
   *
   * @throws {@link ProviderError} when a fetch is needed and fails. Known keys stay in use
   *   meanwhile, and a fetch for a token of the provider is tried again at once.
   */
  find(header: JwtHeader, sender: TokenSender): Promise<KeySet>
}

/** Settings of a provider's keys. */
export interface ProviderKeysSettings {
  /** Fetches the document at `jwks_uri`; `undefined` if the status was not 200. */
  readonly download: () => Promise<string | undefined>
  readonly now: () => number
}

const MAX_AGE_SECONDS = 3600
const BURST = 2
const REFILL_SECONDS = 30

/** Makes the keys of a provider. Nothing is fetched yet. */
export function createProviderKeys({ download, now }: ProviderKeysSettings): ProviderKeys {
  const buckets = {
    provider: createTokenBucket(BURST, REFILL_SECONDS),
    anybody: createTokenBucket(BURST, REFILL_SECONDS),
    renewal: createTokenBucket(1, REFILL_SECONDS),
  }
  let known: { readonly set: KeySet; readonly fetchedAt: number } | undefined
  let failure: unknown
  let inFlight: Promise<KeySet> | undefined

  const fetch = (): Promise<KeySet> => {
    inFlight ??= download()
      .then((body) => {
        const set = body === undefined ? undefined : parseKeySet(body)
        if (!set) {
          throw new ProviderError('LATCHKEY_PROVIDER_INVALID', 'The jwks_uri holds no key set.')
        }
        known = { set, fetchedAt: now() }
        failure = undefined
        return set
      })
      .catch((error) => {
        failure = error
        throw error
      })
      .finally(() => {
        inFlight = undefined
      })
    return inFlight
  }

  const isFresh = (): boolean => {
    const age = now() - (known?.fetchedAt ?? Number.NEGATIVE_INFINITY)
    // The clock may have been set back.
    return age >= 0 && age < MAX_AGE_SECONDS
  }

  /**
   * The known key set, fetched again if it is too old. If that fails, or failed within half a
   * minute, the old set.
   */
  const renewed = async (): Promise<KeySet | undefined> => {
    const old = known?.set
    if (!old || isFresh() || (!inFlight && !buckets.renewal.take())) return old
    return fetch().catch(() => old)
  }

  return {
    known: (header) => (known?.set.has(header) && isFresh() ? known.set : undefined),
    async find(header, sender) {
      const set = await renewed()
      if (set?.has(header)) return set
      if (inFlight) {
        const arrived = await inFlight
        if (arrived.has(header)) return arrived
      }
      if (!inFlight && !buckets[sender].take()) {
        if (failure || !known) throw failure
        return known.set
      }
      try {
        return await fetch()
      } catch (error) {
        if (sender === 'provider') buckets[sender].giveBack()
        throw error
      }
    },
  }
}
