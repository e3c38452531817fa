import { randomUUID } from 'node:crypto'
import type { AttemptCounter, AttemptOutcome, ProtocolStore } from '../../store/protocol-store.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'

/**
 * The result of entering the gate: the attempt may be verified now, or has to wait because of a
 * counter. After the verification, `end` sets the outcome for each counter.
 */
export type Entry<C extends AttemptCounter> =
  | { kind: 'entered'; end(outcomeOf: (counter: C) => AttemptOutcome): Promise<void> }
  | { kind: 'refused'; counter: C; retryAfterSeconds: number }

/** A gate for attempts of which only failures are counted. */
export interface AttemptGate {
  /**
   * Admits an attempt if none of its counters has reached its limit. The call waits while the
   * attempts in progress, in all processes, could reach a limit if they failed. So parallel
   * attempts allow no more guesses than consecutive ones, and no attempt is refused needlessly.
   *
   * Call `end` of the returned entry once.
   */
  enter<C extends AttemptCounter>(counters: readonly C[]): Promise<Entry<C>>
}

/** An attempt that waits for other attempts to end. */
interface Waiter {
  wake(): void
}

/**
 * The seconds after which an attempt no longer counts as in progress, because its process may have
 * died or be blocked.
 */
const UNDER_WAY_SECONDS = 30

/**
 * The minimum interval, in milliseconds, at which the first waiting attempt checks whether attempts
 * of other processes have ended. The maximum is twice as long.
 */
const ASK_AGAIN_MS = 25

/** Creates the gate. Its counters are in the protocol store. */
export function createAttemptGate(
  { clock }: Pick<DomainContext, 'clock'>,
  protocol: ProtocolStore,
): AttemptGate {
  /**
   * The waiting attempts of this process, by the key of their counter. Only the first one of each
   * counter checks again.
   */
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

  /**
   * Removes a waiter from a line, and wakes the waiter that is then first in the line. The removed
   * attempt may have left room for its attempt.
   */
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
