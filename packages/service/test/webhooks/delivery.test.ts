import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { createIdentityService } from '../../src/index.ts'
import { temporaryFolder } from '../cli/support.ts'
import { connectApi, startApi, stores } from '../support/api.ts'
import { startReceiver } from './endpoint.ts'
import { startSending } from './receiver.ts'

describe.each(stores)('on %s', (store) => {
  test('a change of a user reaches the endpoint, signed, with names and no values', async () => {
    await using sending = await startSending({}, {}, store)
    const { api, receiver } = sending
    const user = await api.createUser('ada@example.com')
    await api.post(`${api.users}/${user.id}`, { profile: { email: 'eve@example.com' } })
    await sending.has('user.created', 'user.updated')
    const updated = receiver.received.find(({ event }) => event.type === 'user.updated')
    expect(updated?.event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: 'user.updated',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      data: {
        ...{ type: 'User', id: user.id, tenant_id: api.tenantId },
        changed: ['profile.email'],
        actor: expect.stringMatching(/^key:key_/),
        request_id: expect.any(String),
        sequence: expect.any(Number),
      },
    })
    expect(updated?.headers).toMatchObject({
      'webhook-id': updated?.event.id,
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Latchkey-Webhooks/1',
    })
    for (const { body } of receiver.received) expect(body).not.toContain('@example.com')
  })
})

test('an endpoint gets no event of a change that was made before it', async () => {
  await using receiver = await startReceiver()
  await using api = await startApi('memory', { allowHttpOnLoopback: true })
  // Without an endpoint, the log is read every few seconds only.
  await api.createUser('first@example.com')
  await wait(500)
  await api.createUser('before@example.com')
  const webhook = await api.create(`/x${api.tenant}/webhooks`, { url: receiver.url })
  receiver.secrets.push(webhook.secret)
  const { id } = await api.createUser('after@example.com')
  await vi.waitFor(() => expect(receiver.received).not.toHaveLength(0))
  await wait(500)
  expect(receiver.received.map(({ event }) => event.data.id)).toEqual([id])
})

test('an endpoint that was changed a hundred times gets no event from before it either', async () => {
  using folder = temporaryFolder()
  await using receiver = await startReceiver()
  const options = { data: folder.path, allowHttpOnLoopback: true }
  const first = await createIdentityService(options)
  const tenant = await first.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await first.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(first.fetch, secret, tenant.id)
  await api.createUser('before@example.com')
  const webhook = await api.create(`/x${api.tenant}/webhooks`, { url: receiver.url })
  receiver.secrets.push(webhook.secret)
  const { id } = await api.createUser('after@example.com')
  await vi.waitFor(() => expect(receiver.received).not.toHaveLength(0))
  await first.close()
  // As a process that was killed leaves it: the log is read again, by one that has never seen the endpoint.
  const data = new DatabaseSync(join(folder.path, 'data.db'))
  data.exec(`insert into audit (at, tenant_id, actor, action, target, outcome)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 101)
    select ${Date.now() * 1_000}, '${tenant.id}', 'key:key_1', 'webhook.update', '${webhook.id}', 'success' from numbers`)
  data.exec("update cursors set position = 0 where reader = 'webhooks'")
  data.close()
  const second = await createIdentityService(options)
  const again = connectApi(second.fetch, secret, tenant.id)
  const { id: last } = await again.createUser('last@example.com')
  await vi.waitFor(() =>
    expect(receiver.received.map(({ event }) => event.data.id)).toContain(last),
  )
  await second.close()
  const users = receiver.received.filter(({ event }) => event.type === 'user.created')
  expect(users.map(({ event }) => event.data.id)).toEqual([id, last])
})

test('disabling a user gives two events, with ids of their own', async () => {
  await using sending = await startSending()
  const { api, receiver } = sending
  const { id, profile } = await api.createUser('ada@example.com')
  await api.post(`${api.users}/${id}`, { profile, disabled: true })
  await sending.has('user.created', 'user.updated', 'user.disabled')
  const ids = receiver.received.map(({ event }) => event.id)
  expect(new Set(ids).size).toBe(3)
})

test('an endpoint gets the types that it names, and no others', async () => {
  await using sending = await startSending({}, { types: ['user.deleted'] })
  const { api } = sending
  const { id } = await api.createUser('ada@example.com')
  await api.delete(`${api.users}/${id}`)
  await sending.has('user.deleted')
})

test('two tenants with the same URL have keys of their own, and no events of each other (W9)', async () => {
  await using sending = await startSending()
  const { api, receiver } = sending
  const { service } = api
  const other = await service.admin.createTenant({ domain: 'other.example' })
  const key = await service.admin.createApiKey({ name: 'other', reach: [other.id] })
  const headers = { authorization: `Bearer ${key.secret}` }
  const theirs = await api.post(
    `/x/v1/tenants/${other.id}/webhooks`,
    { url: receiver.url },
    headers,
  )
  expect(theirs.status).toBe(200)
  expect(theirs.body.secret).not.toBe(sending.webhook.secret)
  await api.createUser('ada@example.com')
  await sending.has('user.created')
  const profile = { email: 'eve@example.com' }
  await api.post(`/v1/tenants/${other.id}/users`, { profile }, headers)
  // The receiver knows one key: an event that the other one has signed is refused.
  await vi.waitFor(() => expect(receiver.refused).toBe(1))
  expect(receiver.received).toHaveLength(1)
})

test('an event that is not accepted is sent again, under its id, with a new signature', async () => {
  await using sending = await startSending()
  const { api, receiver } = sending
  let isDown = true
  receiver.answer = (response) => void response.writeHead(isDown ? 500 : 204).end()
  await api.createUser('ada@example.com')
  await sending.has('user.created')
  isDown = false
  await sending.has('user.created', 'user.created')
  const [first, second] = receiver.received
  expect(second?.event).toEqual(first?.event)
  expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature'])
  // The receiver has the event before the service notes its answer.
  await vi.waitFor(async () => {
    const { body } = await api.get(`${sending.webhooks}/${sending.webhook.id}/deliveries`)
    expect(body.data).toEqual([
      expect.objectContaining({ state: 'delivered', attempts: 2, status: 204 }),
    ])
  })
})

test('an answer without an end holds nothing up, and counts by its status', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  receiver.answer = (response) => {
    const writing = setInterval(() => response.write('x'.repeat(64 * 1024)), 5)
    response.on('close', () => clearInterval(writing))
  }
  const { body } = await api.post(`${webhooks}/${webhook.id}/test`, {})
  expect(body).toMatchObject({ accepted: true, status: 200 })
  expect(body.milliseconds).toBeLessThan(4_000)
})

test.each([301, 404, 500])('an answer with %d is no acceptance', async (status) => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  receiver.answer = (response) =>
    void response.writeHead(status, { location: 'https://elsewhere.example/' }).end()
  const { body } = await api.post(`${webhooks}/${webhook.id}/test`, {})
  expect(body).toEqual({ type: 'WebhookTest', status, milliseconds: expect.any(Number) })
})

test('a test is sent at once, and its answer told', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  const { body } = await api.post(`${webhooks}/${webhook.id}/test`, {})
  expect(body).toMatchObject({ type: 'WebhookTest', accepted: true, status: 204 })
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test'])
})

test('an endpoint that answers 410 is switched off, with an event of its own', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  await using second = await startReceiver()
  const other = await api.create(webhooks, { url: second.url, types: ['webhook.disabled'] })
  second.secrets.push(other.secret)
  receiver.answer = (response) => void response.writeHead(410).end()
  await api.createUser('ada@example.com')
  await vi.waitFor(async () => {
    const { body } = await api.get(`${webhooks}/${webhook.id}`)
    expect(body).toMatchObject({ disabled: true, disabled_reason: 'gone' })
  })
  await vi.waitFor(() => expect(second.received).toHaveLength(1))
  expect(second.received[0]?.event.data).toMatchObject({ type: 'Webhook', id: webhook.id })
  await api.createUser('eve@example.com')
  await wait(500)
  expect(receiver.received).toHaveLength(1)
})

test('an endpoint that hangs does not delay another one (W4)', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks } = sending
  await using second = await startReceiver()
  const other = await api.create(webhooks, { url: second.url })
  second.secrets.push(other.secret)
  receiver.answer = () => {}
  for (let i = 0; i < 20; i++) await api.createUser(`user-${i}@example.com`)
  await vi.waitFor(() => {
    const users = second.received.filter(({ event }) => event.type === 'user.created')
    expect(users).toHaveLength(20)
  })
  // No more than the requests of one round are under way.
  expect(receiver.received.length).toBeLessThanOrEqual(8)
})

test('for a day after its rotation, events are signed with both keys (W5)', async () => {
  let now = Date.now()
  await using sending = await startSending({ clock: { now: () => now } })
  const { api, receiver, webhooks, webhook } = sending
  const rotated = await api.post(`${webhooks}/${webhook.id}/rotate`, {})
  expect(rotated.body.secret).toMatch(/^whsec_/)
  await api.createUser('ada@example.com')
  await vi.waitFor(() => {
    expect(receiver.received.map(({ event }) => event.type)).toContain('user.created')
  })
  expect(receiver.received.at(-1)?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  now += 25 * 3_600_000
  const { body } = await api.post(`${webhooks}/${webhook.id}/test`, {})
  expect(body.status).toBe(401)
  receiver.secrets = [rotated.body.secret]
  const again = await api.post(`${webhooks}/${webhook.id}/test`, {})
  expect(again.body).toMatchObject({ accepted: true })
  expect(receiver.received.at(-1)?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
})

test('events of a time are sent once more under their ids', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  const from = new Date(Date.now() - 60_000).toISOString()
  await api.createUser('ada@example.com')
  await sending.has('user.created')
  const { body } = await api.post(`${webhooks}/${webhook.id}/replay`, { from })
  // The key and the endpoint itself are no events of the endpoint.
  expect(body).toEqual({ type: 'WebhookReplay', events: 1 })
  await sending.has('user.created', 'user.created')
  expect(receiver.received[1]?.event).toEqual(receiver.received[0]?.event)
})

test('one delivery is sent once more', async () => {
  await using sending = await startSending()
  const { api, webhooks, webhook } = sending
  await api.createUser('ada@example.com')
  await sending.has('user.created')
  const deliveries = `${webhooks}/${webhook.id}/deliveries`
  const [one] = (await api.get(deliveries)).body.data
  const again = await api.post(`${deliveries}/${one.id}/resend`, {})
  expect(again.status).toBe(200)
  await sending.has('user.created', 'user.created')
  expect((await api.post(`${deliveries}/999/resend`, {})).status).toBe(404)
})

test('the last event of a tenant is its deletion', async () => {
  await using sending = await startSending()
  const { api } = sending
  await api.service.admin.deleteTenant(api.tenantId)
  await sending.has('tenant.deleted')
})

describe.each(stores)('an endpoint that was switched off, on %s', (store) => {
  test('gets all events of that time when it is switched on again', async () => {
    await using sending = await startSending({}, {}, store)
    const { api, receiver, webhook } = sending
    const path = `/x${api.tenant}/webhooks/${webhook.id}`
    await using other = await startReceiver()
    const beside = await api.create(sending.webhooks, { url: other.url, types: ['user.created'] })
    other.secrets.push(beside.secret)
    await api.createUser('before@example.com')
    await sending.has('user.created')
    await api.post(path, { url: receiver.url, disabled: true })
    const made: string[] = []
    for (let n = 0; n < 40; n++) made.push((await api.createUser(`user-${n}@example.com`)).id)
    await vi.waitFor(() => expect(other.received.length).toBe(41))
    await api.post(path, { url: receiver.url })
    made.push((await api.createUser('after@example.com')).id)
    const created = () =>
      receiver.received.flatMap(({ event }) => (event.type === 'user.created' ? event.data.id : []))
    await vi.waitFor(() => expect(new Set(created()).size).toBe(42))
    expect(created().slice(1).toSorted()).toEqual(made.toSorted())
  })
})
