import { randomUUID } from 'node:crypto'
import type { AttemptCounter, AttemptOutcome, ProtocolStore } from '../../store/protocol-store.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'

/** An attempt that may be verified now, or the counter for which it has to wait. */
export type Entry<C extends AttemptCounter> =
  | { kind: 'entered'; end(outcomeOf: (counter: C) => AttemptOutcome): Promise<void> }
  | { kind: 'refused'; counter: C; retryAfterSeconds: number }

/** Admits attempts of which only failures are counted. */
export interface AttemptGate {
  /**
   * Admits an attempt at all of its counters. It waits while the attempts in progress, in all
   * processes, could reach a limit by failing. So parallel attempts allow no more guesses than
   * consecutive ones, and none is refused needlessly.
   *
   * Call `end` once.
   */
  enter<C extends AttemptCounter>(counters: readonly C[]): Promise<Entry<C>>
}

/** An attempt that waits for others. */
interface Waiter {
  wake(): void
}

/** The seconds after which an attempt no longer counts as in progress, because its process has died or was blocked. */
const UNDER_WAY_SECONDS = 30

/**
 * The interval, in milliseconds, at which the first waiting attempt checks whether attempts of other processes have
 * ended.
 */
const ASK_AGAIN_MS = 25

/** Makes the gate. The counters are in the store. */
export function createAttemptGate(
  { clock }: Pick<DomainContext, 'clock'>,
  protocol: ProtocolStore,
): AttemptGate {
  /** The attempts of this process that wait for a counter. The first of them checks again. */
  const lines = new Map<string, Waiter[]>()

  async function begin<C extends AttemptCounter>(
    counters: readonly C[],
    attempt: string,
  ): Promise<Entry<C> | { kind: 'busy'; key: string }> {
    const until = nowMicros(clock) + UNDER_WAY_SECONDS * 1e6
    const beginning = await protocol.beginAttempt(counters, attempt, until)
    if (beginning.kind !== 'admitted') {
      const counter = counters[beginning.counter] as C
      return beginning.kind === 'busy'
        ? { kind: 'busy', key: counter.key }
        : { ...beginning, counter }
    }
    const end = async (outcomeOf: (counter: C) => AttemptOutcome) => {
      const ends = counters.map((counter) => ({ ...counter, outcome: outcomeOf(counter) }))
      try {
        await protocol.endAttempt(ends, attempt)
      } finally {
        for (const { key } of counters) lines.get(key)?.[0]?.wake()
      }
    }
    return { kind: 'entered', end }
  }

  async function enter<C extends AttemptCounter>(counters: readonly C[]): Promise<Entry<C>> {
    const attempt = randomUUID()
    const waiter: Waiter = { wake() {} }
    let waitsAt: string | undefined
    try {
      while (true) {
        const entry = await begin(counters, attempt)
        if (entry.kind !== 'busy') return entry
        if (entry.key !== waitsAt) {
          leave(waitsAt, waiter)
          waitsAt = entry.key
          join(waitsAt, waiter)
        }
        await turn(waitsAt, waiter)
      }
    } finally {
      leave(waitsAt, waiter)
    }
  }

  function join(key: string, waiter: Waiter): void {
    const line = lines.get(key)
    if (line) line.push(waiter)
    else lines.set(key, [waiter])
  }

  /** The outcome of the first one's turn may have left room for the next. */
  function leave(key: string | undefined, waiter: Waiter): void {
    if (key === undefined) return
    const line = lines.get(key)
    if (!line) return
    line.splice(line.indexOf(waiter), 1)
    if (line.length === 0) lines.delete(key)
    else line[0]?.wake()
  }

  function turn(key: string, waiter: Waiter): Promise<void> {
    return new Promise((resolve) => {
      const isFirst = lines.get(key)?.[0] === waiter
      const timer = isFirst ? setTimeout(resolve, ASK_AGAIN_MS * (1 + Math.random())) : undefined
      waiter.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  return { enter }
}
