/**
 * Makes a function that collects items for `ms` milliseconds, and passes them to `flush` together.
 * Each call resolves to the result of its item.
 *
 * @param flush - Resolves to a result for each item.
 */
export function inBatches<T, R>(
  ms: number,
  flush: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  let waiting: { item: T; result: PromiseWithResolvers<R> }[] = []

  async function hand(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      const results = await flush(batch.map(({ item }) => item))
      for (const [i, { result }] of batch.entries()) result.resolve(results[i] as R)
    } catch (error) {
      for (const { result } of batch) result.reject(error)
    }
  }

  return (item) => {
    const result = Promise.withResolvers<R>()
    if (waiting.push({ item, result }) === 1) setTimeout(() => void hand(), ms)
    return result.promise
  }
}
