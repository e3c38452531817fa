import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { createWebhook, updateWebhook } from '../../src/webhooks/rules.ts'
import { startApi, stores } from '../support/api.ts'
import { openApi } from '../support/context.ts'
import { startSending } from './receiver.ts'

const url = 'https://shop.example.com/hooks'

describe.each(stores)('on %s', (store) => {
  test('an endpoint is made, read, replaced and deleted; its key is shown once', async () => {
    await using api = await startApi(store)
    const webhooks = `/x${api.tenant}/webhooks`
    const made = await api.create(webhooks, { url, types: ['user.created'], description: 'Shop' })
    expect(made).toEqual({
      ...{ type: 'Webhook', id: expect.stringMatching(/^whk_/), url },
      ...{ types: ['user.created'], description: 'Shop' },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const { secret, ...shown } = made
    expect((await api.get(`${webhooks}/${made.id}`)).body).toEqual(shown)
    expect((await api.get(webhooks)).body).toMatchObject({ count: 1, data: [shown] })
    const replaced = await api.post(`${webhooks}/${made.id}`, { url, disabled: true })
    const { types, description, updated_at, ...rest } = shown
    expect(replaced.body).toEqual({
      ...rest,
      updated_at: expect.any(String),
      disabled: true,
      disabled_reason: 'switched_off',
    })
    expect((await api.delete(`${webhooks}/${made.id}`)).body).toEqual(replaced.body)
    expect((await api.get(`${webhooks}/${made.id}`)).status).toBe(404)
    expect((await api.get(webhooks)).body.data).toEqual([])
  })
})

test.each([
  [{ url, types: ['user.create'] }, 'did you mean "user.created"?'],
  [{ url, types: ['nothing'] }, 'the types are: '],
  [{ url, metadata: { key: 'x'.repeat(1_001) } }, 'at most 1000'],
  [{ url, description: 'x'.repeat(201) }, 'at most 200'],
  [{}, '"url"'],
])('%j is refused with a sentence', async (body, sentence) => {
  await using api = await startApi()
  const answer = await api.post(`/x${api.tenant}/webhooks`, body)
  expect(answer.status).toBe(400)
  expect(answer.headers.get('latchkey-error-detail')).toContain(sentence)
})

test('a tenant has ten endpoints at most', async () => {
  await using api = await startApi()
  const webhooks = `/x${api.tenant}/webhooks`
  for (let i = 0; i < 10; i++) await api.create(webhooks, { url: `${url}/${i}` })
  const answer = await api.post(webhooks, { url })
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
})

/** An endpoint, and a step that runs right after the next change has read it. */
async function withStep() {
  let step: (() => Promise<unknown>) | undefined
  const api = await openApi('memory', {
    wrap: (store) => ({
      ...store,
      webhooks: {
        ...store.webhooks,
        async get(...args) {
          const found = await store.webhooks.get(...args)
          const next = step
          step = undefined
          await next?.()
          return found
        },
      },
    }),
  })
  const { scope } = api
  const context = { domain: api.context, outgoing: { refusalOf: async () => undefined } }
  const { webhook } = await createWebhook(context, scope, { url })
  const { id } = webhook
  const set = (disabled: boolean) => updateWebhook(context, scope, id, { url, disabled })
  async function setAfter(next: () => Promise<unknown>, disabled: boolean) {
    step = next
    await set(disabled)
  }
  return { api, id, set, setAfter, deliveries: api.context.store.deliveries }
}

test('an endpoint that was switched on while another change switches it off gets later what it misses', async () => {
  const { api, set, setAfter, deliveries } = await withStep()
  await using _ = api
  await set(false)
  await set(true)
  async function switchOn() {
    await set(false)
    for (const one of await deliveries.missed()) await deliveries.madeUp(one, undefined)
    expect(await deliveries.missed()).toEqual([])
  }
  await setAfter(switchOn, true)
  await set(false)
  expect(await deliveries.missed()).toHaveLength(1)
})

test('an endpoint that was switched off while another change keeps it on is tried at once', async () => {
  const { api, id, set, setAfter, deliveries } = await withStep()
  await using _ = api
  const entry = { id: 1_000, at: Number.MAX_SAFE_INTEGER }
  await deliveries.add([
    { ...{ webhookId: id, eventId: 'evt_1', type: 'user.created', body: '{}' }, entry },
  ])
  const [lane] = await deliveries.claim(1, 60)
  if (!lane) throw new Error('The lane was not taken.')
  await deliveries.release([{ lane, pauseSeconds: 3_600, isFailing: true }])
  expect(await deliveries.claim(1, 60)).toEqual([])
  await setAfter(() => set(true), false)
  expect(await deliveries.claim(1, 60)).toHaveLength(1)
})

test('a key that only reads makes no endpoint, sends no test and replays nothing', async () => {
  await using api = await startApi()
  const webhooks = `/x${api.tenant}/webhooks`
  const { id } = await api.create(webhooks, { url })
  const { secret } = await api.service.admin.createApiKey({
    ...{ name: 'reader', reach: [api.tenantId], readOnly: true },
  })
  const headers = { authorization: `Bearer ${secret}` }
  expect((await api.get(webhooks, headers)).status).toBe(200)
  for (const path of ['', `/${id}`, `/${id}/test`, `/${id}/replay`, `/${id}/rotate`]) {
    expect((await api.post(webhooks + path, { url }, headers)).status).toBe(403)
  }
})

test('endpoints of another tenant are not there', async () => {
  await using api = await startApi()
  const { id } = await api.create(`/x${api.tenant}/webhooks`, { url })
  const other = await api.service.admin.createTenant({ domain: 'other.example' })
  const { secret } = await api.service.admin.createApiKey({ name: 'all', reach: 'all' })
  const headers = { authorization: `Bearer ${secret}` }
  const theirs = `/x/v1/tenants/${other.id}/webhooks/${id}`
  expect((await api.get(theirs, headers)).status).toBe(404)
  expect((await api.get(`${theirs}/deliveries`, headers)).status).toBe(404)
  for (const act of ['test', 'rotate', 'deliveries/1/resend']) {
    expect((await api.post(`${theirs}/${act}`, {}, headers)).status).toBe(404)
  }
})

test('an endpoint that accepts nothing for five days is switched off, and operators are told', async () => {
  let now = Date.now()
  await using sending = await startSending({ clock: { now: () => now } })
  const { api, receiver, webhooks, webhook } = sending
  const { operator } = await api.service.admin.inviteOperator({
    ...{ email: 'ada@example.com', role: 'owner' },
  })
  expect(operator.role).toBe('owner')
  receiver.answer = (response) => void response.writeHead(500).end()
  await api.createUser('user@example.com')
  await sending.has('user.created')
  const state = async () => (await api.get(`${webhooks}/${webhook.id}`)).body
  expect(await state()).not.toHaveProperty('disabled')
  await vi.waitFor(async () => {
    const { body } = await api.get(`${webhooks}/${webhook.id}/deliveries`)
    expect(body.data).toEqual([expect.objectContaining({ attempts: 1 })])
  })
  // The failure of the endpoint is stored right after that of the delivery.
  await wait(300)
  now += 5 * 86_400_000 + 60_000
  await api.createUser('other@example.com')
  await vi.waitFor(async () => {
    expect(await state()).toMatchObject({ disabled: true, disabled_reason: 'failing' })
  })
  const { body } = await api.get(`${webhooks}/${webhook.id}/deliveries?state=given_up`)
  expect(body.data).toHaveLength(1)
  // On again, it gets what waits, and one failure is no reason to switch it off.
  receiver.received.length = 0
  await api.post(`${webhooks}/${webhook.id}`, { url: receiver.url })
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(0))
  expect(await state()).not.toHaveProperty('disabled')
})
