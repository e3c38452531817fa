import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createBackground,
  messagesOf,
  sending,
  type WorkQueue,
} from '../../src/background/index.ts'
import { type Clock, systemClock } from '../../src/clock.ts'
import type { Lane } from '../../src/store/deliveries.ts'
import type { HeldJob, Job } from '../../src/store/jobs.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../src/store/postgres/data-store.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import type { ClaimedMessage, MessageQueue } from '../../src/store/protocol-store.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { IN_MEMORY } from '../../src/store/sqlite/database.ts'
import { createSqliteProtocolStore } from '../../src/store/sqlite/protocol-store.ts'
import { anAudit, aTenant, aWebhook } from '../store/records.ts'
import { createDatabase } from '../support/postgres.ts'

const database = await createDatabase()
afterAll(() => database.drop())

/** A queue of one of the users of the worker. */
interface Case {
  queue: WorkQueue<unknown>
  /** Adds an item that is due. */
  add(): Promise<unknown>
  /** Puts an item back for a moment; answers in how many seconds it is due. */
  putBack(item: unknown): Promise<number | undefined>
}

interface Stores {
  data: DataStore
  queues: { mail: MessageQueue; notices: MessageQueue }
}

async function onSqlite(clock = systemClock): Promise<Stores> {
  const data = await openSqliteDataStore(IN_MEMORY, clock)
  const queues = createSqliteProtocolStore({ path: ':memory:', clock })
  onTestFinished(async () => {
    await data.close()
    await queues.close()
  })
  return { data, queues }
}

async function onPostgres(clock?: Clock): Promise<Stores> {
  await database.empty()
  const connections = createConnections({ url: database.url })
  const data = createPostgresDataStore(connections, clock)
  onTestFinished(() => data.close())
  return { data, queues: createPostgresQueues(connections, clock) }
}

const PUT_BACK_SECONDS = 0.2

function ofMessages(queue: MessageQueue): Case {
  return {
    queue: messagesOf(queue, [15, 60]) as WorkQueue<unknown>,
    add: () => queue.add({ id: crypto.randomUUID(), tenantId: 'ten_1', sealed: 's' }),
    async putBack(item) {
      await queue.retry(item as ClaimedMessage, PUT_BACK_SECONDS)
      return PUT_BACK_SECONDS
    },
  }
}

async function ofWebhooks({ webhooks, deliveries, tenants }: DataStore): Promise<Case> {
  const tenant = aTenant()
  await tenants.insert(tenant, anAudit('create'))
  return {
    queue: {
      ...deliveries,
      claim: (limit, seconds) => deliveries.claim(limit, seconds),
      recall: (seconds: number) => deliveries.recall(seconds, 60),
    } as WorkQueue<unknown>,
    async add() {
      const { id: webhookId } = aWebhook(tenant.id)
      await webhooks.insert({ ...aWebhook(tenant.id), id: webhookId }, anAudit('create'))
      const entry = { id: 1, at: Number.MAX_SAFE_INTEGER }
      await deliveries.add([{ webhookId, eventId: 'evt_1', type: 't', body: '{}', entry }])
    },
    async putBack(lane) {
      const [seconds] = await deliveries.release([
        { lane: lane as Lane, pauseSeconds: PUT_BACK_SECONDS, isFailing: undefined },
      ])
      return seconds
    },
  }
}

async function ofJobs({ jobs, tenants }: DataStore): Promise<Case> {
  const tenant = aTenant()
  await tenants.insert(tenant, anAudit('create'))
  return {
    queue: {
      async claim(limit, seconds) {
        const held: HeldJob[] = []
        while (held.length < limit) {
          const job = await jobs.claim(seconds)
          if (!job) break
          held.push(job)
        }
        return held
      },
      recall: jobs.recall,
      renew: (held, seconds) => Promise.all(held.map((job) => jobs.renew(job as HeldJob, seconds))),
    },
    add: () =>
      jobs.insert({
        ...{ id: `job_${crypto.randomUUID()}`, tenantId: tenant.id, kind: 'disable', total: 1 },
        ...{ work: { ids: [] }, actor, createdAt: 1, state: 'running' },
        progress: { after: undefined, taken: [], done: 0, failed: 0, failures: [] },
      } satisfies Job),
    async putBack(job) {
      await jobs.keep(job as HeldJob, PUT_BACK_SECONDS)
      return PUT_BACK_SECONDS
    },
  }
}

/** The actor of a job. */
const actor = {
  name: 'admin',
  requestId: undefined,
  address: undefined,
  userAgent: undefined,
}

const users: Record<string, (stores: Stores) => Case | Promise<Case>> = {
  mail: ({ queues }) => ofMessages(queues.mail),
  'logout notices': ({ queues }) => ofMessages(queues.notices),
  webhooks: ({ data }) => ofWebhooks(data),
  jobs: ({ data }) => ofJobs(data),
}

const stores = { SQLite: onSqlite, PostgreSQL: onPostgres }

function aBackground() {
  const logged: { task?: string }[] = []
  const warned: object[] = []
  const logger = {
    warn: (facts: object) => void warned.push(facts),
    error: (facts: object) => void logged.push(facts),
  }
  const background = createBackground(logger)
  onTestFinished(() => background.close())
  return { background, logged, warned }
}

/** Nothing is found by polling while a test runs. */
const RARELY = 3_600_000

describe.each(Object.entries(stores))('on %s', (_, open) => {
  test('the place that ends next is for a tenant that holds none', async () => {
    const { queues } = await open()
    const { background } = aBackground()
    const began: string[] = []
    const ends: (() => void)[] = []
    const worker = background.work<ClaimedMessage>('mail', {
      queue: messagesOf(queues.mail, [15, 60]),
      ...{ leaseSeconds: 60, atOnce: 2, pollMs: RARELY },
      async attempt({ id, tenantId }) {
        began.push(tenantId)
        await new Promise<void>((resolve) => ends.push(resolve))
        await queues.mail.remove(id)
        return undefined
      },
    })
    const add = (tenantId: string) =>
      queues.mail.add({ id: crypto.randomUUID(), tenantId, sealed: 's' })
    for (let n = 0; n < 10; n++) await add('ten_1')
    worker.wake()
    await vi.waitFor(() => expect(began).toEqual(['ten_1', 'ten_1']))
    await add('ten_2')

    ends[0]?.()
    await vi.waitFor(() => expect(began).toEqual(['ten_1', 'ten_1', 'ten_2']))
    await vi.waitFor(() => {
      for (const end of ends) end()
      expect(began).toHaveLength(11)
    })
    for (const end of ends) end()
  })

  test('each worker renews the lease for as long as it works', async () => {
    const opened = await open()
    const { background, logged } = aBackground()
    const works = Object.entries(users).map(async ([name, of]) => {
      const { queue, add } = await of(opened)
      const done = Promise.withResolvers<void>()
      let begun = 0
      const worker = background.work(name, {
        ...{ queue, leaseSeconds: 3, atOnce: 1, pollMs: RARELY },
        async attempt() {
          begun++
          await done.promise
          return undefined
        },
      })
      await add()
      worker.wake()
      await vi.waitFor(() => expect(begun).toBe(1))
      await wait(5_000)
      expect(await queue.claim(1, 60, [])).toEqual([])
      done.resolve()
      await worker.idle()
    })
    await Promise.all(works)
    expect(logged).toEqual([])
  })
})

describe.each(Object.entries(stores))('on %s, a worker for', (_, open) => {
  describe.each(Object.entries(users))('%s', (name, of) => {
    test('takes what a clock ahead has put off, at the start and within half a minute', async () => {
      const clock = { ahead: 0, now: () => Date.now() + clock.ahead }
      const { queue, add } = await of(await open(clock))
      const { background, warned } = aBackground()
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      let attempts = 0
      const work = () =>
        background.work(name, {
          ...{ queue, leaseSeconds: 3, atOnce: 1, pollMs: RARELY },
          attempt: async () => void attempts++,
        })
      const worker = work()
      await worker.idle()
      clock.ahead = 86_400_000
      await add()
      // Held by a process that dies.
      await queue.claim(1, 3, [])
      clock.ahead = 0
      vi.advanceTimersByTime(30_000)
      await vi.waitFor(() => expect(attempts).toBe(1))
      expect(warned).toContainEqual({ task: name, items: 1 })
      await worker.close()

      clock.ahead = 86_400_000
      await queue.claim(1, 3, [])
      clock.ahead = 0
      work().wake()
      await vi.waitFor(() => expect(attempts).toBe(2))
    })

    test('wakes when an item that was put back is due', async () => {
      const { queue, add, putBack } = await of(await open())
      const { background } = aBackground()
      let attempts = 0
      const worker = background.work(name, {
        ...{ queue, leaseSeconds: 60, atOnce: 1, pollMs: RARELY },
        attempt: async (item) => (++attempts < 3 ? putBack(item) : undefined),
      })
      await add()
      worker.wake()
      await vi.waitFor(() => expect(attempts).toBe(3))
    })

    test('takes the next item when one is done, and closes when those in progress are', async () => {
      const { queue, add } = await of(await open())
      const { background } = aBackground()
      const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
      const [begun, ended]: [unknown[], unknown[]] = [[], []]
      const worker = background.work(name, {
        ...{ queue, leaseSeconds: 60, atOnce: 2, pollMs: RARELY },
        async attempt(item) {
          begun.push(item)
          await gates[begun.length - 1]?.promise
          ended.push(item)
          return undefined
        },
      })
      for (const _ of gates) await add()
      worker.wake()
      await vi.waitFor(() => expect(begun).toHaveLength(2))
      gates[0]?.resolve()
      await vi.waitFor(() => expect(begun).toHaveLength(3))
      let isClosed = false
      const closing = background.close().then(() => {
        isClosed = true
      })
      await add()
      await wait(100)
      expect(isClosed).toBe(false)
      for (const gate of gates) gate.resolve()
      await closing
      expect(ended).toHaveLength(3)
      expect(begun).toHaveLength(3)
    })

    test('logs a failure with its name, and leaves the item for a later claim', async () => {
      const { queue, add } = await of(await open())
      const { background, logged } = aBackground()
      const worker = background.work(name, {
        ...{ queue, leaseSeconds: 1, atOnce: 2, pollMs: RARELY },
        attempt: () => Promise.reject(new Error('The attempt has failed.')),
      })
      await add()
      worker.wake()
      await vi.waitFor(() => expect(logged).not.toHaveLength(0))
      expect(logged[0]).toMatchObject({ task: name, err: { message: 'The attempt has failed.' } })
      await vi.waitFor(async () => expect(await queue.claim(1, 60, [])).toHaveLength(1))
    })
  })

  describe.each(['mail', 'notices'] as const)('%s', (name) => {
    async function sendingAlways(giveUpSeconds: number) {
      const queue = (await open()).queues[name]
      const { background } = aBackground()
      const [retried, givenUp]: [string[], string[]] = [[], []]
      const worker = background.work<ClaimedMessage>(name, {
        ...{ queue: messagesOf(queue, [0.1, 0.2]), leaseSeconds: 60, atOnce: 1, pollMs: RARELY },
        attempt: sending({
          ...{ queue, backoffSeconds: [0.1, 0.2], giveUpSeconds },
          open: ({ sealed }) => sealed,
          send: () => Promise.reject(new Error('451')),
          answerIn: (error) => (error as Error).message,
          onRetry: (_, content) => void retried.push(content),
          async onGivenUp({ id }, content) {
            givenUp.push(content)
            await queue.end(id, 'given_up')
          },
        }),
      })
      await queue.add({ id: 'm1', tenantId: 'ten_1', sealed: 'content' })
      worker.wake()
      return { queue, retried, givenUp }
    }

    test('sends a message again until it is too old, and gives it up then', async () => {
      const { queue, retried, givenUp } = await sendingAlways(1)
      await vi.waitFor(() => expect(givenUp).toEqual(['content']))
      expect(retried.length).toBeGreaterThan(1)
      await vi.waitFor(async () => expect(await queue.list('ten_1', 10)).toEqual([]))
    })

    test('keeps how often a message was tried, and the answer', async () => {
      const { queue, retried } = await sendingAlways(60)
      await vi.waitFor(() => expect(retried.length).toBeGreaterThan(2))
      const [message] = await queue.list('ten_1', 10)
      expect(message).toMatchObject({ answer: '451' })
      expect(message?.attempts).toBeGreaterThan(1)
    })

    test('never renews a message that has ended or was put back', async () => {
      const queue = (await open()).queues[name]
      for (const id of ['m1', 'm2']) await queue.add({ id, tenantId: 'ten_1', sealed: 's' })
      const claimed = await queue.claim(2, 60)
      await queue.end('m1', 'sent')
      await queue.retry(claimed.find(({ id }) => id === 'm2') as ClaimedMessage, 0)
      await queue.renew(claimed, 60)
      expect((await queue.claim(2, 60)).map(({ id }) => id)).toEqual(['m2'])
    })
  })
})
