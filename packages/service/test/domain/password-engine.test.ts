import { expect, test } from 'vitest'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'
import { bcryptOf, PASSWORD } from '../support/hashes.ts'

const ACME = 'ten_acme'
const OTHER = 'ten_other'

/** The names of the work in the order in which it is done. */
async function orderOf(work: [name: string, promise: Promise<unknown>][]): Promise<string[]> {
  const done: string[] = []
  await Promise.all(work.map(([name, promise]) => promise.then(() => done.push(name))))
  return done
}

test('logins go before imports, each in the order of arrival', async () => {
  const engine = createPasswordEngine({ concurrency: 1 })
  const done = await orderOf([
    ['running', engine.hash('a', 'import', ACME)],
    ['import 1', engine.hash('b', 'import', ACME)],
    ['import 2', engine.hash('c', 'import', ACME)],
    ['login 1', engine.hash('d', 'login', ACME)],
    ['login 2', engine.verify(PASSWORD, bcryptOf[4], ACME)],
  ])

  expect(done).toEqual(['running', 'login 1', 'login 2', 'import 1', 'import 2'])
})

test('beyond the calls that may wait, one is refused with unavailable, and the others finish', async () => {
  const engine = createPasswordEngine({ concurrency: 1, maxWaiting: 2 })
  const accepted = [1, 2, 3].map(() => engine.verify(PASSWORD, bcryptOf[4], ACME))

  expect(engine.load).toEqual({ running: 1, waiting: 2 })
  await expect(engine.verify('x', bcryptOf[4], ACME)).rejects.toMatchObject({ code: 'unavailable' })

  expect(await Promise.all(accepted)).toEqual([true, true, true])
  expect(engine.load).toEqual({ running: 0, waiting: 0 })
})

test('waiting imports take no place in the queue of logins, and logins none in the queue of imports', async () => {
  const engine = createPasswordEngine({ concurrency: 1, maxWaiting: 2 })
  const imports = ['a', 'b', 'c'].map((text) => engine.hash(text, 'import', ACME))
  const logins = [1, 2].map(() => engine.verify(PASSWORD, bcryptOf[4], ACME))

  await expect(engine.hash('x', 'import', ACME)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(engine.verify('x', bcryptOf[4], ACME)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await Promise.all(logins)).toEqual([true, true])
  expect(await Promise.all(imports)).toHaveLength(3)
})

test('tenants take turns, so one with much work holds up one with little by one hash at a time', async () => {
  const engine = createPasswordEngine({ concurrency: 1 })
  const done = await orderOf([
    ['running', engine.hash('a', 'import', ACME)],
    ['acme 1', engine.hash('b', 'import', ACME)],
    ['acme 2', engine.hash('c', 'import', ACME)],
    ['acme 3', engine.hash('d', 'import', ACME)],
    ['other 1', engine.hash('e', 'import', OTHER)],
    ['other 2', engine.hash('f', 'import', OTHER)],
  ])

  expect(done).toEqual(['running', 'acme 1', 'other 1', 'acme 2', 'other 2', 'acme 3'])
})

test('when the queue is full, the tenant with the most waiting calls loses its last one', async () => {
  const engine = createPasswordEngine({ concurrency: 1, maxWaiting: 3 })
  const acme = [1, 2, 3, 4].map(() => engine.verify(PASSWORD, bcryptOf[4], ACME))
  const other = engine.verify(PASSWORD, bcryptOf[4], OTHER)

  await expect(engine.verify('x', bcryptOf[4], OTHER)).rejects.toMatchObject({
    code: 'unavailable',
  })
  const outcomes = await Promise.allSettled([...acme, other])
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(engine.load).toEqual({ running: 0, waiting: 0 })
})

test('a malformed hash belongs to no password', async () => {
  const engine = createPasswordEngine()

  for (const hash of ['', 'x', bcryptOf[4].slice(0, -1), '$2b$99$']) {
    expect(await engine.verify(PASSWORD, hash, ACME)).toBe(false)
  }
})

test('the dummy hash is bcrypt of the standard cost and belongs to no password', async () => {
  const engine = createPasswordEngine()

  expect(engine.dummyHash).toMatch(/^\$2b\$10\$[./A-Za-z0-9]{53}$/)
  expect(await engine.verify('', engine.dummyHash, ACME)).toBe(false)
})
