import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionIndex, SessionRecord, SessionStore } from '@latchkey/core'

/** What a case needs: stores on the same sessions, each as another process would have it. */
export type OpenStore = () => SessionStore

/** One promise of a session store. */
export interface StoreCase {
  /** A sentence that is true of a store that keeps the promise. */
  readonly name: string
  /** Which part of the port it is about. */
  readonly ability: 'sessions' | 'touch' | 'late writes' | 'replace' | 'index' | 'claim' | 'lock'
  /** Rejects when the promise is not kept. */
  run(open: OpenStore): Promise<void>
}

/** The promises of a session store; each runs by itself, under any test runner. */
export function sessionStoreCases(): StoreCase[] {
  return [...sessions, ...touches, ...lateWrites, ...replacing, ...indexing, ...claims, ...locks]
}

const newId = (): string => randomBytes(32).toString('base64url')

/** A record that lives for some seconds. */
function record(data: Record<string, unknown> = {}, seconds = 600): SessionRecord {
  const expires = new Date(Date.now() + seconds * 1000).toISOString()
  return { cookie: { originalMaxAge: seconds * 1000, expires, path: '/' }, ...data }
}

function get(store: SessionStore, id: string): Promise<SessionRecord | undefined> {
  return new Promise((resolve, reject) => {
    store.get(id, (error, found) => (error ? reject(error) : resolve(found ?? undefined)))
  })
}

function call(run: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())))
}

const set = (store: SessionStore, id: string, data: SessionRecord): Promise<void> =>
  call((done) => store.set(id, data, done))
const destroy = (store: SessionStore, id: string): Promise<void> =>
  call((done) => store.destroy(id, done))

async function touch(store: SessionStore, id: string, data: SessionRecord): Promise<void> {
  assert.ok(store.touch, 'the store has no touch')
  await call((done) => store.touch?.(id, data, done))
}

async function read(store: SessionStore, id: string): Promise<SessionRecord> {
  const found = await get(store, id)
  assert.ok(found, 'the session is not there')
  return found
}

const longer = (seen: SessionRecord): SessionRecord => ({
  ...seen,
  cookie: record({}, 1200).cookie,
})

const sessions: StoreCase[] = [
  {
    name: 'a session that was stored is read back, in every process',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await set(open(), id, record({ cart: ['tea', 'Gebäck', '🍵'] }))
      assert.deepEqual((await read(open(), id)).cart, ['tea', 'Gebäck', '🍵'])
    },
  },
  {
    name: 'a record read under one id and written under another is a new record',
    ability: 'sessions',
    async run(open) {
      const [id, next] = [newId(), newId()]
      const store = open()
      await set(store, id, record({ cart: 1 }))
      await set(store, next, { ...(await read(store, id)), theme: 'dark' })
      await destroy(store, id)
      const { cart, theme } = await read(open(), next)
      assert.deepEqual({ cart, theme }, { cart: 1, theme: 'dark' })
      assert.equal(await get(open(), id), undefined)
    },
  },
  {
    name: 'an id that nobody stored is no session',
    ability: 'sessions',
    async run(open) {
      assert.equal(await get(open(), newId()), undefined)
    },
  },
  {
    name: 'a session that ended is gone, and ending it again succeeds',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await set(open(), id, record())
      await destroy(open(), id)
      await destroy(open(), id)
      assert.equal(await get(open(), id), undefined)
    },
  },
  {
    name: 'a session past its end is gone',
    ability: 'sessions',
    async run(open) {
      const id = newId()
      await set(open(), id, record({}, 1))
      await sleep(1100)
      assert.equal(await get(open(), id), undefined)
    },
  },
]

const touches: StoreCase[] = [
  {
    name: 'a touched session lives on past its earlier end, as it was',
    ability: 'touch',
    async run(open) {
      const id = newId()
      await set(open(), id, record({ cart: 1 }, 1))
      await touch(open(), id, longer(await read(open(), id)))
      await sleep(1100)
      assert.equal((await read(open(), id)).cart, 1)
    },
  },
  {
    name: 'a touch does not bring back a session that ended',
    ability: 'touch',
    async run(open) {
      const id = newId()
      await set(open(), id, record())
      const seen = await read(open(), id)
      await destroy(open(), id)
      await touch(open(), id, longer(seen))
      assert.equal(await get(open(), id), undefined)
    },
  },
  {
    name: 'a touch does not undo what another request wrote',
    ability: 'touch',
    async run(open) {
      const id = newId()
      await set(open(), id, record({ cart: 1 }))
      const seen = await read(open(), id)
      await set(open(), id, { ...(await read(open(), id)), cart: 2 })
      await touch(open(), id, longer(seen))
      assert.equal((await read(open(), id)).cart, 2)
    },
  },
]

const lateWrites: StoreCase[] = [
  {
    name: 'a write of a request that began before the session ended fails and does not bring it back',
    ability: 'late writes',
    async run(open) {
      const id = newId()
      await set(open(), id, record())
      const seen = await read(open(), id)
      await destroy(open(), id)
      await assert.rejects(set(open(), id, seen))
      assert.equal(await get(open(), id), undefined)
    },
  },
  {
    name: 'a session that ended while it was beginning does not come to life',
    ability: 'late writes',
    async run(open) {
      const id = newId()
      await destroy(open(), id)
      await assert.rejects(set(open(), id, record()))
      assert.equal(await get(open(), id), undefined)
    },
  },
]

const replacing: StoreCase[] = [
  {
    name: 'a record is replaced when it is still the one that was seen',
    ability: 'replace',
    async run(open) {
      const id = newId()
      await set(open(), id, record({ n: 0 }))
      const store = open()
      const seen = await read(store, id)
      assert.equal(await store.replace?.(id, { ...seen, n: 1 }, seen), 'replaced')
      assert.equal((await read(open(), id)).n, 1)
    },
  },
  {
    name: 'of twenty writes over the same record one succeeds, the others learn that it changed',
    ability: 'replace',
    async run(open) {
      const id = newId()
      await set(open(), id, record({ n: 0 }))
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const store = open()
          const seen = await read(store, id)
          await sleep(50)
          return store.replace?.(id, { ...seen, n: n + 1 }, seen)
        }),
      )
      assert.equal(outcomes.filter((outcome) => outcome === 'replaced').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'changed').length, 19)
    },
  },
  {
    name: 'replacing a session that ended writes nothing and says so',
    ability: 'replace',
    async run(open) {
      const id = newId()
      await set(open(), id, record())
      const store = open()
      const seen = await read(store, id)
      await destroy(open(), id)
      assert.equal(await store.replace?.(id, seen, seen), 'ended')
      assert.equal(await store.replace?.(id, seen), 'ended')
      assert.equal(await get(open(), id), undefined)
    },
  },
]

function indexOf(store: SessionStore): SessionIndex {
  assert.ok(store.index, 'the store has no index')
  return store.index
}

const indexing: StoreCase[] = [
  {
    name: 'sessions are found by each key they were added under, in every process',
    ability: 'index',
    async run(open) {
      const [one, two, user, device] = [newId(), newId(), newId(), newId()]
      await set(open(), one, record())
      await set(open(), two, record())
      await indexOf(open()).add([user, device], one, 600)
      await indexOf(open()).add([user], two, 600)
      assert.deepEqual((await indexOf(open()).find(user)).sort(), [one, two].sort())
      assert.deepEqual(await indexOf(open()).find(device), [one])
    },
  },
  {
    name: 'a session that was taken out, or has ended, is not found',
    ability: 'index',
    async run(open) {
      const [one, two, user] = [newId(), newId(), newId()]
      for (const id of [one, two]) {
        await set(open(), id, record())
        await indexOf(open()).add([user], id, 600)
      }
      await indexOf(open()).remove([user], one)
      assert.deepEqual(await indexOf(open()).find(user), [two])
      await destroy(open(), two)
      assert.deepEqual(await indexOf(open()).find(user), [])
    },
  },
  {
    name: 'a session that is added for longer keeps the others of its key',
    ability: 'index',
    async run(open) {
      const [short, long, user] = [newId(), newId(), newId()]
      for (const [id, seconds] of [
        [long, 600],
        [short, 1],
      ] as const) {
        await set(open(), id, record({}, seconds))
        await indexOf(open()).add([user], id, seconds)
      }
      await sleep(1500)
      assert.deepEqual(await indexOf(open()).find(user), [long])
    },
  },
]

const claims: StoreCase[] = [
  {
    name: 'of twenty claims of one key the first alone succeeds',
    ability: 'claim',
    async run(open) {
      const key = newId()
      const won = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const store = open()
          assert.ok(store.claim, 'the store cannot claim')
          return store.claim(key, 60)
        }),
      )
      assert.equal(won.filter(Boolean).length, 1)
    },
  },
  {
    name: 'whether a key is claimed can be asked without claiming it',
    ability: 'claim',
    async run(open) {
      const key = newId()
      const ask = async (): Promise<boolean> => {
        const store = open()
        assert.ok(store.isClaimed, 'the store cannot tell')
        return store.isClaimed(key)
      }
      assert.deepEqual([await ask(), await ask()], [false, false])
      assert.equal(await open().claim?.(key, 60), true)
      assert.deepEqual([await ask(), await ask()], [true, true])
    },
  },
]

const locks: StoreCase[] = [
  {
    name: 'of twenty that want a lock one has it, until it is released',
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
    name: 'whoever kept a lock too long does not release it for the next',
    ability: 'lock',
    async run(open) {
      const key = newId()
      const { lock } = open()
      assert.ok(lock, 'the store has no lock')
      const late = await lock.acquire(key, 1)
      let next: (() => Promise<void>) | undefined
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
