import { ProviderError } from '../errors/errors.ts'

/** The limits for the exchanges of one request with the provider. */
export interface ExchangeLimits {
  /** Seconds for one exchange. */
  readonly timeoutSeconds: number
  /** Seconds for all exchanges of the request together. */
  readonly requestSeconds: number
}

/** The time that one request has left for its exchanges with the provider. */
export interface ExchangeBudget {
  /**
   * Runs an exchange and counts its time. Time between exchanges is not counted.
   *
   * @param exchange - Receives the seconds that it may take, and must observe them.
   * @throws {@link ProviderError} with `LATCHKEY_PROVIDER_UNAVAILABLE` if the request has no time
   *   left.
   */
  spend<T>(exchange: (timeoutSeconds: number) => Promise<T>): Promise<T>
  /**
   * Waits for an exchange that other requests may share. The exchange continues after this request
   * has stopped waiting.
   *
   * @throws {@link ProviderError} with `LATCHKEY_PROVIDER_UNAVAILABLE` when the time is up.
   */
  share<T>(exchange: () => Promise<T>): Promise<T>
}

/**
 * The pause after which a request that is still open, such as an event stream, gets a new time
 * budget.
 */
const PAUSE_MS = 60_000

/** Makes the budget of one request. */
export function createExchangeBudget({
  timeoutSeconds,
  requestSeconds,
}: ExchangeLimits): ExchangeBudget {
  let left = requestSeconds
  let endedAt = Number.POSITIVE_INFINITY
  const spend: ExchangeBudget['spend'] = async (exchange) => {
    const startedAt = performance.now()
    if (startedAt - endedAt > PAUSE_MS) left = requestSeconds
    const seconds = Math.min(timeoutSeconds, left)
    if (seconds <= 0) throw exhausted(requestSeconds)
    try {
      return await exchange(seconds)
    } finally {
      endedAt = performance.now()
      left -= (endedAt - startedAt) / 1000
    }
  }
  return {
    spend,
    share: (exchange) => spend((seconds) => inTime(exchange(), seconds, requestSeconds)),
  }
}

function inTime<T>(exchange: Promise<T>, seconds: number, requestSeconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // 50 ms are added, so that the timeout of the exchange, which has a better message, comes first
    // if both limits are the same.
    const timer = setTimeout(() => reject(exhausted(requestSeconds)), seconds * 1000 + 50)
    exchange.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function exhausted(requestSeconds: number): ProviderError {
  return new ProviderError(
    'LATCHKEY_PROVIDER_UNAVAILABLE',
    `The exchanges with the provider took too long: one request may spend ${requestSeconds} s on them ("requestSeconds").`,
  )
}
