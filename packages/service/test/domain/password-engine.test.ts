import { expect, test } from 'vitest'
import { createPasswordEngine } from '../../src/domain/password-engine.ts'
import { bcryptOf, PASSWORD } from '../support/hashes.ts'

test('logins go before imports, each in the order of arrival', async () => {
  const engine = createPasswordEngine({ concurrency: 1 })
  const done: string[] = []
  const work: [name: string, promise: Promise<unknown>][] = [
    ['running', engine.hash('a', 'import')],
    ['import 1', engine.hash('b', 'import')],
    ['import 2', engine.hash('c', 'import')],
    ['login 1', engine.hash('d', 'login')],
    ['login 2', engine.verify(PASSWORD, bcryptOf[4])],
  ]

  await Promise.all(work.map(([name, promise]) => promise.then(() => done.push(name))))

  expect(done).toEqual(['running', 'login 1', 'login 2', 'import 1', 'import 2'])
})

test('beyond the calls that may wait, one is refused with unavailable, and the others finish', async () => {
  const engine = createPasswordEngine({ concurrency: 1, maxWaiting: 2 })
  const accepted = [1, 2, 3].map(() => engine.verify(PASSWORD, bcryptOf[4]))

  expect(engine.load).toEqual({ running: 1, waiting: 2 })
  await expect(engine.hash('x', 'import')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(engine.verify('x', bcryptOf[4])).rejects.toMatchObject({ code: 'unavailable' })

  expect(await Promise.all(accepted)).toEqual([true, true, true])
  expect(engine.load).toEqual({ running: 0, waiting: 0 })
})

test('a malformed hash belongs to no password', async () => {
  const engine = createPasswordEngine()

  for (const hash of ['', 'x', bcryptOf[4].slice(0, -1), '$2b$99$']) {
    expect(await engine.verify(PASSWORD, hash)).toBe(false)
  }
})

test('the dummy hash is bcrypt of the standard cost and belongs to no password', async () => {
  const engine = createPasswordEngine()

  expect(engine.dummyHash).toMatch(/^\$2b\$10\$[./A-Za-z0-9]{53}$/)
  expect(await engine.verify('', engine.dummyHash)).toBe(false)
})
