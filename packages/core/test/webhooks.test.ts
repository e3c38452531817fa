import { createHmac, randomBytes } from 'node:crypto'
import {
  ConfigError,
  createMemoryStore,
  type SessionStore,
  type WebhookEvent,
} from '@latchkey/core'
import { serveNodeWebhook } from '@latchkey/core/node'
import {
  createWebhookHandler,
  type WebhookHandler,
  type WebhookHandlerOptions,
} from '@latchkey/core/webhooks'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'

const NOW = 1_800_000_000
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const ID = 'evt_01JD0000000000000000000000'

const eventOf = (id = ID, type = 'user.disabled'): string =>
  JSON.stringify({
    id,
    type,
    timestamp: '2026-11-23T22:00:00.123456Z',
    data: { type: 'User', id: 'usr_1', tenant_id: 'ten_1', actor: 'key:key_1', sequence: 7 },
  })

interface Message {
  id?: string
  timestamp?: number | string
  body?: string | Uint8Array
  secrets?: string[]
  headers?: Record<string, string | null>
}

/** A signature as the service makes it. */
function sign(id: string, timestamp: number | string, body: string | Uint8Array, secret = SECRET) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return `v1,${mac.digest('base64')}`
}

function webhook(message: Message = {}): Request {
  const { id = ID, timestamp = NOW, body = eventOf(id), secrets = [SECRET] } = message
  const headers = new Headers({
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((one) => sign(id, timestamp, body, one)).join(' '),
  })
  for (const [name, value] of Object.entries(message.headers ?? {})) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  const init = { method: 'POST', headers, body: body as string, duplex: 'half' }
  return new Request('https://app.example.com/webhooks', init as RequestInit)
}

interface Receiver extends WebhookHandler {
  readonly events: WebhookEvent[]
}

function receiver(options: Partial<WebhookHandlerOptions> = {}): Receiver {
  const events: WebhookEvent[] = []
  const handler = createWebhookHandler({
    secret: SECRET,
    onEvent: (event) => events.push(event),
    logger: false,
    now: () => NOW,
    ...options,
  })
  return Object.assign(handler, { events })
}

async function answerOf(handler: WebhookHandler, request: Request): Promise<string> {
  const answer = await handler.fetch(request)
  const text = await answer.text()
  return text === '' ? String(answer.status) : `${answer.status} ${JSON.parse(text).code}`
}

const UNSIGNED = '401 LATCHKEY_WEBHOOK_SIGNATURE_INVALID'
const INVALID = '400 LATCHKEY_WEBHOOK_INVALID'

describe('verification', () => {
  test('an event that is signed with the secret is handled, and answered with 204', async () => {
    const handler = receiver()
    expect(await answerOf(handler, webhook())).toBe('204')
    expect(handler.events).toEqual([JSON.parse(eventOf())])
  })

  test('a body that was changed by one byte is refused, as are another id and another time', async () => {
    const handler = receiver()
    const signed = webhook().headers
    const changes: [string, Request][] = [
      ['body', webhook({ body: eventOf().replace('usr_1', 'usr_2') })],
      ['space', webhook({ body: `${eventOf()} ` })],
      ['id', webhook({ id: 'evt_other' })],
      ['time', webhook({ timestamp: NOW - 1 })],
    ]
    for (const [name, request] of changes) {
      request.headers.set('webhook-signature', signed.get('webhook-signature') ?? '')
      expect(await answerOf(handler, request), name).toBe(UNSIGNED)
    }
    expect(handler.events).toEqual([])
  })

  test.each([
    ['an empty signature', 'v1,'],
    ['a comma alone', ','],
    ['no version', sign(ID, NOW, eventOf()).slice(3)],
    ['another version', sign(ID, NOW, eventOf()).replace('v1', 'v2')],
    ['an asymmetric signature', sign(ID, NOW, eventOf()).replace('v1', 'v1a')],
    ['the first byte of the signature', sign(ID, NOW, eventOf()).slice(0, 5)],
    ['all but the last character', sign(ID, NOW, eventOf()).slice(0, -2)],
    ['a signature with more behind it', `${sign(ID, NOW, eventOf())}AAAA`],
    ['a signature without padding', sign(ID, NOW, eventOf()).replace('=', '')],
    ['the signature of an empty key', sign(ID, NOW, eventOf(), 'whsec_')],
    ['the signature of another endpoint', sign(ID, NOW, eventOf(), OTHER)],
    [
      'a thousand signatures',
      Array(1000)
        .fill(`v1,${'A'.repeat(43)}=`)
        .join(' '),
    ],
  ])('%s never passes', async (_name, signature) => {
    const handler = receiver()
    const request = webhook({ headers: { 'webhook-signature': signature } })
    expect(await answerOf(handler, request)).toBe(UNSIGNED)
  })

  test('one of several signatures is enough, in any order, and others are passed over', async () => {
    const good = sign(ID, NOW, eventOf())
    const bad = sign(ID, NOW, eventOf(), OTHER)
    for (const header of [`${bad} ${good}`, `${good} ${bad}`, `v1a,abc v1, x ${good}`]) {
      const request = webhook({ headers: { 'webhook-signature': header } })
      expect(await answerOf(receiver(), request)).toBe('204')
    }
  })

  test('while a secret is rotated, each of the two is accepted, and a third is not', async () => {
    const secret = [OTHER, SECRET]
    expect(await answerOf(receiver({ secret }), webhook())).toBe('204')
    expect(await answerOf(receiver({ secret }), webhook({ secrets: [OTHER] }))).toBe('204')
    const third = `whsec_${randomBytes(32).toString('base64')}`
    expect(await answerOf(receiver({ secret }), webhook({ secrets: [third] }))).toBe(UNSIGNED)
  })

  test('the timestamp may be five minutes off, either way, and no second more', async () => {
    for (const off of [-300, 0, 300]) {
      expect(await answerOf(receiver(), webhook({ timestamp: NOW + off }))).toBe('204')
    }
    for (const off of [-301, 301, 86_400]) {
      expect(await answerOf(receiver(), webhook({ timestamp: NOW + off }))).toBe(
        '400 LATCHKEY_WEBHOOK_TIME_INVALID',
      )
    }
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'a webhook without %s, with an empty one, or with two, is refused',
    async (name) => {
      const handler = receiver()
      const { headers } = webhook()
      const values = [null, '', `${headers.get(name)}, ${headers.get(name)}`]
      for (const value of values) {
        const answer = await answerOf(handler, webhook({ headers: { [name]: value } }))
        const isTwice = value?.includes(', ') && name === 'webhook-signature'
        expect(answer).toBe(isTwice ? '204' : INVALID)
      }
    },
  )

  test.each(['1e3', '-1', '0x6b49d200', `${NOW}.5`, ' ', 'NaN', '9999999999999', '١٨'])(
    'the timestamp "%s" is refused',
    async (timestamp) => {
      const request = { method: 'POST', headers: webhook().headers, body: async () => Buffer.of() }
      const headers = {
        get: (name: string) =>
          name === 'webhook-timestamp' ? timestamp : request.headers.get(name),
      }
      expect((await receiver().receive({ ...request, headers })).status).toBe(400)
    },
  )

  test('a signature is refused in another spelling of its bytes', async () => {
    const spelled = sign(ID, NOW, eventOf(), SECRET)
    const last = spelled.at(-2) ?? ''
    const other = `${spelled.slice(0, -2)}${String.fromCharCode(last.charCodeAt(0) + 1)}=`
    const bytes = (text: string) => Buffer.from(text.slice(3), 'base64').toString('hex')
    expect(bytes(other)).toBe(bytes(spelled))
    const request = webhook({ headers: { 'webhook-signature': other } })
    expect(await answerOf(receiver(), request)).toBe(UNSIGNED)
  })

  test('the end of an id cannot be taken for a timestamp', async () => {
    const id = `${ID}.${NOW}`
    expect(await answerOf(receiver(), webhook({ id }))).toBe(INVALID)
  })

  test('the id of the event is the one that was signed', async () => {
    expect(await answerOf(receiver(), webhook({ body: eventOf('evt_other') }))).toBe(INVALID)
  })
})

describe('beside the library standardwebhooks', () => {
  test('an event that the library has signed is handled', async () => {
    const signature = new Webhook(SECRET).sign(ID, new Date(NOW * 1000), eventOf())
    const request = webhook({ headers: { 'webhook-signature': signature } })
    expect(await answerOf(receiver(), request)).toBe('204')
  })

  test('the library and the handler agree about every change of a signed message', async () => {
    vi.useFakeTimers({ now: NOW * 1000, toFake: ['Date'] })
    const part = fc.record({
      at: fc.nat(80),
      // The library ignores what follows a second comma of a signature; the handler refuses it.
      text: fc
        .string({ maxLength: 3, unit: 'binary-ascii' })
        .map((text) => text.replaceAll(',', '')),
    })
    const change = fc.option(part, { nil: undefined, freq: 2 })
    let accepted = 0
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(SECRET, OTHER),
          fc.integer({ min: -310, max: 310 }),
          change,
          change,
          fc.string(),
          async (secret, off, ofSignature, ofBody, name) => {
            const written = eventOf().replace('usr_1', JSON.stringify(name).slice(1, -1))
            const signature = sign(ID, NOW + off, written, secret)
            const body = changed(written, ofBody)
            const header = changed(signature, ofSignature)
              .replace(/[^\x20-\x7e]/g, '')
              .trim()
            const request = webhook({
              timestamp: NOW + off,
              body,
              headers: { 'webhook-signature': header },
            })
            const ours = (await receiver().fetch(request.clone())).status === 204
            const theirs = isAcceptedByLibrary(request, body)
            if (ours) accepted++
            expect(ours).toBe(theirs)
          },
        ),
        { numRuns: 500 },
      )
    } finally {
      vi.useRealTimers()
    }
    expect(accepted).toBeGreaterThan(5)
  })
})

function changed(text: string, change: { at: number; text: string } | undefined): string {
  if (!change) return text
  return text.slice(0, change.at) + change.text + text.slice(change.at + change.text.length)
}

function isAcceptedByLibrary(request: Request, body: string): boolean {
  try {
    new Webhook(SECRET).verify(body, Object.fromEntries(request.headers))
    return true
  } catch {
    return false
  }
}

describe('bodies', () => {
  test.each(['', 'null', '[]', '{}', '"text"', '{"id":1}', 'not json', '{"data":{}}'])(
    'the body %j is no event, although it is signed',
    async (body) => {
      expect(await answerOf(receiver(), webhook({ body }))).toBe(INVALID)
    },
  )

  test('members called __proto__ and constructor change nothing outside the event', async () => {
    const body = eventOf().replace('{', '{"__proto__":{"polluted":1},"constructor":{"a":1},')
    expect(await answerOf(receiver(), webhook({ body }))).toBe('204')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('64 KiB are read and not one byte more, regardless of the length that is stated', async () => {
    const fill = (size: number): string => {
      const event = eventOf()
      return event.replace('}}', `,"more":"${'x'.repeat(size - event.length - 10)}"}}`)
    }
    expect(Buffer.byteLength(fill(65_536))).toBe(65_536)
    expect(await answerOf(receiver(), webhook({ body: fill(65_536) }))).toBe('204')
    for (const length of [null, '65537', '100']) {
      const headers = { 'content-length': length }
      const answer = await answerOf(receiver(), webhook({ body: fill(65_537), headers }))
      expect(answer).toBe('413 LATCHKEY_WEBHOOK_INVALID')
    }
  })

  test.each(['rawBody', 'body', 'fetch'])(
    'a body that a parser has kept may have 64 KiB, too: %s',
    async (kept) => {
      const event = eventOf()
      for (const [size, expected] of [
        [65_536, 204],
        [65_537, 413],
      ] as const) {
        const body = event.replace('}}', `,"more":"${'x'.repeat(size - event.length - 10)}"}}`)
        const request = webhook({ body })
        const handler = receiver()
        if (kept === 'fetch') {
          expect((await handler.fetch(request, body)).status).toBe(expected)
          continue
        }
        const headers = Object.fromEntries(request.headers)
        const message = { method: 'POST', headers, [kept]: Buffer.from(body) }
        const response = { headersSent: false, statusCode: 0, setHeader() {}, end() {} }
        await serveNodeWebhook(handler, message as never, response as never)
        expect(response.statusCode).toBe(expected)
      }
    },
  )

  test('a body that does not end is given up after 64 KiB', async () => {
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        sent += 16_384
        controller.enqueue(new Uint8Array(16_384))
      },
    })
    const init = { method: 'POST', headers: webhook().headers, body, duplex: 'half' }
    const endless = new Request('https://app.example.com/', init as RequestInit)
    expect(await answerOf(receiver(), endless)).toBe('413 LATCHKEY_WEBHOOK_INVALID')
    expect(sent).toBeLessThan(200_000)
  })

  test('a body that breaks off is refused', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('cut')) })
    const init = { method: 'POST', headers: webhook().headers, body, duplex: 'half' }
    const cut = new Request('https://app.example.com/', init as RequestInit)
    expect(await answerOf(receiver(), cut)).toBe(INVALID)
  })

  test('a body that something has read before is refused with a sentence that says what to do', async () => {
    const lines: string[] = []
    const line = (text: string): unknown => lines.push(text)
    const logger = { log: line, info: line, warn: line, error: line }
    const request = webhook()
    await request.json()
    const handler = receiver({ logger })
    expect(await answerOf(handler, request)).toBe('500 LATCHKEY_WEBHOOK_BODY_READ')
    expect(lines.join()).toContain('Mount the webhook handler in front of the body parser')
  })

  test('bytes that are no UTF-8 are verified as they are', async () => {
    const body = Buffer.concat([Buffer.from(eventOf().slice(0, -2)), Buffer.of(0xff, 0xfe)])
    expect(await answerOf(receiver(), webhook({ body }))).toBe(INVALID)
    const text = body.toString('utf8')
    const request = webhook({ body })
    expect(await (await receiver().fetch(request, text)).status).toBe(401)
  })
})

describe('events', () => {
  test('an unknown type is accepted and passed over, unless it is asked for', async () => {
    const body = eventOf(ID, 'user.teleported')
    const silent = receiver()
    expect(await answerOf(silent, webhook({ body }))).toBe('204')
    expect(silent.events).toEqual([])
    const types: string[] = []
    const asked = receiver({ onUnknownEvent: ({ type }) => types.push(type) })
    expect(await answerOf(asked, webhook({ body }))).toBe('204')
    expect(types).toEqual(['user.teleported'])
  })

  test('names of object members are no types', async () => {
    for (const type of ['toString', '__proto__', 'hasOwnProperty']) {
      const handler = receiver()
      expect(await answerOf(handler, webhook({ body: eventOf(ID, type) }))).toBe('204')
      expect(handler.events).toEqual([])
    }
  })

  test('the type of an event tells the type of its object', () => {
    const handle = (event: WebhookEvent): void => {
      if (event.type === 'user.disabled') expectTypeOf(event.data.type).toEqualTypeOf<'User'>()
      if (event.type === 'credential.reset') {
        expectTypeOf(event.data.type).toEqualTypeOf<`${string}Credential`>()
      }
      // @ts-expect-error There is no such event.
      if (event.type === 'user.disable') return
      switch (event.type) {
        case 'user.created':
        case 'user.deleted':
          expectTypeOf(event.data.type).toEqualTypeOf<'User'>()
      }
    }
    expect(handle).toBeTypeOf('function')
  })
})

describe('once', () => {
  test('an event that was handled is answered with 204 and not handled again', async () => {
    const handler = receiver()
    expect(await answerOf(handler, webhook())).toBe('204')
    expect(await answerOf(handler, webhook())).toBe('204')
    expect(await answerOf(handler, webhook({ timestamp: NOW + 60 }))).toBe('204')
    expect(handler.events).toHaveLength(1)
  })

  test('an event whose handler failed is answered with 500, and handled when it is sent again', async () => {
    let fails = true
    const lines: [object, string][] = []
    const error = (...line: [object, string]): unknown => lines.push(line)
    const done: string[] = []
    const handler = receiver({
      logger: { info: error, warn: error, error },
      onEvent(event) {
        if (fails) throw new Error('the database is away')
        done.push(event.id)
      },
    })
    expect(await answerOf(handler, webhook())).toBe('500 LATCHKEY_WEBHOOK_FAILED')
    expect(lines).toMatchObject([[{ cause: 'the database is away' }, /failed for "evt_01/]])
    fails = false
    expect(await answerOf(handler, webhook())).toBe('204')
    expect(done).toEqual([ID])
  })

  test('two copies at once are handled once; the second is told to come again', async () => {
    const held = Promise.withResolvers<void>()
    let runs = 0
    const handler = receiver({
      async onEvent() {
        runs++
        await held.promise
      },
    })
    const first = handler.fetch(webhook())
    await vi.waitFor(() => expect(runs).toBe(1))
    const second = await handler.fetch(webhook())
    expect(second.status).toBe(503)
    expect(second.headers.get('retry-after')).toBe('5')
    held.resolve()
    expect((await first).status).toBe(204)
    expect((await handler.fetch(webhook())).status).toBe(204)
    expect(runs).toBe(1)
  })

  test('processes that share a store handle an event once, a hundred copies at the same time', async () => {
    const store = createMemoryStore({ now: () => NOW })
    let runs = 0
    const onEvent = async (): Promise<void> => {
      runs++
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const processes = Array.from({ length: 4 }, () => receiver({ store, onEvent }))
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, copy) => (processes[copy % 4] as Receiver).fetch(webhook())),
    )
    expect(runs).toBe(1)
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(99)
  })

  test('two endpoints that share a store both get the event', async () => {
    const store = createMemoryStore({ now: () => NOW })
    const [one, other] = [receiver({ store }), receiver({ store, secret: OTHER })]
    await one.fetch(webhook())
    await other.fetch(webhook({ secrets: [OTHER] }))
    expect(one.events).toHaveLength(1)
    expect(other.events).toHaveLength(1)
  })

  test('a copy with one of two signatures taken off is still the same event', async () => {
    const handler = receiver({ secret: [OTHER, SECRET] })
    await handler.fetch(webhook({ secrets: [SECRET, OTHER] }))
    await handler.fetch(webhook({ secrets: [SECRET] }))
    await handler.fetch(webhook({ secrets: [OTHER] }))
    expect(handler.events).toHaveLength(1)
  })

  test('while the store cannot be reached, no event is handled, and the service is told to come again', async () => {
    const memory = createMemoryStore({ now: () => NOW })
    const away = async (): Promise<never> => {
      throw new Error('connection refused')
    }
    for (const broken of [
      { lock: { acquire: away } },
      { once: { ...memory.once, isConsumed: away } },
    ]) {
      const handler = receiver({ store: { ...memory, ...broken } as SessionStore })
      expect(await answerOf(handler, webhook())).toBe('503 LATCHKEY_SESSION_UNAVAILABLE')
      expect(handler.events).toEqual([])
    }
  })

  test('a lock that cannot be released changes no answer', async () => {
    const memory = createMemoryStore({ now: () => NOW })
    const lock = { acquire: () => () => Promise.reject(new Error('away')) }
    expect(await answerOf(receiver({ store: { ...memory, lock } }), webhook())).toBe('204')
  })

  test('a store without a replay cache remembers within this process', async () => {
    const { once: _once, lock: _lock, ...store } = createMemoryStore({ now: () => NOW })
    const handler = receiver({ store })
    await handler.fetch(webhook())
    await handler.fetch(webhook())
    expect(handler.events).toHaveLength(1)
  })

  test('requests that are refused leave nothing in the store', async () => {
    const consume = vi.fn(() => true)
    const memory = createMemoryStore({ now: () => NOW })
    const acquire = vi.fn(memory.lock.acquire)
    const store = { ...memory, once: { ...memory.once, consume }, lock: { acquire } }
    await receiver({ store }).fetch(webhook({ secrets: [OTHER] }))
    expect(acquire).not.toHaveBeenCalled()
    expect(consume).not.toHaveBeenCalled()
  })
})

describe('deadlines', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** A function that is called, and never answers. */
  function hanging() {
    const reached = Promise.withResolvers<void>()
    const call = (): Promise<never> => {
      reached.resolve()
      return new Promise(() => {})
    }
    return { reached: reached.promise, call }
  }

  /** The answer to a webhook of which one function hangs, as it is after 20 seconds. */
  async function answerInTime(
    handler: WebhookHandler,
    reached: Promise<void>,
    request: Request = webhook(),
  ): Promise<string> {
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('none'), 20_000))
    const answered = answerOf(handler, request)
    await reached
    await vi.advanceTimersByTimeAsync(20_000)
    return Promise.race([answered, late])
  }

  type Broken = (call: () => Promise<never>) => Partial<WebhookHandlerOptions>
  const memory = createMemoryStore({ now: () => NOW })
  const lock = { acquire: () => () => {} }
  const once = { isConsumed: () => false, consume: () => true }
  const HUNG = '503 LATCHKEY_SESSION_UNAVAILABLE'
  const LATE = '503 LATCHKEY_ANSWER_LATE'
  const unknown = (): Request => webhook({ body: eventOf(ID, 'user.teleported') })
  const cases: [string, Broken, string, (() => Request)?][] = [
    ['onEvent', (onEvent) => ({ onEvent }), LATE],
    ['onUnknownEvent', (onUnknownEvent) => ({ onUnknownEvent }), LATE, unknown],
    ['store.lock.acquire', (acquire) => ({ store: { ...memory, once, lock: { acquire } } }), HUNG],
    [
      'store.once.isConsumed',
      (isConsumed) => ({ store: { ...memory, lock, once: { ...once, isConsumed } } }),
      HUNG,
    ],
    [
      'store.once.consume',
      (consume) => ({ store: { ...memory, lock, once: { ...once, consume } } }),
      HUNG,
    ],
    [
      'store.lock.release',
      (release) => ({ store: { ...memory, once, lock: { acquire: () => release } } }),
      '204',
    ],
  ]

  test.each(cases)(
    'a webhook is answered and the log says why when %s hangs',
    async (name, broken, expected, request) => {
      const lines: string[] = []
      const line = (...given: unknown[]): unknown => lines.push(JSON.stringify(given))
      const { reached, call } = hanging()
      const handler = receiver({ ...broken(call), logger: { info: line, warn: line, error: line } })
      expect(await answerInTime(handler, reached, request?.())).toBe(expected)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain(`${name}\\" did not answer within 10 s`)
      expect(lines[0]).toMatch(/LATCHKEY_(ANSWER_LATE|SESSION_UNAVAILABLE)/)
    },
  )

  test('the service is told when to come again after an event whose handler hangs', async () => {
    const { reached, call } = hanging()
    const answered = receiver({ onEvent: call }).fetch(webhook())
    await reached
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await answered).headers.get('retry-after')).toBe('5')
  })

  test('an event whose handler is late is not handled again beside it, nor after it', async () => {
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    let runs = 0
    const onEvent = (): Promise<void> => {
      runs++
      started.resolve()
      return finish.promise
    }
    const handler = receiver({ onEvent, answerSeconds: 3 })
    const answered = answerOf(handler, webhook())
    await started.promise
    await vi.advanceTimersByTimeAsync(3000)
    expect(await answered).toBe(LATE)
    expect(await answerOf(handler, webhook())).toBe('503 LATCHKEY_WEBHOOK_BUSY')
    finish.resolve()
    await vi.waitFor(async () => expect(await answerOf(handler, webhook())).toBe('204'))
    expect(runs).toBe(1)
  })
})

test('only POST is answered with anything but 405', async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await receiver().fetch(new Request('https://app.example.com/', { method }))
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  }
})

describe('options', () => {
  const faultOf = (options: object): string => {
    try {
      createWebhookHandler(options as WebhookHandlerOptions)
    } catch (error) {
      if (error instanceof ConfigError) return error.message
    }
    return 'none'
  }
  const onEvent = (): void => {}

  test.each([[undefined], [''], [[]], [['']]])('the secret %j is refused', (secret) => {
    expect(faultOf({ secret, onEvent })).toContain('"secret"')
  })

  test.each([
    ['without its prefix', SECRET.slice(6)],
    ['that is empty', 'whsec_'],
    ['that is too short', `whsec_${Buffer.alloc(23, 1).toString('base64')}`],
    ['that is too long', `whsec_${Buffer.alloc(65, 1).toString('base64')}`],
    ['with a character that is lost in decoding', `${SECRET.slice(0, -2)}*=`],
    ['with white space', `${SECRET}\n`],
  ])('a secret %s is refused, and not repeated', (_name, secret) => {
    const fault = faultOf({ secret: [SECRET, secret], onEvent })
    expect(fault).toContain('"secret" is no secret of a webhook')
    if (secret.length > 10) expect(fault).not.toContain(secret.slice(6, 20))
  })

  test('all faults are listed, with the names of other libraries', () => {
    expect(faultOf({ secrets: SECRET, on: {}, store: new Map([[1, 2]]) })).toBe(
      [
        'createWebhookHandler() cannot start:',
        '  - "secrets" is not an option. It is "secret" here.',
        '  - "on" is not an option. It is "onEvent" here.',
        '  - "store" must be a session store, such as createSessionStore(), not an empty object.',
        '  - "secret" is not set or empty. Is the environment variable set?',
        '  - "onEvent" is not set. It is the function that gets each event.',
      ].join('\n'),
    )
    expect(faultOf(undefined as never)).toContain('must be an object such as { secret, onEvent }')
  })
})

test('neither an answer nor a log line shows a secret, a signature or the body', async () => {
  const lines: unknown[] = []
  const line = (...given: unknown[]): unknown => lines.push(...given)
  const handler = receiver({ logger: { info: line, warn: line, error: line } })
  const requests = [
    webhook({ secrets: [OTHER] }),
    webhook({ timestamp: NOW - 999 }),
    webhook({ body: '{"password":"hunter2"}' }),
    webhook({ headers: { 'webhook-id': 'a b' } }),
  ]
  const texts: string[] = []
  for (const request of requests) texts.push(await (await handler.fetch(request)).text())
  const all = JSON.stringify([...lines, ...texts])
  expect(lines.length).toBeGreaterThan(3)
  for (const secret of ['hunter2', SECRET.slice(6, 30), OTHER.slice(6, 30), 'v1,', 'usr_1']) {
    expect(all).not.toContain(secret)
  }
})
