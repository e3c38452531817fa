import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, upgradeWebSocket } from '@hono/node-server'
import { type AuthOptions, createAuth, requireUser } from '@latchkey/hono'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createBrowser } from '../../testing/src/login/browser.ts'

const BASE = 'http://localhost:3000'

test('a WebSocket is closed when its user logs out, and a closed one is no longer watched', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await using provider = await startMisbehavingProvider()
  const { issuer, clientId, clientSecret } = provider
  const session = { secret: 'a secret of a test, long enough for the kit' }
  const app = new Hono()
    .use(createAuth({ issuer, clientId, clientSecret, baseUrl: BASE, session }))
    .get('/', (c) => c.text('home'))
    .use('/socket', requireUser())
  app.get(
    '/socket',
    upgradeWebSocket((c) => {
      const ended = c.var.auth.ended()
      return {
        onOpen(_event, socket) {
          ended.addEventListener('abort', () => socket.close(4401))
          socket.send('hello')
        },
      }
    }),
  )
  const websocket = { server: new WebSocketServer({ noServer: true }) as never }
  const server = createAdaptorServer({ fetch: app.fetch, websocket }) as Server
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = createBrowser({ [BASE]: url })
  await browser.open(`${BASE}/login`)
  const pairs = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
  const headers = { cookie: pairs.join('; '), origin: BASE }
  const open = async (): Promise<WebSocket> => {
    const client = new WebSocket(`${url.replace('http', 'ws')}/socket`, { headers })
    onTestFinished(() => client.terminate())
    await once(client, 'message')
    return client
  }

  const left = await open()
  expect(vi.getTimerCount()).toBe(1)
  left.close()
  await vi.waitUntil(() => vi.getTimerCount() === 0)

  const closed = once(await open(), 'close')
  await browser.send(`${BASE}/logout`, { method: 'POST' })
  expect((await closed)[0]).toBe(4401)
})

test.each([
  ['is answered', 101, true],
  ['has been answered', 101, true],
  ['is answered', 200, false],
  ['has been answered', 200, false],
])(
  'a handshake that the runtime ends when it %s with %i is watched: %s',
  async (when, status, isWatched) => {
    await using provider = await startMisbehavingProvider()
    const { issuer, clientId, clientSecret } = provider
    const session = { secret: 'a secret of a test, long enough for the kit' }
    const signals: AbortSignal[] = []
    const request = new AbortController()
    const app = new Hono()
      .use(createAuth({ issuer, clientId, clientSecret, baseUrl: BASE, session }))
      .get('/', (c) => c.text('home'))
      .get('/socket', requireUser(), (c) => {
        signals.push(c.var.auth.ended())
        // Deno answers a handshake with such a response, which Node cannot make.
        const answer = Object.defineProperty(new Response(null), 'status', { value: status })
        if (when === 'is answered') request.abort()
        return answer
      })
    const server = createAdaptorServer({ fetch: app.fetch }) as Server
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const browser = createBrowser({ [BASE]: url })
    await browser.open(`${BASE}/login`)
    const pairs = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
    await app.fetch(
      new Request(`${BASE}/socket`, {
        headers: { cookie: pairs.join('; '), origin: BASE, upgrade: 'websocket' },
        signal: request.signal,
      }),
    )
    request.abort()
    await browser.send(`${BASE}/logout`, { method: 'POST' })

    expect(signals.map(({ aborted }) => aborted)).toEqual([isWatched])
  },
)

/** An application whose handshakes are answered with 101, and a user who has logged in. */
async function answeringWith101(
  options: AuthOptions = {},
  requirement: Parameters<typeof requireUser>[0] = {},
  calls = 1,
) {
  const provider = await startMisbehavingProvider()
  onTestFinished(() => provider.close())
  const { issuer, clientId, clientSecret } = provider
  const session = { secret: 'a secret of a test, long enough for the kit' }
  const signals: AbortSignal[] = []
  const app = new Hono()
    .use(createAuth({ issuer, clientId, clientSecret, baseUrl: BASE, session, ...options }))
    .get('/', (c) => c.text('home'))
    .get('/socket', requireUser(requirement), (c) => {
      for (let call = 0; call < calls; call += 1) signals.push(c.var.auth.ended())
      return Object.defineProperty(new Response(null), 'status', { value: 101 })
    })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = createBrowser({ [BASE]: url })
  await browser.open(`${BASE}/login`)
  const pairs = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
  return {
    provider,
    logOut: () => browser.send(`${BASE}/logout`, { method: 'POST' }),
    /** The connections that were told to close. */
    ended: () => signals.flatMap(({ aborted }, at) => (aborted ? [at] : [])),
    async open(count: number, headers: object = { cookie: pairs.join('; ') }): Promise<void> {
      for (let at = 0; at < count; at += 1) {
        const sent = { ...headers, origin: BASE, upgrade: 'websocket' }
        const answer = await app.fetch(new Request(`${BASE}/socket`, { headers: sent }))
        expect(answer.status).toBe(101)
      }
    },
  }
}

test('of the WebSockets of a session whose end is not reported, the oldest is closed above 100', async () => {
  const { open, ended, logOut } = await answeringWith101()

  await open(100)
  expect(ended()).toEqual([])
  await open(2)
  expect(ended()).toEqual([0, 1])
  await logOut()
  expect(ended()).toHaveLength(102)
})

test('of the WebSockets of the bearer tokens of a user, the oldest is closed above 1,000', async () => {
  const audience = 'https://api.example'
  const { open, ended, provider } = await answeringWith101(
    { bearer: { audience } },
    { accept: ['bearer'] },
  )
  const bearer = (claims: object) => ({
    authorization: `Bearer ${provider.accessToken({ aud: audience, ...claims })}`,
  })

  await open(999, bearer({ jti: 'one' }))
  await open(1, bearer({ jti: 'another' }))
  await open(1, bearer({ sub: 'grace' }))
  expect(ended()).toEqual([])
  await open(1, bearer({ jti: 'a third' }))
  expect(ended()).toEqual([0])
})

test('a request that asks for its signal many times counts as one connection', async () => {
  const { open, ended, logOut } = await answeringWith101({}, {}, 200)

  await open(2)
  expect(ended()).toEqual([])
  await logOut()
  expect(ended()).toHaveLength(400)
})
