import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { expect, type Mock, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../../test/support/certificate.ts'
import { createOutgoing } from '../../src/egress/outgoing.ts'
import { startApi } from '../support/api.ts'
import { startSending } from './receiver.ts'

/** Addresses of this machine and of private networks, in every spelling that a URL has. */
const inside = [
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://0x7f.1/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://0.0.0.0/',
  'https://224.0.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[2002:7f00:1::]/',
  'https://[64:ff9b::7f00:1]/',
  'https://localhost/',
  'https://hooks.localhost:8443/',
]

test.each(inside)('no endpoint is made at %s, nor moved there (W1)', async (url) => {
  await using api = await startApi()
  const webhooks = `/x${api.tenant}/webhooks`
  const made = await api.post(webhooks, { url })
  expect(made.status).toBe(400)
  expect(made.body.code).toBe('invalid_url')
  const good = await api.create(webhooks, { url: 'https://shop.example.com/hooks' })
  const moved = await api.post(`${webhooks}/${good.id}`, { url })
  expect(moved.status).toBe(400)
  expect(moved.headers.get('latchkey-error-detail')).toBe(made.headers.get('latchkey-error-detail'))
})

test.each(['http://shop.example.com/', 'https://ada:secret@shop.example.com/', 'hooks'])(
  'no endpoint is made at %s',
  async (url) => {
    await using api = await startApi()
    const { status, body } = await api.post(`/x${api.tenant}/webhooks`, { url })
    expect([status, body.code]).toEqual([400, 'invalid_url'])
  },
)

/** Has the DNS know one name, which leads to this machine. */
function nameInside(): string {
  const name = 'inside.example.com'
  const resolve4 = vi.spyOn(Resolver.prototype, 'resolve4') as unknown as Mock
  resolve4.mockImplementation(async (asked: string) => {
    if (asked === name) return ['127.0.0.1']
    throw Object.assign(new Error(`queryA ENOTFOUND ${asked}`), { code: 'ENOTFOUND' })
  })
  onTestFinished(() => resolve4.mockRestore())
  return name
}

test('a name that leads inside is unreachable, as one that leads nowhere is (W1)', async () => {
  await using api = await startApi()
  const webhooks = `/x${api.tenant}/webhooks`
  const answers = []
  for (const host of [nameInside(), 'nowhere.invalid']) {
    const { id } = await api.create(webhooks, { url: `https://${host}/` })
    answers.push((await api.post(`${webhooks}/${id}/test`, {})).body)
  }
  const unreachable = { type: 'WebhookTest', reason: 'unreachable' }
  for (const answer of answers) expect(answer).toMatchObject(unreachable)
  expect(Object.keys(answers[0])).toEqual(Object.keys(answers[1]))
})

test('a redirect into the network is not followed (W1)', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  receiver.answer = (response) =>
    void response.writeHead(307, { location: receiver.url.replace('/hooks', '/inside') }).end()
  const { body } = await api.post(`${webhooks}/${webhook.id}/test`, {})
  expect(body).toMatchObject({ status: 307 })
  expect(receiver.received).toHaveLength(1)
})

test('an endpoint that asks for patience gets it, for an hour at most (W6)', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '86400' }).end()
  await api.createUser('ada@example.com')
  await sending.has('user.created')
  await vi.waitFor(async () => {
    const { body } = await api.get(`${webhooks}/${webhook.id}/deliveries`)
    const [one] = body.data
    expect(one).toMatchObject({ state: 'waiting', attempts: 1, status: 429 })
    const seconds = (Date.parse(one.due_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(3_500)
    expect(seconds).toBeLessThanOrEqual(3_600)
  })
  await api.createUser('eve@example.com')
  await wait(1_500)
  expect(receiver.received).toHaveLength(1)
})

test('after an outage, at most eight events are under way at a time (W6)', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  await api.post(`${webhooks}/${webhook.id}`, { url: receiver.url, disabled: true })
  let now = 0
  let most = 0
  receiver.answer = async (response) => {
    most = Math.max(most, ++now)
    await wait(30)
    now--
    response.writeHead(204).end()
  }
  const from = new Date(Date.now() - 60_000).toISOString()
  for (let i = 0; i < 30; i++) await api.createUser(`user-${i}@example.com`)
  await api.post(`${webhooks}/${webhook.id}`, { url: receiver.url, types: ['user.created'] })
  const { body } = await api.post(`${webhooks}/${webhook.id}/replay`, { from })
  expect(body.events).toBe(30)
  // One that was under way when it was asked for again is sent twice.
  await vi.waitFor(() => {
    const created = receiver.received.filter(({ event }) => event.type === 'user.created')
    expect(new Set(created.map(({ event }) => event.id)).size).toBe(30)
  })
  expect(most).toBeLessThanOrEqual(8)
})

test('an endless answer, one with huge headers and one that never closes hold nothing up (W7)', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  const test = async () => (await api.post(`${webhooks}/${webhook.id}/test`, {})).body
  receiver.answer = (response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
  expect(await test()).toMatchObject({ accepted: true, status: 200 })
  receiver.answer = (response) =>
    void response.writeHead(200, { 'x-huge': 'x'.repeat(1_000_000) }).end()
  expect(await test()).toMatchObject({ reason: 'unreachable' })
  receiver.answer = (response) => {
    response.writeHead(200)
    response.write('a beginning')
  }
  expect(await test()).toMatchObject({ accepted: true, status: 200 })
})

test('an answer that is small until it is unpacked is not unpacked (W7)', async () => {
  await using sending = await startSending()
  const { api, receiver, webhooks, webhook } = sending
  const bomb = gzipSync(Buffer.alloc(200_000_000))
  receiver.answer = (response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  const before = process.memoryUsage.rss()
  const { body } = await api.post(`${webhooks}/${webhook.id}/test`, {})
  expect(body).toMatchObject({ accepted: true, status: 200 })
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000)
})

test('no event is sent over a TLS older than 1.2 (W7)', async () => {
  await using api = await startApi('memory', { allowHttpOnLoopback: true })
  const { cert, key } = await selfSigned('localhost')
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
  const server = createServer({ cert, key, ...old })
  const failed = once(server, 'tlsClientError')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
  const { id } = await api.create(`/x${api.tenant}/webhooks`, { url })
  const { body } = await api.post(`/x${api.tenant}/webhooks/${id}/test`, {})
  expect(body).toMatchObject({ reason: 'unreachable' })
  expect((await failed)[0]).toMatchObject({ code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' })
  server.close()
})

test('a name that changes its address between check and connection is not followed inside (W1)', async () => {
  // The address is judged where the connection is made; a URL alone tells nothing of it.
  const outgoing = createOutgoing({
    domain: {
      ...{ store: { tenants: { get: async () => undefined } }, domains: {} },
      allowDeveloperMode: false,
    } as never,
    allowHttpOnLoopback: false,
  })
  const url = new URL(`https://${nameInside()}:8443/`)
  expect(await outgoing.refusalOf('ten_x', url)).toBeUndefined()
  const sent = outgoing.forTenant('ten_x')(url.href, { method: 'POST' } as never)
  await expect(sent).rejects.toThrow('public internet')
  await outgoing.close()
})
