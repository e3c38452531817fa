import { admissionAfter } from '../store/attempts.ts'
import type { AttemptLimit, Attempts, ProtocolStore } from '../store/protocol-store.ts'
import { type DomainContext, nowMicros } from './context.ts'

/** Failures that are counted under a key, and how many of them are free. */
export interface Counter {
  readonly key: string
  readonly limit: AttemptLimit
}

/** An attempt that may be judged, or the counter by which it has to wait. */
export type Entry<C extends Counter> =
  | { kind: 'entered'; leave(): void }
  | { kind: 'refused'; counter: C; retryAfterSeconds: number }

/** Lets attempts pass of which only failures are counted. */
export interface AttemptGate {
  /**
   * Lets an attempt pass all of its counters. It waits while attempts under way could, by failing, use
   * up what is free: then no more guesses are judged than one after another, and none is refused that
   * would not be refused then.
   *
   * Call `leave` once, after the failure was counted or forgiven.
   */
  enter<C extends Counter>(counters: readonly C[]): Promise<Entry<C>>
}

/** Makes the gate over the counters of the store; attempts under way are those of this process. */
export function createAttemptGate(
  { clock }: Pick<DomainContext, 'clock'>,
  protocol: ProtocolStore,
): AttemptGate {
  const underWay = new Map<string, number>()
  const waiting = new Map<string, (() => void)[]>()
  let departures = 0

  /** Decides at once, so that nothing leaves unnoticed before the attempt has entered or waits. */
  function decide<C extends Counter>(
    counters: readonly C[],
    made: readonly (Attempts | undefined)[],
    waitedFor: string | undefined,
  ): Entry<C> | { kind: 'waits'; key: string; turn: Promise<void> } {
    for (const [index, counter] of counters.entries()) {
      const { key, limit } = counter
      const running = underWay.get(key) ?? 0
      if (running > 0 && (made[index]?.count ?? 0) + running >= limit.free) {
        return { kind: 'waits', key, turn: lineUp(key, key === waitedFor) }
      }
      const admission = admissionAfter(made[index], limit, nowMicros(clock))
      if (admission.kind === 'refused') return { ...admission, counter }
    }
    for (const { key } of counters) underWay.set(key, (underWay.get(key) ?? 0) + 1)
    return { kind: 'entered', leave: () => leave(counters) }
  }

  function leave(counters: readonly Counter[]): void {
    departures++
    for (const { key } of counters) {
      const left = (underWay.get(key) ?? 0) - 1
      if (left > 0) underWay.set(key, left)
      else underWay.delete(key)
      wakeNext(key)
    }
  }

  function wakeNext(key: string): void {
    const line = waiting.get(key)
    line?.shift()?.()
    if (line?.length === 0) waiting.delete(key)
  }

  function lineUp(key: string, isFirst: boolean): Promise<void> {
    const line = waiting.get(key) ?? []
    waiting.set(key, line)
    return new Promise((resolve) => {
      if (isFirst) line.unshift(resolve)
      else line.push(resolve)
    })
  }

  async function enter<C extends Counter>(counters: readonly C[]): Promise<Entry<C>> {
    let waitedFor: string | undefined
    while (true) {
      let decision: ReturnType<typeof decide<C>> | undefined
      try {
        let made: (Attempts | undefined)[]
        let before: number
        do {
          // An attempt that leaves meanwhile could be seen as neither failed nor under way.
          before = departures
          made = await Promise.all(counters.map(({ key }) => protocol.attempts(key)))
        } while (departures !== before)
        decision = decide(counters, made, waitedFor)
        if (decision.kind !== 'waits') return decision
      } finally {
        // Whatever came of this turn may have left room for the next in line.
        const keepsTurn = decision?.kind === 'waits' && decision.key === waitedFor
        if (waitedFor !== undefined && !keepsTurn) wakeNext(waitedFor)
      }
      waitedFor = decision.key
      await decision.turn
    }
  }

  return { enter }
}
