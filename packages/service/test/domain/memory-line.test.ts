import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryLine } from '../../src/domain/limits/memory-line.ts'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'

const [ACME, OTHER] = ['ten_acme', 'ten_other']
const full = () => new Error('full')

/** Work that ends when it is told to. */
function createWork(name: string, begun: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const run = () => {
    begun.push(name)
    return promise
  }
  return { run, end: () => resolve(name), fail: () => reject(new Error(name)) }
}

test('work waits until its memory is free, and is not overtaken by work that takes less', async () => {
  const line = createMemoryLine(100, 10)
  const begun: string[] = []
  const [a, b, c] = ['a', 'b', 'c'].map((name) => createWork(name, begun)) as [
    ReturnType<typeof createWork>,
    ReturnType<typeof createWork>,
    ReturnType<typeof createWork>,
  ]
  const all = [
    line.run(60, ACME, a.run, full).catch(({ message }) => `${message} failed`),
    line.run(60, ACME, b.run, full),
    line.run(40, ACME, c.run, full),
  ]
  await setImmediate()
  expect([begun, line.waiting]).toEqual([['a'], 2])
  // What fails gives its memory back, too.
  a.fail()
  await setImmediate()
  expect([begun, line.waiting]).toEqual([['a', 'b', 'c'], 0])
  b.end()
  c.end()
  expect(await Promise.all(all)).toEqual(['a failed', 'b', 'c'])
})

test('of a tenant that fills the line, the last one is refused, and another tenant has its turn', async () => {
  const line = createMemoryLine(100, 2)
  const begun: string[] = []
  const work = ['running', 'acme 1', 'acme 2', 'other'].map((name) => createWork(name, begun))
  const tenants = [ACME, ACME, ACME, OTHER]
  const all = work.map(({ run }, n) => line.run(100, tenants[n] ?? '', run, full))
  const settled = Promise.allSettled(all)
  for (const one of work) {
    one.end()
    await setImmediate()
  }
  expect((await settled).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  ])
  expect(begun).toEqual(['running', 'acme 1', 'other'])
})

test('no order of work takes more memory than there is, and all of it is done', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(sizes, async (all) => {
      const line = createMemoryLine(100, 1_000)
      let used = 0
      let most = 0
      const work = (kib: number) => async () => {
        used += Math.min(kib, 100)
        most = Math.max(most, used)
        await setImmediate()
        used -= Math.min(kib, 100)
        return kib
      }
      const done = await Promise.all(
        all.map((kib, n) => line.run(kib, n % 3 ? ACME : OTHER, work(kib), full)),
      )
      expect(done).toEqual(all)
      expect(most).toBeLessThanOrEqual(100)
    }),
    { numRuns: 50 },
  )
})

test('the engine counts work that waits for memory, runs other work meanwhile, and refuses at last', async () => {
  const engine = createPasswordEngine({ concurrency: 2, maxWaiting: 1, memoryKib: 100 })
  const begun: string[] = []
  const [first, second] = ['first', 'second'].map((name) => createWork(name, begun)) as [
    ReturnType<typeof createWork>,
    ReturnType<typeof createWork>,
  ]
  const both = [engine.run(first.run, ACME, 80), engine.run(second.run, ACME, 80)]
  await setImmediate()
  expect([begun, engine.load]).toEqual([['first'], { running: 1, waiting: 1 }])
  expect(await engine.run(async () => 'without memory', OTHER)).toBe('without memory')
  await expect(engine.run(async () => '', ACME, 80)).rejects.toMatchObject({ code: 'unavailable' })
  first.end()
  second.end()
  expect(await Promise.all(both)).toEqual(['first', 'second'])
})
