import type { ProtocolStore } from '../../../src/store/protocol-store.ts'

/**
 * Holds everybody who is about to spend something until so many have come: all of them have found it
 * unspent by then, and what decides is the store alone.
 */
export function spendTogether(kind: string, count: number) {
  let waiting = count
  const gate = Promise.withResolvers<void>()
  return (protocol: ProtocolStore): ProtocolStore => ({
    ...protocol,
    async write(changes) {
      const isSpending = changes.some((one) => one.kind === 'consume' && one.name.kind === kind)
      if (isSpending && --waiting === 0) gate.resolve()
      if (isSpending) await gate.promise
      return protocol.write(changes)
    },
  })
}
