import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { connect as connectSocket } from 'node:net'
import { createMemoryStore } from '@latchkey/core'
import { type AuthOptions, type Requirement, requireUser } from '@latchkey/express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws'
import { watchStore } from '../../testing/src/adapter/watched-store.ts'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

const ENDED = 4401
let site: Site
let browser: Browser
let time: number
const clients: WebSocket[] = []
/** The connections by long polling whose session has ended, and what closes the others. */
const ended: string[] = []
const polling: (() => void)[] = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  browser = createBrowser()
  time = Math.floor(Date.now() / 1000)
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate()
  ended.length = 0
  polling.length = 0
  await site.close()
  vi.useRealTimers()
})

/** An application whose WebSocket greets its user, and is closed when the session ends. */
async function start(requirement?: Requirement<never>, options: AuthOptions = {}): Promise<Site> {
  const started = await startSite(
    (app) => {
      app.get('/private', requireUser(), (_req, res) => void res.send('private'))
      app.get('/socket.io/', (req, res) => {
        const onClose = req.query.closes
          ? (close: () => void) => void polling.push(close)
          : undefined
        void site.router.socket(req, {}, onClose).then((opened) => {
          if (opened.isAllowed) opened.ended.addEventListener('abort', () => ended.push(req.url))
          res.status(opened.isAllowed ? 200 : opened.status).end()
        })
      })
      app.get('/events', requireUser(), (req, res) => {
        res.type('text/event-stream').write(`data: ${req.auth.user?.sub}\n\n`)
        req.auth.ended().addEventListener('abort', () => res.end('event: ended\n\n'))
      })
    },
    { now: () => time, ...options },
  )
  const sockets = new WebSocketServer({ noServer: true })
  started.server.on('upgrade', (req, socket, head) => {
    const opening = started.router.socket(req, requirement as Requirement).then((opened) => {
      if (!opened.isAllowed) return opened.refuse(socket)
      sockets.handleUpgrade(req, socket, head, (client) => {
        opened.ended.addEventListener('abort', () => client.close(ENDED))
        client.send(`Hello ${opened.user.sub}`)
      })
    })
    opening.catch((error) => socket.destroy(error))
  })
  return started
}

function connect(headers: Record<string, string>, options: ClientOptions = {}): WebSocket {
  const client = new WebSocket(site.url.replace('http', 'ws'), { headers, ...options })
  // One that is ended before it is open says so; tests that care about it listen, too.
  client.on('error', () => {})
  clients.push(client)
  return client
}

const cookie = (): string =>
  [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; ')
const own = (): Record<string, string> => ({ cookie: cookie(), origin: site.url })

async function greeting(client: WebSocket): Promise<string> {
  const [message] = await once(client, 'message')
  return String(message)
}

async function logIn(): Promise<void> {
  await browser.open(`${site.url}/login`)
}

/** A WebSocket of a logged-in user, and the code that it is closed with. */
async function openSocket(): Promise<{ closed: Promise<unknown> }> {
  const client = connect(own())
  expect(await greeting(client)).toBe('Hello ada')
  return { closed: once(client, 'close').then(([code]) => code) }
}

async function refusal(headers: Record<string, string>): Promise<[number, string]> {
  const client = connect(headers)
  client.on('error', () => {})
  const [request, response] = await once(client, 'unexpected-response')
  request.destroy()
  return [response.statusCode, String(response.headers['www-authenticate'] ?? '')]
}

test('a WebSocket opens for a logged-in user of this site, and is closed when the user logs out', async () => {
  site = await start()
  await logIn()
  const { closed } = await openSocket()
  await browser.send(`${site.url}/logout`, { method: 'POST' })
  expect(await closed).toBe(ENDED)
  expect(await refusal(own())).toEqual([401, 'Session error="login_required"'])
})

test('a WebSocket from another site, or without an origin, is refused although the session is valid', async () => {
  site = await start(undefined, { trustedOrigins: 'any' })
  await logIn()
  for (const headers of [
    { origin: 'https://elsewhere.example' },
    { origin: `${site.url}.evil.example` },
    { origin: 'null' },
    { origin: site.url, 'sec-fetch-site': 'same-site' },
    {},
  ] as Record<string, string>[]) {
    expect((await refusal({ cookie: cookie(), ...headers }))[0]).toBe(403)
  }
  expect(await greeting(connect(own()))).toBe('Hello ada')
})

test('a connection from another site is also refused if it begins with long polling', async () => {
  site = await start(undefined, { trustedOrigins: 'any' })
  await logIn()
  const poll = async (headers: Record<string, string>): Promise<number> => {
    const asked = request(`${site.url}/socket.io/?transport=polling`, {
      headers: { cookie: cookie(), ...headers },
    })
    const [answer] = await once(asked.end(), 'response')
    answer.resume()
    return answer.statusCode
  }
  expect(await poll({ origin: 'https://elsewhere.example' })).toBe(403)
  expect(await poll({ 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await poll({ 'sec-fetch-site': 'same-origin' })).toBe(200)
})

test('a connection that began with long polling ends with its session, although its first request is long over', async () => {
  site = await start()
  await logIn()
  const poll = async (query: string): Promise<void> => {
    const headers = { ...own(), connection: 'close' }
    const [answer] = await once(
      request(`${site.url}/socket.io/?${query}`, { headers }).end(),
      'response',
    )
    expect(answer.statusCode).toBe(200)
    await once(answer.resume(), 'close')
  }
  await poll('name=open')
  await poll('name=closed&closes=1')
  for (const close of polling) close()
  expect(ended).toEqual([])

  await browser.send(`${site.url}/logout`, { method: 'POST' })

  await vi.waitFor(() => expect(ended).toEqual(['/socket.io/?name=open']))
})

test('a WebSocket over HTTP/2 of another site is refused', async () => {
  site = await start(undefined, { trustedOrigins: 'any' })
  await logIn()
  const server = createHttp2Server({ settings: { enableConnectProtocol: true } }, () => {})
  server.on('connect', (req, res) => {
    void site.router.socket(req).then((opened) => {
      res.writeHead(opened.isAllowed ? 200 : opened.status).end()
    })
  })
  await once(server.listen(0), 'listening')
  const client = connectHttp2(`http://localhost:${(server.address() as AddressInfo).port}`)
  await once(client, 'remoteSettings')
  const open = async (origin: string): Promise<unknown> => {
    const stream = client.request({
      ...{ ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/', ':scheme': 'http' },
      ...{ ':authority': 'localhost', cookie: cookie(), origin },
    })
    const [headers] = await once(stream, 'response')
    stream.close()
    return headers[':status']
  }
  expect(await open('https://elsewhere.example')).toBe(403)
  expect(await open(site.url)).toBe(200)
  client.close()
  server.close()
})

test('a guarded route refuses the WebSocket of another site with every WebSocket library', async () => {
  site = await start()
  site.server.removeAllListeners('upgrade')
  await logIn()
  const open = async (origin: string): Promise<number> => {
    const headers = { origin, upgrade: 'h2c, WebSocket', connection: 'upgrade' }
    return (await browser.send(`${site.url}/private`, { headers })).status
  }
  expect(await open('https://elsewhere.example')).toBe(403)
  expect(await open(site.url)).toBe(200)
})

test('a WebSocket asks for the roles of its requirement', async () => {
  site = await start({ roles: ['admin'] })
  await logIn()
  expect((await refusal(own()))[0]).toBe(403)
})

test('a WebSocket is closed when its session is revoked, and no other is', async () => {
  site = await start()
  await logIn()
  const first = await openSocket()
  browser = createBrowser()
  time++
  await logIn()
  const second = await openSocket()
  const [older] = await site.router.sessions.list('ada')
  await site.router.sessions.revoke('ada', String(older?.id))
  expect(await first.closed).toBe(ENDED)
  expect(await Promise.race([second.closed, 'open'])).toBe('open')
})

test('a WebSocket and an event stream are closed when the provider ends the session', async () => {
  site = await start()
  await logIn()
  const { closed } = await openSocket()
  const events = fetch(`${site.url}/events`, { headers: { cookie: cookie() } })
  const text = (await events).text()
  const logout_token = site.provider.logoutToken({ sub: 'ada' })
  const body = new URLSearchParams({ logout_token })
  await fetch(`${site.url}/backchannel-logout`, { method: 'POST', body })
  expect(await closed).toBe(ENDED)
  expect(await text).toBe('data: ada\n\nevent: ended\n\n')
})

test('a WebSocket is closed within ten seconds after another process has ended its session', async () => {
  const store = createMemoryStore()
  site = await start(undefined, { session: { store } })
  await logIn()
  const { closed } = await openSocket()
  const { issuer } = site.provider
  await using other = await startSite(undefined, { session: { store } })
  expect(await other.router.sessions.revokeAll({ issuer, sub: 'ada' })).toBe(1)
  expect(await Promise.race([closed, 'open'])).toBe('open')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await closed).toBe(ENDED)
})

test('a WebSocket is closed when its session expires, idle or not', async () => {
  site = await start(undefined, { session: { idleSeconds: 60 } })
  await logIn()
  const { closed } = await openSocket()
  time += 61
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await closed).toBe(ENDED)
})

test('a WebSocket stays open while the store does not answer, and is closed when it answers that the session is gone', async () => {
  const store = watchStore(createMemoryStore())
  site = await start(undefined, { session: { store: store.store } })
  await logIn()
  const { closed } = await openSocket()
  store.isDown = true
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await Promise.race([closed, 'open'])).toBe('open')
  expect((await refusal(own()))[0]).toBe(503)
  store.isDown = false
  time += 700_000
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await closed).toBe(ENDED)
})

test('a WebSocket with a bearer token opens from anywhere, and is closed when the token expires', async () => {
  site = await start({ accept: ['bearer'] }, { bearer: { audience: 'https://api.example' } })
  const authorization = `Bearer ${site.provider.accessToken({ sub: 'bob' })}`
  const client = connect({ authorization })
  expect(await greeting(client)).toBe('Hello bob')
  const closed = once(client, 'close').then(([code]) => code)
  expect((await refusal({ origin: site.url }))[1]).toMatch(/^Bearer realm=/)
  time += 700
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await closed).toBe(ENDED)
})

test('a handshake leaves the refresh token of a session in the cookie to a request that can send its cookie', async () => {
  site = await start(undefined, { session: { store: 'cookie' }, userinfo: { everySeconds: 300 } })
  await logIn()
  const before = site.provider.count('/token')
  time += 700
  await openSocket()
  expect(site.provider.count('/token')).toBe(before)
  time += 31
  expect((await browser.open(`${site.url}/private`)).text).toBe('private')
  expect(site.provider.count('/token')).toBe(before + 1)
})

test('after its connections are closed, a session is no longer looked up', async () => {
  site = await start()
  await logIn()
  const client = connect(own())
  await greeting(client)
  expect(vi.getTimerCount()).toBe(1)
  client.close()
  await once(client, 'close')
  await vi.waitUntil(() => vi.getTimerCount() === 0)
})

test('a visitor who disconnects before the guard has decided causes no error, and the session is not looked up', async () => {
  let connection: ReturnType<typeof connectSocket> | undefined
  const decided = Promise.withResolvers<void>()
  site = await start({
    async check() {
      const gone = once(site.server, 'gone')
      connection?.resetAndDestroy()
      await gone
      decided.resolve()
      return true
    },
  })
  site.server.on('connection', (socket) => {
    socket.once('close', () => site.server.emit('gone'))
  })
  await logIn()
  connection = connectSocket(Number(new URL(site.url).port), '127.0.0.1')
  const lines = ['GET / HTTP/1.1', `Host: ${new URL(site.url).host}`, `Origin: ${site.url}`]
  lines.push(`Cookie: ${cookie()}`, 'Upgrade: websocket', 'Connection: Upgrade')
  lines.push('Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')
  connection.write(`${lines.join('\r\n')}\r\n\r\n`)
  await decided.promise
  await vi.waitUntil(() => vi.getTimerCount() === 0)
})
