import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createIdentityService } from '../../src/index.ts'
import { temporaryFolder } from '../cli/support.ts'
import { type Api, connectApi, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

/** All events from the beginning, page by page, and the address of those that follow. */
async function readAll(
  api: Api,
  query = '',
  events = `/x${api.tenant}/events?`,
  more?: Record<string, string>,
): Promise<{ types: string[]; next: string }> {
  const types: string[] = []
  let next = events + query
  for (;;) {
    const { status, body, headers } = await api.get(next, more)
    expect(status).toBe(200)
    next = /<([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
    if (body.data.length === 0) return { types, next }
    types.push(...body.data.map(({ type }: { type: string }) => type))
  }
}

describe.each(stores)('on %s', (store) => {
  test('a reader gets the events of its tenant in their order, and none twice', async () => {
    await using api = await startApi(store)
    const { id, profile } = await api.createUser('ada@example.com')
    await api.post(`${api.users}/${id}`, { profile, disabled: true })
    await api.post(`${api.users}/${id}`, { profile })
    await api.delete(`${api.users}/${id}`)
    const expected = ['user.created', 'user.updated', 'user.disabled']
    const { types } = await readAll(api, 'limit=1')
    expect(types.filter((type) => type.startsWith('user.'))).toEqual([
      ...expected,
      ...['user.updated', 'user.enabled', 'user.deleted'],
    ])
    const some = await readAll(api, 'types=user.deleted,user.disabled')
    expect(some.types).toEqual(['user.disabled', 'user.deleted'])
  })

  test('a place beyond the end of the log is gone, and the answer has the oldest one', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser('ada@example.com')
    const { next } = await readAll(api)
    const end = Number(new URLSearchParams(next.split('?')[1]).get('after'))
    expect((await api.get(`/x${api.tenant}/events?after=${end}`)).status).toBe(200)
    const lost = await api.get(`/x${api.tenant}/events?after=${end + 1_000}&wait=20`)
    expectError(lost, 410, 'place_gone')
    const oldest = lost.headers.get('latchkey-oldest-place')
    const again = await api.get(`/x${api.tenant}/events?types=user.created&after=${oldest}`)
    expect(again.body.data).toMatchObject([{ data: { id } }])
  })
})

test('a place whose events were pruned is gone, and the answer has the oldest one', async () => {
  using folder = temporaryFolder()
  const open = (days: number, auditDays: number) =>
    createIdentityService({
      ...{ data: folder.path, auditDays },
      clock: { now: () => Date.now() + days * 86_400_000 },
    })
  const before = await open(0, 400)
  const { id: tenantId } = await before.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await before.admin.createApiKey({ name: 'tests', reach: [tenantId] })
  const api = connectApi(before.fetch, secret, tenantId)
  await api.createUser('ada@example.com')
  await api.createUser('bob@example.com')
  const { body } = await api.get(`/x${api.tenant}/events`)
  const [place] = body.data.map(({ data }: { data: { sequence: number } }) => data.sequence)
  await before.close()

  await using after = await open(30, 10)
  const later = connectApi(after.fetch, secret, tenantId)
  const { id } = await later.createUser('eve@example.com')
  const lost = await later.get(`/x${api.tenant}/events?after=${place}`)
  expectError(lost, 410, 'place_gone')
  const oldest = lost.headers.get('latchkey-oldest-place')
  const again = await later.get(`/x${api.tenant}/events?types=user.created&after=${oldest}`)
  expect(again.body.data).toMatchObject([{ data: { id } }])
  expect((await later.get(`/x${api.tenant}/events`)).status).toBe(200)
})

test('a reader that waits is answered when something happens', async () => {
  await using api = await startApi()
  const { next } = await readAll(api)
  const waiting = api.get(`${next}&wait=20`)
  await wait(300)
  const started = performance.now()
  await api.createUser('ada@example.com')
  const { body } = await waiting
  expect(body.data.map(({ type }: { type: string }) => type)).toEqual(['user.created'])
  expect(performance.now() - started).toBeLessThan(15_000)
})

test('twenty readers wait at once for each of two tenants, and the process warns of nothing', async () => {
  await using api = await startApi()
  const warned = vi.fn()
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  const other = await api.service.admin.createTenant({ domain: 'other.example' })
  const { secret } = await api.service.admin.createApiKey({ name: 'all', reach: 'all' })
  const headers = { authorization: `Bearer ${secret}` }
  const { next } = await readAll(api)
  const { next: nextOfOther } = await readAll(api, '', `/x/v1/tenants/${other.id}/events?`, headers)
  const waiting = Array.from({ length: 20 }, () => api.get(`${next}&wait=20`, headers))
  const ofOther = Array.from({ length: 20 }, () => api.get(`${nextOfOther}&wait=2`, headers))
  await wait(300)
  await api.createUser('ada@example.com')
  for (const { body } of await Promise.all(waiting)) expect(body.data).toHaveLength(1)
  for (const { body } of await Promise.all(ofOther)) expect(body.data).toEqual([])
  expect(warned).not.toHaveBeenCalled()
})

test('a reader that waits in vain gets an empty page and where to read on', async () => {
  await using api = await startApi()
  const { next } = await readAll(api)
  const { body, headers } = await api.get(`${next}&wait=1`)
  expect(body).toMatchObject({ type: 'List', count: 0, data: [] })
  expect(headers.get('link')).toContain('after=')
})

test('a service that closes answers those who wait', async () => {
  const api = await startApi()
  const { next } = await readAll(api)
  const waiting = api.get(`${next}&wait=30`)
  await wait(300)
  await api[Symbol.asyncDispose]()
  expect((await waiting).body).toMatchObject({ count: 0 })
})

test('an event has the id under which it is sent', async () => {
  await using api = await startApi()
  await api.createUser('ada@example.com')
  const first = await api.get(`/x${api.tenant}/events`)
  const again = await api.get(`/x${api.tenant}/events`)
  expect(again.body).toEqual(first.body)
  expect(first.body.data[0].id).toMatch(/^evt_[0-9a-z]{26}$/)
})

test.each([
  ['types=user.create', 'did you mean "user.created"?'],
  ['wait=31', 'from 0 to 30'],
  ['wait=-1', 'from 0 to 30'],
  ['after=yesterday', '"sequence" of the last event'],
  ['offset=3', '"offset"'],
])('the query %s is refused with a sentence', async (query, sentence) => {
  await using api = await startApi()
  const { status, headers } = await api.get(`/x${api.tenant}/events?${query}`)
  expect(status).toBe(400)
  expect(headers.get('latchkey-error-detail')).toContain(sentence)
})
