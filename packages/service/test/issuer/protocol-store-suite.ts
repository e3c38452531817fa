import { expect, test } from 'vitest'
import type {
  AttemptLimit,
  ClaimedMessage,
  EntryPlace,
  ProtocolEntry,
  ProtocolStore,
} from '../../src/store/protocol-store.ts'

/** A store under test, and its clock. */
export interface StoreUnderTest extends AsyncDisposable {
  store: ProtocolStore
  clock: { millis: number }
}

const limit: AttemptLimit = { free: 2, baseSeconds: 10, maxSeconds: 40, forgetSeconds: 3_600 }

/**
 * What every protocol store promises.
 *
 * @param options - `expiresByItself`: nothing is left for pruning to remove.
 */
export function describeProtocolStore(
  open: () => Promise<StoreUnderTest>,
  { expiresByItself = false }: { expiresByItself?: boolean } = {},
): void {
  const micros = (clock: { millis: number }, seconds = 0) => (clock.millis + seconds * 1000) * 1000

  function entry(clock: { millis: number }, changes: Partial<ProtocolEntry> = {}): ProtocolEntry {
    return {
      tenantId: 'ten_1',
      kind: 'Session',
      key: 'k1',
      payload: '{"a":1}',
      expiresAt: micros(clock, 60),
      grantId: 'g1',
      uid: 'u1',
      accountId: 'usr_1',
      consumedAt: undefined,
      ...changes,
    }
  }

  test('an entry is found by its name, by its second name and by its user, as it was put', async () => {
    await using under = await open()
    const { store, clock } = under
    const put = entry(clock)
    await store.put(put)
    expect(await store.find(put)).toEqual(put)
    expect(await store.findByUid('ten_1', 'Session', 'u1')).toEqual(put)
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toEqual([put])
  })

  test('the entries of an account are listed in parts, the last one first, each once', async () => {
    await using under = await open()
    const { store, clock } = under
    const names = Array.from({ length: 7 }, (_, number) => `k${number}`)
    for (const [number, key] of names.entries()) {
      // Three of them in the same moment.
      if (number < 2 || number > 4) clock.millis += 1_000
      await store.put(entry(clock, { key, uid: key }))
    }
    await store.put(entry(clock, { key: 'other', uid: 'other', accountId: 'usr_2' }))
    const keys: string[] = []
    const sizes: number[] = []
    let after: EntryPlace | undefined
    do {
      const part = await store.pageByAccount('ten_1', 'Session', 'usr_1', { after, limit: 2 })
      keys.push(...part.entries.map(({ key }) => key))
      sizes.push(part.entries.length)
      after = part.next
    } while (after)
    expect(sizes).toEqual([2, 2, 2, 1])
    expect(keys.toSorted()).toEqual(names)
    expect([keys[0], keys[1], keys.at(-1)]).toEqual(['k6', 'k5', 'k0'])

    const first = await store.pageByAccount('ten_1', 'Session', 'usr_1', {
      after: undefined,
      limit: 3,
    })
    await store.delete(entry(clock, { key: 'k5' }))
    await store.delete(entry(clock, { key: first.entries.at(-1)?.key ?? '' }))
    const rest = await store.pageByAccount('ten_1', 'Session', 'usr_1', {
      after: first.next,
      limit: 100,
    })
    expect(rest.next).toBeUndefined()
    expect(rest.entries).toHaveLength(4)
    clock.millis += 61_000
    const none = { entries: [], next: undefined }
    const gone = { after: undefined, limit: 5 }
    expect(await store.pageByAccount('ten_1', 'Session', 'usr_1', gone)).toEqual(none)
  })

  test('an entry of another tenant or kind is another entry', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    await store.put(entry(clock, { tenantId: 'ten_2', payload: '{"a":2}' }))
    await store.put(entry(clock, { kind: 'Grant', payload: '{"a":3}' }))
    expect((await store.find(entry(clock)))?.payload).toBe('{"a":1}')
    expect((await store.findByUid('ten_2', 'Session', 'u1'))?.payload).toBe('{"a":2}')
    await store.deleteByGrant('ten_2', 'Session', 'g1')
    expect(await store.find(entry(clock))).toBeDefined()
    expect(await store.find(entry(clock, { tenantId: 'ten_2' }))).toBeUndefined()
    expect(await store.listByAccount('ten_1', 'Grant', 'usr_1')).toHaveLength(1)
  })

  test('an entry that is put again replaces the first, under its new second name only', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    await store.put(entry(clock, { uid: 'u2', accountId: 'usr_2', payload: '{}' }))
    expect(await store.findByUid('ten_1', 'Session', 'u1')).toBeUndefined()
    expect((await store.findByUid('ten_1', 'Session', 'u2'))?.payload).toBe('{}')
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toEqual([])
  })

  test('an entry is gone the moment it expires', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    clock.millis += 59_999
    expect(await store.find(entry(clock))).toBeDefined()
    clock.millis += 1
    expect(await store.find(entry(clock))).toBeUndefined()
    expect(await store.findByUid('ten_1', 'Session', 'u1')).toBeUndefined()
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toEqual([])
    expect(await store.consume(entry(clock))).toBe(false)
    expect(await store.takeByUid('ten_1', 'Session', 'u1')).toBeUndefined()
  })

  test('an entry that ends soon lives on once it is found with a renewal, and is found as it was before', async () => {
    await using under = await open()
    const { store, clock } = under
    const renewal = { left: 60, seconds: 3_600 }
    const put = entry(clock, { uid: undefined, accountId: undefined, grantId: undefined })
    await store.put(put)
    clock.millis += 59_999
    expect(await store.find(put, renewal)).toEqual(put)

    const renewed = { ...put, expiresAt: micros(clock, 3_600) }
    clock.millis += 1_000
    expect(await store.find(put, renewal)).toEqual(renewed)
    expect(await store.find(put)).toEqual(renewed)

    clock.millis += 3_599_000
    expect(await store.find(put, renewal)).toBeUndefined()
    expect(await store.find(put)).toBeUndefined()
    expect(await store.find({ ...put, key: 'k2' }, renewal)).toBeUndefined()
  })

  test('of sixteen parallel attempts to use an entry up, exactly one succeeds', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, () => store.consume(entry(clock))),
    )
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    expect((await store.find(entry(clock)))?.consumedAt).toBe(micros(clock))
  })

  test('an entry that was replaced since it was read is not spent', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    await store.put({ ...entry(clock), payload: '{"new":true}' })
    expect(await store.consume(entry(clock), entry(clock).payload)).toBe(false)
    expect((await store.find(entry(clock)))?.consumedAt).toBeUndefined()
    expect(await store.consume(entry(clock), '{"new":true}')).toBe(true)
    expect(await store.consume(entry(clock), '{"new":true}')).toBe(false)
  })

  test('an entry is replaced only as it was read, under its new names', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    const next = entry(clock, {
      payload: '{"a":2}',
      accountId: 'usr_2',
      expiresAt: micros(clock, 90),
    })
    expect(await store.replace(next, '{"other":1}')).toBe(false)
    expect(await store.find(next)).toEqual(entry(clock))
    const outcomes = Array.from({ length: 16 }, () => store.replace(next, '{"a":1}'))
    expect((await Promise.all(outcomes)).filter(Boolean)).toHaveLength(1)
    expect(await store.find(next)).toEqual(next)
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toEqual([])
    clock.millis += 60_000
    expect(await store.listByAccount('ten_1', 'Session', 'usr_2')).toEqual([next])
    await store.consume(next)
    expect(await store.replace(next, '{"a":2}')).toBe(false)
    await store.delete(next)
    expect(await store.replace(next, '{"a":2}')).toBe(false)
    expect(await store.find(next)).toBeUndefined()
  })

  test('of sixteen parallel attempts to take an entry, exactly one gets it', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    const taken = await Promise.all(
      Array.from({ length: 16 }, () => store.takeByUid('ten_1', 'Session', 'u1')),
    )
    expect(taken.filter(Boolean)).toEqual([entry(clock)])
    expect(await store.find(entry(clock))).toBeUndefined()
  })

  test('deleting what is not there succeeds', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.delete(entry(clock))
    await store.put(entry(clock))
    await store.delete(entry(clock))
    expect(await store.find(entry(clock))).toBeUndefined()
  })

  test('what is returned is a copy', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    const found = await store.find(entry(clock))
    if (found) found.payload = 'changed'
    expect((await store.find(entry(clock)))?.payload).toBe('{"a":1}')
  })

  test('after the free attempts each further one waits twice as long, up to the maximum', async () => {
    await using under = await open()
    const { store, clock } = under
    const waits: number[] = []
    for (let attempt = 1; attempt <= 6; attempt++) {
      const first = await store.admit('key', limit)
      if (first.kind === 'admitted') continue
      waits.push(first.retryAfterSeconds)
      clock.millis += first.retryAfterSeconds * 1000
      expect((await store.admit('key', limit)).kind).toBe('admitted')
    }
    expect(waits).toEqual([10, 20, 40, 40])
  })

  test('attempts that a clock ahead has counted hold nobody up when it has gone back', async () => {
    await using under = await open()
    const { store, clock } = under
    const limit = { free: 2, baseSeconds: 5, maxSeconds: 60, forgetSeconds: 3_600 }
    clock.millis += 86_400_000
    await store.admit('key', limit)
    await store.admit('key', limit)
    expect((await store.admit('key', limit)).kind).toBe('refused')
    clock.millis -= 86_400_000
    expect((await store.admit('key', limit)).kind).toBe('admitted')
    const counters = [{ key: 'key', limit }]
    expect((await store.admit('key', limit)).kind).toBe('refused')
    await store.resetAttempt('key')
    expect((await store.beginAttempt(counters, 'one', micros(clock, 30))).kind).toBe('admitted')
  })

  test('a refused attempt does not lengthen the wait', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.admit('key', limit)
    await store.admit('key', limit)
    clock.millis += 4_000
    for (let i = 0; i < 5; i++) {
      expect(await store.admit('key', limit)).toEqual({ kind: 'refused', retryAfterSeconds: 6 })
    }
    clock.millis += 6_000
    expect((await store.admit('key', limit)).kind).toBe('admitted')
  })

  test('of parallel attempts only the free ones are admitted', async () => {
    await using under = await open()
    const { store } = under
    const all = await Promise.all(Array.from({ length: 16 }, () => store.admit('key', limit)))
    expect(all.filter(({ kind }) => kind === 'admitted')).toHaveLength(2)
  })

  test('attempts are forgotten and forgiven', async () => {
    await using under = await open()
    const { store, clock } = under
    const isFree = async () => (await store.admit('key', limit)).kind === 'admitted'
    expect([await isFree(), await isFree(), await isFree()]).toEqual([true, true, false])
    await store.resetAttempt('key')
    expect([await isFree(), await isFree(), await isFree()]).toEqual([true, true, false])
    clock.millis += 3_600_000
    expect([await isFree(), await isFree(), await isFree()]).toEqual([true, true, false])
    await store.resetAttempt('unknown')
  })

  test('every attempt counts, also one before its wait is over, until the counter is reset', async () => {
    await using under = await open()
    const { store, clock } = under
    expect(await store.attempts('key')).toBeUndefined()
    await Promise.all(Array.from({ length: 7 }, (_, n) => fail(store, 'key', `${n}`)))
    expect(await store.attempts('key')).toEqual({ count: 7, lastAt: micros(clock) })
    expect(await store.admit('key', limit)).toEqual({ kind: 'refused', retryAfterSeconds: 40 })
    clock.millis += 3_600_000
    expect(await store.attempts('key')).toBeUndefined()
    await fail(store, 'key')
    expect(await store.attempts('key')).toMatchObject({ count: 1 })
  })

  test('of parallel attempts, no more begin than may fail; the others begin when those have succeeded', async () => {
    await using under = await open()
    const { store, clock } = under
    const begin = (attempt: string) =>
      store.beginAttempt([{ key: 'key', limit }], attempt, micros(clock, 30))
    const names = Array.from({ length: 16 }, (_, n) => `attempt-${n}`)
    const begun = await Promise.all(names.map(begin))
    const admitted = names.filter((_, n) => begun[n]?.kind === 'admitted')
    expect(admitted).toHaveLength(2)
    expect(begun.filter(({ kind }) => kind === 'busy')).toHaveLength(14)

    await store.endAttempt([{ key: 'key', limit, outcome: 'unchanged' }], admitted[0] ?? '')
    expect(await begin('next')).toEqual({ kind: 'admitted' })
    expect(await begin('one too many')).toEqual({ kind: 'busy', counter: 0 })
    expect(await store.attempts('key')).toBeUndefined()
  })

  test('a failed attempt counts, a successful one resets the count, and an aborted one changes nothing', async () => {
    await using under = await open()
    const { store, clock } = under
    const begin = (attempt: string) =>
      store.beginAttempt([{ key: 'key', limit }], attempt, micros(clock, 30))
    await begin('a')
    await store.endAttempt([{ key: 'key', limit, outcome: 'failed' }], 'a')
    expect(await store.attempts('key')).toEqual({ count: 1, lastAt: micros(clock) })
    await begin('b')
    expect(await begin('c')).toEqual({ kind: 'busy', counter: 0 })
    await store.endAttempt([{ key: 'key', limit, outcome: 'failed' }], 'b')
    expect(await begin('c')).toEqual({ kind: 'refused', counter: 0, retryAfterSeconds: 10 })
    clock.millis += 10_000
    expect(await begin('c')).toEqual({ kind: 'admitted' })
    await store.endAttempt([{ key: 'key', limit, outcome: 'unchanged' }], 'c')
    expect(await store.attempts('key')).toMatchObject({ count: 2 })
    await begin('d')
    await store.endAttempt([{ key: 'key', limit, outcome: 'forgiven' }], 'd')
    expect(await store.attempts('key')).toBeUndefined()
  })

  test('an attempt that may not begin at one of its counters begins at none', async () => {
    await using under = await open()
    const { store, clock } = under
    const [narrow, wide] = [
      { key: 'narrow/1', limit: { ...limit, free: 1 } },
      { key: 'wide', limit },
    ]
    const begin = (attempt: string, ...counters: (typeof wide)[]) =>
      store.beginAttempt(counters, attempt, micros(clock, 30))
    expect(await begin('a', wide, narrow)).toEqual({ kind: 'admitted' })
    for (const attempt of ['b', 'c', 'd']) {
      expect(await begin(attempt, wide, narrow)).toEqual({ kind: 'busy', counter: 1 })
    }
    expect(await begin('e', wide)).toEqual({ kind: 'admitted' })
    await store.endAttempt(
      [
        { ...wide, outcome: 'unchanged' },
        { ...narrow, outcome: 'failed' },
      ],
      'a',
    )
    expect(await begin('f', wide, narrow)).toEqual({
      kind: 'refused',
      counter: 1,
      retryAfterSeconds: 10,
    })
    expect(await store.attempts('wide')).toBeUndefined()
    expect(await store.attempts('narrow/1')).toEqual({ count: 1, lastAt: micros(clock) })
  })

  test('several changes are made together, or none when what they spend is spent', async () => {
    await using under = await open()
    const { store, clock } = under
    const [code, token, old] = [
      entry(clock, { kind: 'AuthorizationCode', uid: undefined, accountId: undefined }),
      entry(clock, { kind: 'AccessToken', uid: undefined, accountId: undefined }),
      entry(clock, { kind: 'Interaction' }),
    ]
    const later = { ...token, key: 'k2' }
    await store.write([
      { kind: 'put', entry: code },
      { kind: 'put', entry: old },
      { kind: 'put', entry: entry(clock) },
    ])
    expect(await store.findAll([entry(clock), later, code])).toEqual([
      entry(clock),
      undefined,
      code,
    ])
    expect(await store.findByUid('ten_1', 'Session', 'u1')).toEqual(entry(clock))
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toEqual([entry(clock)])

    const redeem = (issued: ProtocolEntry) =>
      store.write([
        { kind: 'put', entry: issued },
        { kind: 'delete', name: old },
        { kind: 'consume', name: code },
      ])
    expect(await redeem(token)).toBe(true)
    expect((await store.find(code))?.consumedAt).toBe(micros(clock))
    expect(await store.findAll([token, old])).toEqual([token, undefined])

    await store.put(old)
    expect(await redeem(later)).toBe(false)
    expect(await store.findAll([later, old])).toEqual([undefined, old])
  })

  test('several changes are made together, or none when an entry has changed since it was read', async () => {
    await using under = await open()
    const { store, clock } = under
    const [session, changed] = [entry(clock), entry(clock, { payload: '{"a":2}' })]
    const moved = entry(clock, { key: 'k2', payload: '{"a":3}' })
    const code = entry(clock, { kind: 'AuthorizationCode', uid: undefined, accountId: undefined })
    const change = (read: string) =>
      store.write([
        { kind: 'put', entry: code },
        { kind: 'put', entry: changed, read },
      ])
    const move = (read: string) =>
      store.write([
        { kind: 'delete', name: session, read },
        { kind: 'put', entry: moved },
        { kind: 'put', entry: code },
      ])

    for (const write of [change, move]) expect(await write('{"a":1}')).toBe(false)
    await store.put(session)
    for (const write of [change, move]) expect(await write('{"other":1}')).toBe(false)
    expect(await store.findAll([session, moved, code])).toEqual([session, undefined, undefined])

    const changes = await Promise.all(Array.from({ length: 8 }, () => change('{"a":1}')))
    expect(changes.filter(Boolean)).toHaveLength(1)
    expect(await store.findAll([session, code])).toEqual([changed, code])
    const moves = await Promise.all(Array.from({ length: 8 }, () => move('{"a":2}')))
    expect(moves.filter(Boolean)).toHaveLength(1)
    expect(await store.findAll([session, moved])).toEqual([undefined, moved])
    expect(await store.findByUid('ten_1', 'Session', 'u1')).toEqual(moved)
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toEqual([moved])

    const remove = () => store.write([{ kind: 'delete', name: moved, read: '{"a":3}' }])
    const removals = await Promise.all(Array.from({ length: 8 }, remove))
    expect(removals.filter(Boolean)).toHaveLength(1)
    clock.millis += 60_000
    expect(await change('{"a":1}')).toBe(false)
  })

  test('a spent entry expires after the time that its spender says, and no later than before', async () => {
    await using under = await open()
    const { store, clock } = under
    const [first, second] = [entry(clock), entry(clock, { key: 'k2', uid: 'u2' })]
    const spend = (old: ProtocolEntry, next: ProtocolEntry, keepSeconds?: number) =>
      store.write([
        { kind: 'consume', name: old, keepSeconds },
        { kind: 'put', entry: next },
      ])
    await store.put(first)
    expect(await spend(first, second, 10)).toBe(true)
    expect(await spend(first, second, 10)).toBe(false)
    const spent = { ...first, expiresAt: micros(clock, 10), consumedAt: micros(clock) }
    expect(await store.find(first)).toEqual(spent)
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toHaveLength(2)

    clock.millis += 10_000
    expect(await store.find(first)).toBeUndefined()
    expect(await store.listByAccount('ten_1', 'Session', 'usr_1')).toEqual([second])
    expect(await spend(second, entry(clock, { key: 'k3', uid: 'u3' }), 3_600)).toBe(true)
    expect((await store.find(second))?.expiresAt).toBe(second.expiresAt)
  })

  test('of sixteen writes that spend the same entry, one is made', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    const issued = Array.from({ length: 16 }, (_, n) =>
      entry(clock, { kind: 'AccessToken', key: `token-${n}` }),
    )
    const made = await Promise.all(
      issued.map((one) =>
        store.write([
          { kind: 'consume', name: entry(clock) },
          { kind: 'put', entry: one },
        ]),
      ),
    )
    expect(made.filter(Boolean)).toHaveLength(1)
    expect(await store.findAll(issued)).toEqual(issued.map((one, n) => (made[n] ? one : undefined)))
  })

  test('an attempt whose process has died counts as ended after its time limit', async () => {
    await using under = await open()
    const { store, clock } = under
    const begin = (attempt: string) =>
      store.beginAttempt([{ key: 'key', limit }], attempt, micros(clock, 30))
    await begin('a')
    await begin('b')
    expect(await begin('c')).toEqual({ kind: 'busy', counter: 0 })
    clock.millis += 30_000
    expect(await begin('c')).toEqual({ kind: 'admitted' })
  })

  test('the attempts of all keys of a group are listed and forgiven together', async () => {
    await using under = await open()
    const { store } = under
    for (const key of ['a/1', 'a/2/x', 'a/2/x', 'a', 'ab/1']) await fail(store, key)
    const group = (await store.attemptsOf('a/')).sort((a, b) => a.member.localeCompare(b.member))
    expect(group).toMatchObject([
      { member: '1', count: 1 },
      { member: '2/x', count: 2 },
    ])
    await store.resetAttempts('a/')
    const counts = ['a/1', 'a/2/x', 'a', 'ab/1'].map(
      async (key) => (await store.attempts(key))?.count,
    )
    expect(await Promise.all(counts)).toEqual([undefined, undefined, 1, 1])
    expect(await store.attemptsOf('a/')).toEqual([])
  })

  test('an open, working store passes its check', async () => {
    await using under = await open()
    await expect(under.store.check()).resolves.toBeUndefined()
  })

  test('pruning removes what has expired and nothing else', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.put(entry(clock))
    await store.put(entry(clock, { key: 'k2', uid: 'u2', expiresAt: micros(clock, 3_600) }))
    clock.millis += 60_000
    expect(await store.prune()).toBe(expiresByItself ? 0 : 1)
    expect(await store.prune()).toBe(0)
    expect(await store.findByUid('ten_1', 'Session', 'u2')).toBeDefined()
  })

  test('a message that is due is claimed once, comes back after a failure and can be removed', async () => {
    await using under = await open()
    const { store, clock } = under
    const message = { id: 'm1', tenantId: 'ten_1', sealed: 'sealed' }
    await store.mail.add(message)
    await store.mail.add({ ...message, id: 'm2', isCaptured: true })
    const claims = await Promise.all([store.mail.claim(10, 300), store.mail.claim(10, 300)])
    const [claimed, ...others] = claims.flat()
    expect([claimed?.id, others]).toEqual(['m1', []])

    await store.mail.retry(claimed as ClaimedMessage, 15)
    const waiting = await store.mail.waiting(10)
    expect(waiting).toMatchObject([{ id: 'm1', attempts: 1, sealed: '' }])
    clock.millis += 14_000
    expect(await store.mail.claim(10, 300)).toEqual([])
    clock.millis += 1_000
    expect((await store.mail.claim(10, 300))[0]).toMatchObject({ attempts: 1 })
    await store.mail.remove('m1')
    expect((await store.mail.list('ten_1', 10)).map(({ id }) => id)).toEqual(['m2'])
    expect(await store.mail.list('ten_2', 10)).toEqual([])
    clock.millis += 8 * 86_400_000
    await store.prune()
    expect(await store.mail.list('ten_1', 10)).toEqual([])
  })

  test('a message that another process has sent stays sent when an attempt that is over fails late', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.mail.add({ id: 'm1', tenantId: 'ten_1', sealed: 'sealed' })
    const [earlier] = await store.mail.claim(1, 60)
    clock.millis += 61_000
    const [later] = await store.mail.claim(1, 60)
    expect(await store.mail.end((later as ClaimedMessage).id, 'sent')).toBe(true)
    await store.mail.retry(earlier as ClaimedMessage, 15, 'ETIMEDOUT')
    clock.millis += 3_600_000
    expect(await store.mail.claim(1, 60)).toEqual([])
    expect(await store.mail.backlog()).toMatchObject({ waiting: 0 })
    const sent = await store.mail.get('ten_1', 'm1')
    expect(sent).toMatchObject({ outcome: 'sent', attempts: 0, answer: undefined })
  })

  test('an attempt that is over neither extends nor ends the lease of the process that sends the message now', async () => {
    await using under = await open()
    const { store, clock } = under
    await store.mail.add({ id: 'm1', tenantId: 'ten_1', sealed: 'sealed' })
    const [earlier] = (await store.mail.claim(1, 60)) as [ClaimedMessage]
    clock.millis += 61_000
    const [later] = (await store.mail.claim(1, 60)) as [ClaimedMessage]
    await store.mail.renew([earlier], 600)
    await store.mail.retry(earlier, 15, 'ETIMEDOUT')
    const waiting = await store.mail.waiting(1)
    expect(waiting).toMatchObject([{ dueAt: later.dueAt, attempts: 0, answer: undefined }])

    clock.millis += 59_000
    await store.mail.renew([later], 60)
    clock.millis += 59_000
    expect(await store.mail.claim(1, 60)).toEqual([])
    await store.mail.retry(later, 15, '451')
    expect(await store.mail.waiting(1)).toMatchObject([{ attempts: 1, answer: '451' }])
  })

  test('messages that were not accepted are counted by tenant, until their user has got a later one of the kind', async () => {
    await using under = await open()
    const { store, clock } = under
    const at = micros(clock)
    const add = (id: string, tenantId: string, kind = 'reset') =>
      store.mail.add({ id, tenantId, sealed: 'sealed', kind, userId: 'u1' })
    // Messages that have not been tried, and are due before those that have failed.
    for (let n = 0; n < 5; n++) await add(`new${n}`, 'ten_1')
    const waited = [await add('w1', 'ten_2'), await add('w2', 'ten_2')] as const
    await store.mail.retry(waited[0], 600, 'first')
    await store.mail.retry(waited[1], 900, 'last')
    for (const id of ['g1', 'g2']) {
      await add(id, 'ten_3')
      await store.mail.end(id, 'given_up', id)
      clock.millis += 1_000
    }
    const counts = async (of?: readonly string[], since = at) =>
      (await store.mail.undelivered(of, since)).sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
    const isMore = false
    const waiting = { tenantId: 'ten_2', state: 'waiting', count: 2, isMore, answer: 'last' }
    const givenUp = { tenantId: 'ten_3', state: 'given_up', count: 2, isMore, answer: 'g2' }
    expect(await counts()).toEqual([waiting, givenUp])
    expect(await counts(['ten_1', 'ten_3'])).toEqual([givenUp])
    expect(await counts([])).toEqual([])
    expect(await store.mail.undelivered(undefined, undefined)).toEqual([waiting])
    expect(await counts(['ten_3'], micros(clock, 1))).toEqual([])

    await add('other', 'ten_3', 'verify')
    await store.mail.end('other', 'sent')
    expect(await counts(['ten_3'])).toEqual([givenUp])
    await add('again', 'ten_3')
    await store.mail.end('again', 'sent')
    expect(await counts(['ten_3'])).toEqual([])
  })

  test('a thousand messages of a tenant that were not accepted are counted, and hide none of another', async () => {
    await using under = await open()
    const { store, clock } = under
    const since = micros(clock)
    const message = { sealed: 'sealed', kind: 'reset', userId: 'u1' }
    const names = Array.from({ length: 1_001 }, (_, n) => `m${n}`)
    const add = (tenantId: string) =>
      Promise.all(names.map((id) => store.mail.add({ ...message, tenantId, id: tenantId + id })))
    await add('ten_1')
    await Promise.all(names.map((id) => store.mail.end(`ten_1${id}`, 'given_up', 'no')))
    const waited = await add('ten_2')
    await Promise.all(waited.map((one) => store.mail.retry(one, 900, 'later')))
    // Messages that have not been tried, and are due after those that have failed.
    clock.millis += 3_600_000
    await add('ten_3')
    for (const tenantId of ['ten_1', 'ten_3']) {
      const one = await store.mail.add({ ...message, tenantId, id: `${tenantId}x` })
      await store.mail.retry(one, -7_200, 'busy')
    }
    const counted = await store.mail.undelivered(undefined, since)
    expect(counted.sort((a, b) => (a.tenantId + a.state < b.tenantId + b.state ? -1 : 1))).toEqual([
      { tenantId: 'ten_1', state: 'given_up', count: 1_000, isMore: true, answer: 'no' },
      { tenantId: 'ten_1', state: 'waiting', count: 1, isMore: false, answer: 'busy' },
      { tenantId: 'ten_2', state: 'waiting', count: 1_000, isMore: true, answer: 'later' },
      { tenantId: 'ten_3', state: 'waiting', count: 1, isMore: false, answer: 'busy' },
    ])
  })

  test('tenants take turns, so that a thousand messages of one delay no message of another', async () => {
    await using under = await open()
    const { store, clock } = under
    const [first, second, third] = ['a', 'b', 'c'].map(
      (name) => `ten_${crypto.randomUUID()}${name}`,
    )
    const add = (tenantId = '') =>
      store.notices.add({ id: crypto.randomUUID(), tenantId, sealed: '' })
    const claim = async (limit: number, held: { tenantId: string }[] = []) =>
      (await store.notices.claim(limit, 300, held)).map(({ tenantId }) => tenantId).sort()
    await Promise.all(Array.from({ length: 1_000 }, () => add(first)))
    clock.millis += 1_000
    for (const of of [second, second, third]) await add(of)

    expect(await claim(4)).toEqual([first, first, second, third].sort())
    // The place that ends next is not for the tenant that holds the others.
    const tenantId = first as string
    expect(await claim(1, [{ tenantId }, { tenantId }])).toEqual([second])
    expect(await claim(3, [{ tenantId }, { tenantId }])).toEqual([first, first, first])
  })

  test('the messages of the last seconds are counted, of a tenant and of all, up to a limit', async () => {
    await using under = await open()
    const { store } = under
    const before = await store.mail.count(undefined, 3_600, 1_000)
    const tenantId = `ten_${crypto.randomUUID()}`
    for (const of of [tenantId, tenantId, `${tenantId}x`]) {
      await store.mail.add({ id: crypto.randomUUID(), tenantId: of, sealed: '' })
    }
    expect(await store.mail.count(tenantId, 3_600, 1_000)).toBe(2)
    expect(await store.mail.count(tenantId, 3_600, 1)).toBe(1)
    expect(await store.mail.count(tenantId, -3_600, 1_000)).toBe(0)
    expect(await store.mail.count(undefined, 3_600, 1_000)).toBe(before + 3)
  })

  test('messages to somebody are found by user, the newest first, also when they have ended', async () => {
    await using under = await open()
    const { store, clock } = under
    const at = micros(clock)
    const message = { tenantId: 'ten_1', sealed: 's' }
    for (const [id, millis, userId] of [
      ['m1', 0, 'u1'],
      ['m2', 0, 'u2'],
      ['m3', 1, 'u1'],
      ['m4', 1, undefined],
    ] as const) {
      clock.millis += millis
      await store.mail.add({ ...message, id, kind: 'reset', userId })
    }
    await store.mail.add({ ...message, id: 'nobody' })
    const ends = ['sent', 'given_up'].map(() => store.mail.end('m1', 'sent', 'answer'))
    expect((await Promise.all(ends)).sort()).toEqual([false, true])
    expect(await store.mail.end('m1', 'given_up')).toBe(false)
    const found = async (userId?: string, after?: { createdAt: number; id: string }, limit = 10) =>
      (await store.mail.find('ten_1', { userId, after, limit })).map(({ id }) => id)
    expect(await found()).toEqual(['m4', 'm3', 'm2', 'm1'])
    expect(await found(undefined, { createdAt: at + 1_000, id: 'm3' }, 1)).toEqual(['m2'])
    expect(await found(undefined, { createdAt: at, id: 'm2' })).toEqual(['m1'])
    expect(await found('u1')).toEqual(['m3', 'm1'])
    expect(await found('u1', { createdAt: at + 1_000, id: 'm3' })).toEqual(['m1'])
    expect(await store.mail.find('ten_2', { after: undefined, limit: 9 })).toEqual([])
    expect(await store.mail.get('ten_1', 'm1')).toMatchObject({
      ...{ userId: 'u1', outcome: 'sent', endedAt: at + 2_000, answer: 'answer', sealed: '' },
    })
    expect(await store.mail.get('ten_2', 'm1')).toBeUndefined()
    expect((await store.mail.list('ten_1', 10)).map(({ id }) => id)).not.toContain('m1')
    expect((await store.mail.claim(10, 9)).map(({ id }) => id)).not.toContain('m1')
  })

  test('replacing the sealed part of a message leaves the rest unchanged', async () => {
    await using under = await open()
    const { store, clock } = under
    const at = micros(clock)
    const message = { tenantId: 'ten_1', createdAt: at, dueAt: at, attempts: 0 }
    await store.notices.add({ tenantId: 'ten_1', id: 'n1', sealed: 'one' })
    await store.notices.add({ tenantId: 'ten_1', id: 'n2', sealed: 'two' })
    const seen: string[] = []
    await store.notices.reseal((id, sealed) => {
      seen.push(`${id} ${sealed}`)
      return id === 'n1' ? 'three' : undefined
    })
    expect(seen.sort()).toEqual(['n1 one', 'n2 two'])
    const list = await store.notices.list('ten_1', 10)
    expect(list.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { ...message, id: 'n1', sealed: 'three' },
      { ...message, id: 'n2', sealed: 'two' },
    ])
  })
}

async function fail(store: ProtocolStore, key: string, attempt = 'a'): Promise<void> {
  await store.endAttempt([{ key, limit, outcome: 'failed' }], attempt)
}
