import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createMemoryStore, type WebhookEvent, type WebhookHandlerOptions } from '@latchkey/core'
import type { Response } from 'supertest'
import type { TestApplication, TestWebhook } from './application.ts'
import { type Bench, type Case, cookiesOf, type Site } from './bench.ts'
import { ANSWER_SECONDS, answerOf, hang } from './failures/deadlines.ts'
import { flood } from './requests/bodies.ts'

const PATH = '/webhooks'
const KEY = Buffer.alloc(32, 'webhooks')
const SECRET = `whsec_${KEY.toString('base64')}`

/**
 * The body of an event. Its spaces, escapes and letters beyond ASCII are part of the signed bytes.
 */
const bodyOf = (
  id: string,
): string => `{ "id": "${id}", "type": "user.disabled", "timestamp": "2026-11-23T22:00:00.123456Z",
  "data": {"type":"User","id":"usr_1","tenant_id":"ten_1","actor":"key:Zo\u00eb é 𝔘","sequence":7} }`

interface Received {
  readonly site: Site
  readonly events: WebhookEvent[]
  /** The id of the event, which is unique, because instances of an adapter may share memory. */
  readonly id: string
  readonly body: string
  /** The headers of the event, signed at a time in seconds since the epoch. */
  signed(at?: number): Record<string, string>
  /** Sends the event, signed unless `headers` say otherwise. */
  send(body?: string, headers?: Readonly<Record<string, string>>): Promise<Response>
}

async function receive(
  { open }: Bench,
  setup: Partial<TestApplication> = {},
  options: Partial<WebhookHandlerOptions> = {},
): Promise<Received> {
  const id = `evt_${randomUUID()}`
  const ownBody = bodyOf(id)
  const events: WebhookEvent[] = []
  const onEvent = (event: WebhookEvent): unknown => events.push(event)
  const webhook: TestWebhook = {
    path: PATH,
    options: { secret: SECRET, onEvent, logger: false, ...options },
  }
  const site = await open({ ...setup, webhook })
  return {
    site,
    events,
    id,
    body: ownBody,
    signed: (at) => headersOf(id, ownBody, at),
    send: async (body = ownBody, headers = {}) =>
      site
        .request(site.server)
        .post(PATH)
        .set({ ...headersOf(id, body), ...headers })
        .send(body),
  }
}

/** The headers of a webhook, signed as the service does. */
function headersOf(
  id: string,
  body: string,
  at: number = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const mac = createHmac('sha256', KEY).update(`${id}.${at}.${body}`)
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Latchkey-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${mac.digest('base64')}`,
  }
}

function assertRefused(answer: Response, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
  assert.equal(JSON.parse(answer.text).code, code)
}

/** Options with one hanging function each, and the expected status, by the name of the function. */
function hangingOptions(): Record<string, [Partial<WebhookHandlerOptions>, number]> {
  const memory = createMemoryStore()
  const { once, lock } = memory
  return {
    onEvent: [{ onEvent: hang }, 503],
    'lock.acquire': [{ store: { ...memory, lock: { acquire: hang } } }, 503],
    'lock.release': [{ store: { ...memory, lock: { acquire: () => hang } } }, 204],
    'once.isConsumed': [{ store: { ...memory, lock, once: { ...once, isConsumed: hang } } }, 503],
    'once.consume': [{ store: { ...memory, lock, once: { ...once, consume: hang } } }, 503],
  }
}

const PARSERS: readonly TestApplication['parser'][] = ['none', 'after']

export const webhooks: readonly Case[] = [
  ...PARSERS.map(
    (parser): Case => [
      `a signed event is handled byte by byte as it was sent, with a body parser ${parser === 'none' ? 'nowhere' : 'behind the kit'}`,
      async (bench) => {
        const { send, events, body } = await receive(bench, { parser })
        const answer = await send()
        assert.equal(answer.status, 204, answer.text)
        assert.equal(answer.text, '')
        assert.deepEqual(events, [JSON.parse(body)])
      },
    ],
  ),
  [
    'with a body parser in front, an event is handled, or refused with a code that says so',
    async (bench) => {
      const { send, events } = await receive(bench, { parser: 'before' })
      const answer = await send()
      if (answer.status === 204) return assert.equal(events.length, 1)
      assertRefused(answer, 500, 'LATCHKEY_WEBHOOK_BODY_READ')
      assert.deepEqual(events, [])
    },
  ],
  [
    'a body, a signature or a time that was changed is refused, and nothing is handled',
    async (bench) => {
      const { send, events, body, signed } = await receive(bench)
      const old = signed(Math.floor(Date.now() / 1000) - 301)
      const unsigned = 'LATCHKEY_WEBHOOK_SIGNATURE_INVALID'
      assertRefused(await send(`${body} `, signed()), 401, unsigned)
      assertRefused(await send(undefined, { 'webhook-signature': 'v1,' }), 401, unsigned)
      assertRefused(await send(undefined, old), 400, 'LATCHKEY_WEBHOOK_TIME_INVALID')
      assertRefused(await send(undefined, { 'webhook-id': 'a b' }), 400, 'LATCHKEY_WEBHOOK_INVALID')
      assert.deepEqual(events, [])
    },
  ],
  [
    'an event whose handler fails is answered with 500, and handled when it is sent again',
    async (bench) => {
      let failures = 1
      const done: string[] = []
      const onEvent = async ({ id }: WebhookEvent): Promise<void> => {
        if (failures-- > 0) throw new Error('the database is away')
        done.push(id)
      }
      const { send, id: own } = await receive(bench, {}, { onEvent })
      assertRefused(await send(), 500, 'LATCHKEY_WEBHOOK_FAILED')
      assert.equal((await send()).status, 204)
      assert.deepEqual(done, [own])
    },
  ],
  [
    'a webhook whose handler or store never answers is answered, and sent again if it was not handled',
    async (bench) => {
      const tried = Object.entries(hangingOptions()).map(async ([name, [options, status]]) => {
        const given = { answerSeconds: ANSWER_SECONDS, ...options }
        const { send } = await receive(bench, {}, given)
        const answer = await answerOf(name, send())
        assert.equal(answer.status, status, `${name}: ${answer.text}`)
        if (status === 503) assert.equal(answer.headers['retry-after'], '5', name)
      })
      await Promise.all(tried)
    },
  ],
  [
    'an event that is sent twice is handled once, and answered with 204 both times',
    async (bench) => {
      const { send, events } = await receive(bench)
      assert.equal((await send()).status, 204)
      assert.equal((await send()).status, 204)
      assert.equal(events.length, 1)
    },
  ],
  [
    'a webhook needs no login and no origin, and its answer sets no cookie',
    async (bench) => {
      const { send, site } = await receive(bench)
      const answer = await send(undefined, { origin: 'https://login.example.com' })
      assert.equal(answer.status, 204, answer.text)
      assert.deepEqual(cookiesOf(answer), [])
      assert.equal((await site.visitor().open('/')).text, 'out')
    },
  ],
  [
    'an application’s own error handler does not change the answer to a webhook',
    async (bench) => {
      const onError = (): { status: number; body: string } => ({ status: 200, body: 'fine' })
      const { send } = await receive(bench, { onError })
      const answer = await send(undefined, { 'webhook-signature': 'v1,' })
      assertRefused(answer, 401, 'LATCHKEY_WEBHOOK_SIGNATURE_INVALID')
    },
  ],
  [
    'a webhook of more than 64 KiB is refused',
    async (bench) => {
      const { send, events, body } = await receive(bench)
      const long = body.replace('{', `{"more":"${'x'.repeat(65_536)}",`)
      assertRefused(await send(long), 413, 'LATCHKEY_WEBHOOK_INVALID')
      assert.deepEqual(events, [])
    },
  ],
  [
    'reading a webhook of 300 MB stops early',
    async (bench) => {
      const { site, send, signed } = await receive(bench)
      const { status, mebibytes } = await flood(site, PATH, signed())
      assert.ok(mebibytes < 64, `${mebibytes} MiB were taken`)
      assert.ok(status === 413 || status === 0, `it answered ${status}`)
      assert.equal((await send()).status, 204)
    },
  ],
]
