import { createMemoryStore } from '@latchkey/core'
import { expect, test } from 'vitest'

const OWN_PROTO = JSON.parse('{"__proto__": {"admin": true}, "a": 1}')

test.each<[string, unknown]>([
  ['a tree of texts, numbers and lists', { a: ['b', 1, true, null, { c: [] }] }],
  ['names without a value', { a: undefined, b: [undefined, 1] }],
  ['a list with a hole', { a: Object.assign([], { 0: 1, 2: 3 }) }],
  ['functions and symbols', { a: () => 1, b: Symbol('b'), c: [() => 1] }],
  ['numbers that JSON has not', { a: Number.NaN, b: [Number.POSITIVE_INFINITY] }],
  ['a date, a map and an address', { a: new Date(0), b: new Map([[1, 2]]), c: new URL('x:y') }],
  ['an object that says itself how it is written', { a: { toJSON: () => ({ b: 1 }) } }],
  ['an object without a prototype', { a: Object.assign(Object.create(null), { b: 1 }) }],
  ['a name that would change the prototype', { a: OWN_PROTO, ...OWN_PROTO }],
])('data in memory is read as JSON has it: %s', async (_name, value) => {
  const store = createMemoryStore()
  const data = { value } as Record<string, unknown>
  await store.set('id', { data, expiresAt: 2 ** 40 })

  const read = (await store.get('id'))?.data
  expect(JSON.stringify(read)).toBe(JSON.stringify(data))
  expect(read).toEqual(JSON.parse(JSON.stringify(data)))
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
})

test('data in memory cannot be changed by a reader, nor by its writer afterwards', async () => {
  const store = createMemoryStore()
  const cart = { items: ['book'] }
  await store.set('id', { data: { cart }, expiresAt: 2 ** 40 })
  cart.items.push('pen')

  const read = (await store.get('id'))?.data as { cart: { items: string[] } }
  expect(read.cart.items).toEqual(['book'])
  expect(() => read.cart.items.push('pen')).toThrow(TypeError)
})

const login = (sub: string) =>
  ({ issuer: 'https://login.test', sub, user: { sub }, expiresAt: 2 ** 40 }) as never

test('visitors with data do not evict logged-in users from the memory store', async () => {
  const store = createMemoryStore({ maxSessions: 100 })
  await store.set('ada', { login: login('ada'), data: {}, expiresAt: 2 ** 40 })
  for (let n = 0; n < 500; n++) await store.set(`visitor ${n}`, { data: { n }, expiresAt: 2 ** 40 })
  expect(await store.get('ada')).toBeDefined()
  expect(await store.get('visitor 499')).toBeDefined()
  expect(await store.get('visitor 0')).toBeUndefined()
  expect(store.size).toBe(100)
  // A visitor who logs in counts as a login from then on; of logins the oldest goes.
  await store.set('visitor 499', { login: login('bob'), data: {}, expiresAt: 2 ** 40 })
  for (let n = 0; n < 99; n++) {
    await store.set(`user ${n}`, { login: login(`${n}`), data: {}, expiresAt: 2 ** 40 })
  }
  expect(await store.get('ada')).toBeUndefined()
  expect(await store.get('visitor 499')).toBeDefined()
  expect(store.size).toBe(100)
})

const FAR = 2 ** 40

test('visitors fill no more of the memory store than their bytes, and evict no login', async () => {
  const store = createMemoryStore({ maxBytes: 400_000 })
  await store.set('ada', { login: login('ada'), data: {}, expiresAt: FAR })
  const text = 'x'.repeat(10_000)
  for (let n = 0; n < 100; n++) await store.set(`visitor ${n}`, { data: { text }, expiresAt: FAR })
  expect(await store.get('ada')).toBeDefined()
  expect(await store.get('visitor 99')).toBeDefined()
  expect(await store.get('visitor 0')).toBeUndefined()
  expect(store.size).toBeLessThanOrEqual(10)
  expect(store.size).toBeGreaterThan(5)
})

test('logins fill no more of the memory store than its bytes, and the one used last stays', async () => {
  const store = createMemoryStore({ maxBytes: 400_000 })
  const wide = '語'.repeat(10_000)
  const record = { login: login('ada'), data: { wide }, expiresAt: FAR }
  for (let n = 0; n < 100; n++) {
    await store.set(`user ${n}`, record)
    await store.touch('user 0', record, FAR + n)
  }
  expect(await store.get('user 0')).toBeDefined()
  expect(await store.get('user 99')).toBeDefined()
  expect(store.size).toBeLessThanOrEqual(20)
  for (let n = 0; n < 100; n++) await store.destroy(`user ${n}`)
  expect(store.size).toBe(0)
  for (let n = 0; n < 10; n++) await store.set(`next ${n}`, record)
  expect(store.size).toBe(10)
})

test('a mark with a key of 64 KiB is found again, and is not kept in full', async () => {
  const store = createMemoryStore()
  const before = process.memoryUsage().heapUsed
  const key = (n: number): string => Buffer.alloc(65_536, `${n}.`).toString('latin1')
  for (let n = 0; n < 3000; n++) expect(await store.once.consume(key(n), 600)).toBe(true)
  expect(await store.once.isConsumed(key(1))).toBe(true)
  expect(await store.once.consume(key(2), 600)).toBe(false)
  expect(await store.once.isConsumed(key(3001))).toBe(false)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000)
})

test('a stranger’s logins do not evict replay marks that have to last longer', async () => {
  let time = 0
  const store = createMemoryStore({ now: () => time })
  expect(await store.once.consume('adopted:old', 400 * 86_400)).toBe(true)
  for (let n = 0; n < 100_100; n++) await store.once.consume(`login:${n}`, 600)
  expect(await store.once.isConsumed('adopted:old')).toBe(true)
  expect(await store.once.isConsumed('login:0')).toBe(false)
  expect(await store.once.isConsumed('login:100099')).toBe(true)
  time = 601
  expect(await store.once.consume('login:100099', 600)).toBe(true)
  expect(await store.once.consume('adopted:old', 600)).toBe(false)
})
