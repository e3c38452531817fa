import type { AttemptMethods, ProtocolStore } from '../protocol-store.ts'
import type { Scripted } from './connection.ts'
import { counterOf, keyOf } from './keys.ts'
import { answered } from './scripts.ts'

/**
 * Makes the methods that count attempts. A group of counters is one hash, with a field for each
 * counter.
 */
export function createAttempts({
  client,
  scripts,
  now,
}: Scripted): Pick<ProtocolStore, AttemptMethods> {
  const beginAttempt: ProtocolStore['beginAttempt'] = async (counters, attempt, until) => {
    const keys = counters.map(({ key }) => counterOf(key)[0])
    const limits = counters.flatMap(({ key, limit: { free, baseSeconds, maxSeconds } }) => [
      ...[counterOf(key)[1], free, baseSeconds, maxSeconds],
    ])
    const begun = await scripts.beginAttempt(keys, now(), attempt, until, ...limits)
    if (begun === undefined) return beginApart(counters, attempt, until)
    const [number, wait] = begun as [number, number]
    if (number === 0) return { kind: 'admitted' }
    const counter = number - 1
    return wait === -1
      ? { kind: 'busy', counter }
      : { kind: 'refused', counter, retryAfterSeconds: wait }
  }

  /**
   * Begins an attempt at counters on several servers, one after another. If a counter refuses the
   * attempt, the attempt is ended at the earlier counters.
   */
  const beginApart: ProtocolStore['beginAttempt'] = async (counters, attempt, until) => {
    for (const [counter, one] of counters.entries()) {
      const begun = await beginAttempt([one], attempt, until)
      if (begun.kind === 'admitted') continue
      const before = counters.slice(0, counter)
      await endAttempt(
        before.map((each) => ({ ...each, outcome: 'unchanged' })),
        attempt,
      )
      return { ...begun, counter }
    }
    return { kind: 'admitted' }
  }

  const endAttempt: ProtocolStore['endAttempt'] = async (ends, attempt) => {
    if (ends.length === 0) return
    const keys = ends.map(({ key }) => counterOf(key)[0])
    const outcomes = ends.flatMap(({ key, limit, outcome }) => [
      ...[counterOf(key)[1], limit.forgetSeconds, outcome],
    ])
    const ended = await scripts.endAttempt(keys, now(), attempt, ...outcomes)
    if (ended === undefined) await Promise.all(ends.map((one) => endAttempt([one], attempt)))
  }

  return {
    async admit(key, { forgetSeconds, free, baseSeconds, maxSeconds }) {
      const [group, field] = counterOf(key)
      const limit = [free, baseSeconds, maxSeconds]
      const wait = await scripts.admit(group, field, now(), forgetSeconds, ...limit)
      return wait === 0
        ? { kind: 'admitted' }
        : { kind: 'refused', retryAfterSeconds: wait as number }
    },

    async attempts(key) {
      const [group, field] = counterOf(key)
      const [count, lastAt] = (await scripts.attempts(group, field, now())) as [number, string]
      return count === 0 ? undefined : { count, lastAt: Number(lastAt) }
    },

    async attemptsOf(group) {
      const fields = await answered('hgetall', client.hgetall(keyOf('n', group)))
      const at = now()
      return Object.entries(fields).flatMap(([member, made]) => {
        // The fields of attempts in progress have another form, and are left out.
        const [, count, lastAt, forgetAt] = /^(\d+) (\d+) (\d+)$/.exec(made) ?? []
        if (Number(forgetAt ?? 0) <= at) return []
        return [{ member, count: Number(count), lastAt: Number(lastAt) }]
      })
    },

    beginAttempt,
    endAttempt,

    async resetAttempt(key) {
      const [group, field] = counterOf(key)
      await answered('hdel', client.hdel(group, field))
    },

    async resetAttempts(group) {
      await answered('del', client.del(keyOf('n', group)))
    },
  }
}
