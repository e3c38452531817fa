import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import type { ClaimedMessage } from '../../src/store/protocol-store.ts'
import { createDatabase } from '../support/postgres.ts'

const database = await createDatabase()
afterAll(() => database.drop())
afterEach(() => vi.restoreAllMocks())

function someQueues() {
  const connections = createConnections({ url: database.url })
  onTestFinished(() => connections.close())
  return createPostgresQueues(connections)
}

/** Runs on a machine whose clock differs by so many seconds. */
async function apart<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const real = Date.now
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => real() + seconds * 1_000)
  try {
    return await work()
  } finally {
    spy.mockRestore()
  }
}

test.each(['mail', 'notices'] as const)(
  'a message of %s under way stays with its process, whatever the clocks of others say',
  async (name) => {
    const queue = someQueues()[name]
    await queue.add({ id: `${name}-1`, tenantId: 'ten_1', sealed: 's' })
    const claimed = await queue.claim(5, 60)
    expect(claimed).toHaveLength(1)
    expect(await apart(120, () => queue.claim(5, 60))).toEqual([])
    await apart(-120, () => queue.retry(claimed[0] as ClaimedMessage, 60))
    expect(await queue.claim(5, 60)).toEqual([])
    await queue.remove(`${name}-1`)
  },
)

test.each(['mail', 'notices'] as const)(
  'a message of %s is due at once, also for a process whose clock is behind',
  async (name) => {
    const queue = someQueues()[name]
    await apart(120, () => queue.add({ id: `${name}-2`, tenantId: 'ten_1', sealed: 's' }))
    const [claimed] = await apart(-120, () => queue.claim(5, 60))
    expect(claimed?.id).toBe(`${name}-2`)
    expect(claimed?.age).toBeLessThan(60)
  },
)

test('a message that was captured is never due', async () => {
  const { mail } = someQueues()
  const { dueAt } = await mail.add({ id: 'kept', tenantId: 'ten_1', sealed: 's', isCaptured: true })
  expect(dueAt).toBe(Number.MAX_SAFE_INTEGER)
  expect(await apart(120, () => mail.claim(5, 60))).toEqual([])
})
