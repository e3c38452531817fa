import type { Fetch } from '@latchkey/management'
import { expect, test } from 'vitest'
import { startManaged } from './support/servers.ts'

test.each([
  { timeoutSeconds: 30, wait: '15', quietPolls: 0 },
  { timeoutSeconds: 10, wait: '5', quietPolls: 0 },
  { timeoutSeconds: 3, wait: '1', quietPolls: 1 },
  { timeoutSeconds: 1.9, wait: null, quietPolls: 1 },
])(
  'events of a quiet tenant are followed, each response within a timeout of $timeoutSeconds s',
  async ({ timeoutSeconds, wait, quietPolls }) => {
    await using server = await startManaged('over a socket')
    const waits: (string | null)[] = []
    const fetch: Fetch = async (url, init) => {
      waits.push(new URL(url).searchParams.get('wait'))
      if (waits.length > quietPolls) {
        await server.client.users(server.tenantId).create({ profile: { email: 'ada@x.example' } })
      }
      return globalThis.fetch(url, init)
    }
    const client = server.connect({ fetch, retries: 0, timeoutSeconds })
    const events = client.events(server.tenantId)
    for await (const event of events.follow({ types: ['user.created'] })) {
      expect(event.type).toBe('user.created')
      break
    }
    expect(waits).toEqual(Array.from({ length: quietPolls + 1 }, () => wait))
  },
)

const created = { types: ['user.created'] }

async function withUsers(emails: readonly string[]) {
  const server = await startManaged('over a socket')
  const users = server.client.users(server.tenantId)
  for (const email of emails) await users.create({ profile: { email } })
  return server
}

test.each([30, 1])(
  'following events ends at once when its signal is aborted, with a timeout of %i s',
  async (timeoutSeconds) => {
    await using server = await withUsers(['ada@x.example'])
    const stop = new AbortController()
    let requests = 0
    const fetch: Fetch = (url, init) => {
      // The second response is empty, or the service waits for an event that never comes.
      if (++requests === 2) setTimeout(() => stop.abort(new Error('shutdown')), 100)
      return globalThis.fetch(url, init)
    }
    const events = server.connect({ fetch, timeoutSeconds }).events(server.tenantId)
    const seen: string[] = []
    const follow = async (): Promise<void> => {
      for await (const { type } of events.follow({ ...created, signal: stop.signal }))
        seen.push(type)
    }
    await expect(follow()).rejects.toThrow('shutdown')
    expect([seen, requests]).toEqual([['user.created'], 2])
  },
)

test('following events begins no request when its signal is aborted already, nor in the middle of a page', async () => {
  await using server = await withUsers(['ada@x.example', 'bob@x.example'])
  const events = server.client.events(server.tenantId)
  const none = events.follow({ ...created, signal: AbortSignal.abort(new Error('shutdown')) })
  await expect(none.next()).rejects.toThrow('shutdown')
  const stop = new AbortController()
  const some = events.follow({ ...created, signal: stop.signal })
  expect(await some.next()).toMatchObject({ value: { type: 'user.created' } })
  stop.abort(new Error('shutdown'))
  await expect(some.next()).rejects.toThrow('shutdown')
})

test('events are read once, also if a proxy removes the header Link', async () => {
  await using server = await withUsers(['ada@x.example', 'bob@x.example'])
  const fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init)
    const headers = new Headers(response.headers)
    for (const name of ['link', 'content-encoding', 'content-length']) headers.delete(name)
    return new Response(await response.text(), { status: response.status, headers })
  }
  const events = server.connect({ fetch }).events(server.tenantId)
  const seen: number[] = []
  for await (const { data } of events.list(created)) {
    expect(seen).not.toContain(data.sequence)
    seen.push(data.sequence)
  }
  expect(seen).toHaveLength(2)
})

test('a handler that throws ends following, which goes on after the last event that was processed', async () => {
  await using server = await withUsers(['ada@x.example', 'bob@x.example', 'carol@x.example'])
  const events = server.client.events(server.tenantId)
  let after: number | undefined
  const process = async (last: number): Promise<void> => {
    let count = 0
    for await (const { data } of events.follow({ ...created, after })) {
      if (++count > last) throw new Error('the handler failed')
      after = data.sequence
    }
  }
  const sequences = (await Array.fromAsync(events.list(created))).map(({ data }) => data.sequence)
  await expect(process(1)).rejects.toThrow('the handler failed')
  expect(after).toBe(sequences[0])
  await expect(process(1)).rejects.toThrow('the handler failed')
  expect(after).toBe(sequences[1])
})

test('following events outlasts a restart of the service, and each event comes once', async () => {
  await using server = await withUsers(['ada@x.example'])
  const faults: (Response | Error)[] = [
    new TypeError('fetch failed'),
    new Response('<html>', { status: 502 }),
  ]
  let requests = 0
  const fetch: Fetch = async (url, init) => {
    const fault = ++requests === 1 ? undefined : faults.shift()
    if (fault instanceof Error) throw fault
    return fault ?? globalThis.fetch(url, init)
  }
  const client = server.connect({ fetch, retries: 0 })
  const outages: string[] = []
  const onOutage = ({ code }: { code: string }) => outages.push(code)
  const events = client.events(server.tenantId).follow({ ...created, onOutage })
  const first = await events.next()
  await server.client.users(server.tenantId).create({ profile: { email: 'bob@x.example' } })
  const second = await events.next()
  expect(faults).toEqual([])
  expect(outages).toHaveLength(1)
  expect(second.value?.data.sequence).toBeGreaterThan(first.value?.data.sequence ?? Infinity)
})

test('following events ends at once when its signal is aborted while the service is down', async () => {
  await using server = await withUsers(['ada@x.example'])
  const stop = new AbortController()
  let requests = 0
  const fetch: Fetch = async (url, init) => {
    if (++requests === 1) return globalThis.fetch(url, init)
    setTimeout(() => stop.abort(new Error('shutdown')), 10)
    throw new TypeError('fetch failed')
  }
  const client = server.connect({ fetch, retries: 0 })
  const events = client.events(server.tenantId).follow({ ...created, signal: stop.signal })
  await events.next()
  await expect(events.next()).rejects.toThrow('shutdown')
  expect(requests).toBe(2)
})

test.each([
  ['a service that failed from the beginning', 1, 500],
  ['a key that was revoked meanwhile', 2, 401],
])('following events ends with the error of %s', async (_, at, status) => {
  await using server = await withUsers(['ada@x.example'])
  let requests = 0
  const fetch: Fetch = async (url, init) =>
    ++requests === at ? new Response('<html>', { status }) : globalThis.fetch(url, init)
  const events = server.connect({ fetch, retries: 0 }).events(server.tenantId).follow(created)
  if (at === 2) expect(await events.next()).toMatchObject({ value: { type: 'user.created' } })
  await expect(events.next()).rejects.toMatchObject({ status })
  expect(await events.next()).toEqual({ done: true, value: undefined })
})

test('following events ends when a place is gone', async () => {
  await using server = await withUsers(['ada@x.example'])
  const gone = server.client.events(server.tenantId).follow({ ...created, after: 1_000_000 })
  await expect(gone.next()).rejects.toMatchObject({ name: 'PlaceGoneError' })
})
