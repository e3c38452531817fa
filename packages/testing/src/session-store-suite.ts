import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthSession, SessionIndex, SessionRecord, SessionStore } from '@latchkey/core'

/**
 * Opens a store for a case. Each call opens one more store on the same sessions, as another process
 * would.
 */
export type OpenStore = () => SessionStore

/** A rule that a session store must keep, with its test. */
export interface StoreCase {
  /** The rule, as a sentence. */
  readonly name: string
  /** The part of the store that the rule is about. */
  readonly ability: 'sessions' | 'touch' | 'late writes' | 'update' | 'index' | 'once' | 'lock'
  /** Rejects if the store breaks the rule. */
  run(open: OpenStore): Promise<void>
}

/**
 * The rules of a session store with their tests. Each test can run alone, under any test runner.
 */
export function sessionStoreCases(): StoreCase[] {
  return [
    ...sessions,
    ...touches,
    ...lateWrites,
    ...updates,
    ...indexing,
    ...steps,
    ...replays,
    ...locks,
  ]
}

const newId = (): string => randomBytes(32).toString('base64url')

/** A session record that expires in `seconds`. */
function record(data: Record<string, unknown> = {}, seconds = 600): SessionRecord {
  return { data, expiresAt: later(seconds) }
}

const later = (seconds: number): number => Date.now() / 1000 + seconds

async function read(store: SessionStore, id: string): Promise<SessionRecord> {
  const found = await store.get(id)
  assert.ok(found, 'the session is not there')
  return found
}

const fails = (write: () => unknown): Promise<void> => assert.rejects(async () => write())

const login: AuthSession = {
  issuer: 'https://login.example.com',
  registeredIssuer: 'https://login.example.com',
  clientId: 'app',
  sub: 'ada',
  user: { sub: 'ada', name: 'Ada Lovelace' },
  createdAt: later(0),
  expiresAt: later(600),
}

const sessions: StoreCase[] = [
  {
    name: 'a session that was stored is read back, in every process',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await open().set(id, record({ cart: ['tea', 'Gebäck', '🍵'] }))
      assert.deepEqual((await read(open(), id)).data.cart, ['tea', 'Gebäck', '🍵'])
    },
  },
  {
    name: 'a record read under one id and written under another is a new record',
    ability: 'sessions',
    async run(open) {
      const [id, next] = [newId(), newId()]
      const store = open()
      await store.set(id, record({ cart: 1 }))
      const seen = await read(store, id)
      await store.set(next, { ...seen, data: { ...seen.data, theme: 'dark' } })
      await store.destroy(id)
      const { cart, theme } = (await read(open(), next)).data
      assert.deepEqual({ cart, theme }, { cart: 1, theme: 'dark' })
      assert.equal(await open().get(id), undefined)
    },
  },
  {
    name: 'a login is read back as it was stored, beside the data of the application',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await open().set(id, { ...record({ cart: 1 }), login })
      const found = await read(open(), id)
      assert.deepEqual([found.login, found.data.cart], [login, 1])
    },
  },
  {
    name: 'data of the application never passes for a login, under any name',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await open().set(id, record({ latchkey: login, login, cart: 1 }))
      const found = await read(open(), id)
      assert.deepEqual([found.login, found.data.cart], [undefined, 1])
    },
  },
  {
    name: 'an id that was never stored is no session',
    ability: 'sessions',
    async run(open) {
      assert.equal(await open().get(newId()), undefined)
    },
  },
  {
    name: 'a destroyed session is gone, and destroying it again succeeds',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await open().set(id, record())
      await open().destroy(id)
      await open().destroy(id)
      assert.equal(await open().get(id), undefined)
    },
  },
  {
    name: 'an expired session is gone',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await open().set(id, record({}, 1))
      await sleep(1100)
      assert.equal(await open().get(id), undefined)
    },
  },
]

/**
 * Touches a new session before it expires. If the machine is too busy, tries again with a longer
 * lifetime.
 *
 * @returns The id of the session, and its earlier expiry in seconds since the epoch.
 */
async function touchInTime(
  open: () => SessionStore,
  seconds = 1,
): Promise<{ id: string; earlier: number }> {
  const id = newId()
  const session = record({ cart: 1 }, seconds)
  await open().set(id, session)
  const seen = await open().get(id)
  if (seen) await open().touch(id, seen, later(1200))
  const isLate = later(0) >= session.expiresAt
  if (isLate && seconds < 60) return touchInTime(open, seconds * 4)
  assert.ok(seen, 'the session is not there')
  return { id, earlier: session.expiresAt }
}

const touches: StoreCase[] = [
  {
    name: 'a touched session outlives its earlier expiry, unchanged',
    ability: 'touch',
    async run(open) {
      const { id, earlier } = await touchInTime(open)
      assert.ok((await read(open(), id)).expiresAt > later(900))
      await sleep(Math.max(0, earlier * 1_000 - Date.now()) + 100)
      assert.equal((await read(open(), id)).data.cart, 1)
    },
  },
  {
    name: 'a touch does not bring back a destroyed session',
    ability: 'touch',
    async run(open) {
      const id = newId()
      await open().set(id, record())
      const seen = await read(open(), id)
      await open().destroy(id)
      await open().touch(id, seen, later(1200))
      assert.equal(await open().get(id), undefined)
    },
  },
  {
    name: 'a touch does not undo what another request wrote',
    ability: 'touch',
    async run(open) {
      const id = newId()
      await open().set(id, record({ cart: 1 }))
      const seen = await read(open(), id)
      await open().set(id, record({ cart: 2 }))
      await open().touch(id, seen, later(1200))
      assert.equal((await read(open(), id)).data.cart, 2)
    },
  },
]

const lateWrites: StoreCase[] = [
  {
    name: 'a write of a request that began before the session was destroyed fails and does not bring it back',
    ability: 'late writes',
    async run(open) {
      const id = newId()
      await open().set(id, record())
      const seen = await read(open(), id)
      await open().destroy(id)
      await fails(() => open().set(id, seen))
      assert.equal(await open().get(id), undefined)
    },
  },
  {
    name: 'a session that is destroyed while it is being created is not created',
    ability: 'late writes',
    async run(open) {
      const id = newId()
      await open().destroy(id)
      await fails(() => open().set(id, record()))
      assert.equal(await open().get(id), undefined)
    },
  },
  {
    name: 'a touch or an update that is under way while the session is destroyed does not bring it back',
    ability: 'late writes',
    async run(open) {
      for (const write of [
        (id: string, seen: SessionRecord) => open().touch(id, seen, later(1200)),
        (id: string, seen: SessionRecord) => open().update(id, record({ cart: 2 }), seen),
      ]) {
        const id = newId()
        await open().set(id, record({ cart: 1 }))
        const writing = write(id, await read(open(), id))
        await open().destroy(id)
        await writing
        assert.equal(await open().get(id), undefined)
      }
    },
  },
]

const updates: StoreCase[] = [
  {
    name: 'a record is updated if its version is still the one that was read',
    ability: 'update',
    async run(open) {
      const id = newId()
      await open().set(id, record({ n: 0 }))
      const store = open()
      const seen = await read(store, id)
      assert.equal(await store.update(id, record({ n: 1 }), seen), 'updated')
      assert.equal((await read(open(), id)).data.n, 1)
    },
  },
  {
    name: 'of twenty parallel updates of a record one succeeds, and the others report a changed version',
    ability: 'update',
    async run(open) {
      const id = newId()
      await open().set(id, record({ n: 0 }))
      const readers = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const store = open()
          return { store, seen: await read(store, id) }
        }),
      )
      const outcomes = await Promise.all(
        readers.map(({ store, seen }, n) => store.update(id, record({ n: n + 1 }), seen)),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'updated').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'changed').length, 19)
    },
  },
  {
    name: 'an update of a destroyed session writes nothing and reports it',
    ability: 'update',
    async run(open) {
      const id = newId()
      await open().set(id, record())
      const store = open()
      const seen = await read(store, id)
      await open().destroy(id)
      assert.equal(await store.update(id, seen, seen), 'ended')
      assert.equal(await open().get(id), undefined)
    },
  },
]

function indexOf(store: SessionStore): SessionIndex {
  assert.ok(store.index, 'the store has no index')
  return store.index
}

const indexing: StoreCase[] = [
  {
    name: 'sessions are found by each index key, in every process',
    ability: 'index',
    async run(open) {
      const [one, two, user, device] = [newId(), newId(), newId(), newId()]
      await open().set(one, record())
      await open().set(two, record())
      await indexOf(open()).add([user, device], one, 600)
      await indexOf(open()).add([user], two, 600)
      assert.deepEqual([...(await indexOf(open()).find(user))].sort(), [one, two].sort())
      assert.deepEqual(await indexOf(open()).find(device), [one])
    },
  },
  {
    name: 'a session that was removed from the index, or has expired, is not found',
    ability: 'index',
    async run(open) {
      const [one, two, user] = [newId(), newId(), newId()]
      for (const id of [one, two]) {
        await open().set(id, record())
        await indexOf(open()).add([user], id, 600)
      }
      await indexOf(open()).remove([user], one)
      assert.deepEqual(await indexOf(open()).find(user), [two])
      await open().destroy(two)
      assert.deepEqual(await indexOf(open()).find(user), [])
    },
  },
  {
    name: 'adding a session with a later expiry keeps the others of its index key',
    ability: 'index',
    async run(open) {
      const [short, long, user] = [newId(), newId(), newId()]
      for (const [id, seconds] of [
        [long, 600],
        [short, 1],
      ] as const) {
        await open().set(id, record({}, seconds))
        await indexOf(open()).add([user], id, seconds)
      }
      await sleep(1500)
      assert.deepEqual(await indexOf(open()).find(user), [long])
    },
  },
]

/** Calls `begin`, or the methods that the kit calls for an index without `begin`. */
async function begin(
  store: SessionStore,
  id: string,
  keys: readonly string[],
  read: readonly string[] = [],
): Promise<readonly (SessionRecord | undefined)[]> {
  const index = indexOf(store)
  if (index.begin) return index.begin(id, record({ cart: 1 }), { keys, seconds: 600 }, read)
  await store.set(id, record({ cart: 1 }))
  await index.add(keys, id, 600)
  return Promise.all(read.map((other) => store.get(other)))
}

/** Calls `end`, or the methods that the kit calls for an index without `end`. */
async function end(
  store: SessionStore,
  id: string,
  keys: readonly [string, ...string[]],
): Promise<readonly string[]> {
  const index = indexOf(store)
  if (index.end) return index.end(id, keys)
  await store.destroy(id)
  await index.remove(keys, id)
  return index.find(keys[0])
}

const steps: StoreCase[] = [
  {
    name: 'a session that is begun with its index keys is stored, and found by each of them',
    ability: 'index',
    async run(open) {
      const [id, user, device] = [newId(), newId(), newId()]
      await begin(open(), id, [user, device])
      assert.equal((await read(open(), id)).data.cart, 1)
      for (const key of [user, device]) assert.deepEqual(await indexOf(open()).find(key), [id])
    },
  },
  {
    name: 'other records are read in their order when a session is begun',
    ability: 'index',
    async run(open) {
      const [id, user, one, other] = [newId(), newId(), newId(), newId()]
      await open().set(one, record({ notice: 1 }))
      await open().set(other, record({ notice: 2 }))
      const found = await begin(open(), id, [user], [other, newId(), one])
      assert.deepEqual(
        found.map((one) => one?.data.notice),
        [2, undefined, 1],
      )
    },
  },
  {
    name: 'a session that has just been destroyed is not begun, nor found',
    ability: 'late writes',
    async run(open) {
      const [id, user] = [newId(), newId()]
      const { index } = open()
      await open().destroy(id)
      await fails(() => (index ? begin(open(), id, [user]) : open().set(id, record())))
      assert.equal(await open().get(id), undefined)
      assert.deepEqual((await index?.find(user)) ?? [], [])
    },
  },
  {
    name: 'a session that is ended with its index keys is gone, and the others of the first key are named',
    ability: 'index',
    async run(open) {
      const [one, other, user, device] = [newId(), newId(), newId(), newId()]
      await begin(open(), one, [user, device])
      await begin(open(), other, [user])
      assert.deepEqual(await end(open(), one, [user, device]), [other])
      assert.equal(await open().get(one), undefined)
      assert.deepEqual(await indexOf(open()).find(device), [])
      assert.deepEqual(await end(open(), other, [user]), [])
    },
  },
]

const replays: StoreCase[] = [
  {
    name: 'of twenty parallel uses of a single-use key only the first succeeds',
    ability: 'once',
    async run(open) {
      const key = newId()
      const won = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const store = open()
          assert.ok(store.once, 'the store has no replay cache')
          return store.once.consume(key, 60)
        }),
      )
      assert.equal(won.filter(Boolean).length, 1)
    },
  },
  {
    name: 'a single-use key can be checked without using it up',
    ability: 'once',
    async run(open) {
      const key = newId()
      const ask = async (): Promise<boolean> => {
        const store = open()
        assert.ok(store.once, 'the store has no replay cache')
        return store.once.isConsumed(key)
      }
      assert.deepEqual([await ask(), await ask()], [false, false])
      assert.equal(await open().once?.consume(key, 60), true)
      assert.deepEqual([await ask(), await ask()], [true, true])
    },
  },
]

const locks: StoreCase[] = [
  {
    name: 'of twenty parallel requests for a lock one gets it, until it is released',
    ability: 'lock',
    async run(open) {
      const key = newId()
      const all = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const { lock } = open()
          assert.ok(lock, 'the store has no lock')
          return lock.acquire(key, 60)
        }),
      )
      const [release, ...others] = all.filter((one) => one !== undefined)
      assert.ok(release)
      assert.equal(others.length, 0)
      await release()
      assert.ok(await open().lock?.acquire(key, 60))
    },
  },
  {
    name: 'a process that held a lock for too long does not release the lock of the next',
    ability: 'lock',
    async run(open) {
      const key = newId()
      const { lock } = open()
      assert.ok(lock, 'the store has no lock')
      const late = await lock.acquire(key, 1)
      let next: Awaited<ReturnType<typeof lock.acquire>>
      for (let tries = 0; !next && tries < 60; tries++) {
        await sleep(100)
        next = await lock.acquire(key, 60)
      }
      assert.ok(next, 'the lock was never given up')
      await late?.()
      assert.equal(await lock.acquire(key, 60), undefined)
    },
  },
]
