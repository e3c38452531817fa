import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHttpServer, listen } from '../src/server/http-server.ts'
import { createIdentityService } from '../src/service.ts'
import type { IdentityServiceOptions } from '../src/service-options.ts'
import { temporaryFolder } from './cli/support.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { connectApi } from './support/api.ts'
import { startReceiver } from './webhooks/endpoint.ts'

async function aService(options: IdentityServiceOptions = {}) {
  // A close that waits until its time is over fails by the time limit of the test.
  const service = await createIdentityService({ closeSeconds: 3_600, ...options })
  onTestFinished(() => service.close())
  const tenant = await service.admin.createTenant({ domain: 'acme.example.com' })
  const { secret } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const { port } = await service.listen()
  const users = `/v1/tenants/${tenant.id}/users`

  /** A request whose body has not come yet; resolves when the service has begun it. */
  async function beginUpload(path: string, body: string) {
    const client = await aClient(port)
    client.send(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n` +
        'expect: 100-continue\r\n\r\n',
    )
    await client.received('100 Continue')
    return client
  }
  return { service, port, users, secret, beginUpload }
}

/** A client that shows what came over the wire. */
async function aClient(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.on('error', () => resolve())
  })
  await once(socket, 'connect')
  return {
    socket: socket as Socket,
    ended,
    get text() {
      return text
    },
    send: (chunk: string) => socket.write(chunk),
    async received(part: string) {
      while (!text.includes(part)) await once(socket, 'data')
    },
  }
}

const health = 'GET /x/health HTTP/1.1\r\nhost: x\r\n\r\n'

test('an upload that is under way when the service closes is finished and answered', async () => {
  const { service, users, beginUpload } = await aService()
  const body = JSON.stringify({ profile: { email: 'ada@example.com' } })
  const upload = await beginUpload(users, body)
  upload.send(body.slice(0, 10))
  const created: string[] = []
  service.events.on('change', ({ action }) => created.push(action))

  const closed = service.close()
  upload.send(body.slice(10))
  await closed
  await upload.ended

  expect(upload.text).toContain('HTTP/1.1 200 OK')
  expect(upload.text).toContain('ada@example.com')
  expect(created).toEqual(['user.create'])
})

test('a password that is being hashed when the service closes is stored and answered', async () => {
  const { service, users, secret, beginUpload } = await aService()
  const made = await service.fetch(`http://service.test${users}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ profile: { email: 'ada@example.com' } }),
  })
  const { id } = (await made.json()) as { id: string }
  const body = JSON.stringify({ password: { alg: 'plain', hash: 'correct horse' } })
  const upload = await beginUpload(`${users}/${id}/credentials`, body)

  const closed = service.close()
  upload.send(body)
  await closed
  await upload.ended

  expect(upload.text).toContain('HTTP/1.1 200 OK')
  expect(upload.text).toContain('"alg":"bcrypt"')
})

test('a request in process that is under way when the service closes is answered', async () => {
  const { service, users, secret } = await aService()
  const answer = service.fetch(`http://service.test${users}`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  const closed = service.close()
  expect((await answer).status).toBe(200)
  await closed
})

test('a service that closes takes no new connections', async () => {
  const { service, port, users, beginUpload } = await aService()
  const upload = await beginUpload(users, '{}')
  const closed = service.close()
  await expect(aClient(port)).rejects.toThrow(/ECONNREFUSED/)
  upload.send('{}')
  await closed
})

test('a service that closes says so at /x/ready, and is still alive at /x/health', async () => {
  const { service, users, beginUpload } = await aService()
  const upload = await beginUpload(users, '{}')
  const status = async (path: string) => (await service.fetch(`http://service.test${path}`)).status
  expect(await status('/x/ready')).toBe(200)

  const closed = service.close()
  const answer = await service.fetch('http://service.test/x/ready')
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ code: 'unavailable', status_code: 503 })
  expect(answer.headers.get('latchkey-error-detail')).toMatch(/shutting down/)
  expect(await status('/x/health')).toBe(200)
  upload.send('{}')
  await closed
})

test('a service that drains says so at /x/ready, and still takes new connections until it closes', async () => {
  const { service, port, users, secret } = await aService()
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${secret}`, connection: 'close' }
    return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status
  }

  const closed = service.close({ drainSeconds: 1 })

  expect(await get('/x/ready')).toBe(503)
  expect(await get(users)).toBe(200)
  await closed
  await expect(get(users)).rejects.toThrow()
})

test('a service that drains closes each connection after its next response, from the beginning on', async () => {
  const { service, port } = await aService()
  const client = await aClient(port)
  client.send(health)
  await client.received('{"status":"ok"}')
  expect(client.text).toContain('Connection: keep-alive')

  const closed = service.close({ drainSeconds: 1 })
  client.send(health)
  await client.ended

  expect(client.text).toContain('Connection: close')
  expect((await fetch(`http://127.0.0.1:${port}/x/health`)).headers.get('connection')).toBe('close')
  await closed
})

test('a connection that was idle during a drain brings one more request after the service takes no new ones', async () => {
  const { service, port } = await aService()
  const idle = await aClient(port)
  idle.send(health)
  await idle.received('{"status":"ok"}')

  const closed = service.close({ drainSeconds: 0.05 })
  const more = () => fetch(`http://127.0.0.1:${port}/x/health`)
  await vi.waitFor(() => expect(more()).rejects.toThrow('fetch failed'), { interval: 20 })
  idle.send(health)
  await idle.ended
  await closed

  expect(idle.text.split('{"status":"ok"}')).toHaveLength(3)
  expect(idle.text).toContain('Connection: close')
})

test('connections that arrive while the listener closes are served', async () => {
  const { service, port } = await aService()
  const statuses: number[] = []
  let isOver = false
  async function goOn(): Promise<void> {
    while (!isOver) {
      const answer = await fetch(`http://127.0.0.1:${port}/x/health`).catch((error) => error.cause)
      if (answer.code === 'ECONNREFUSED') return
      statuses.push(answer.status ?? answer.code)
    }
  }
  const clients = Array.from({ length: 16 }, goOn)
  await service.close({ drainSeconds: 0.2 })
  isOver = true
  await Promise.all(clients)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test('keep-alive connections are closed, both idle and busy ones', async () => {
  const { service, port, users, beginUpload } = await aService()
  const idle = await aClient(port)
  idle.send(health)
  await idle.received('{"status":"ok"}')
  const busy = await beginUpload(users, '{}')

  const closed = service.close()
  await idle.ended
  busy.send('{}')
  await busy.ended
  await closed
  expect(busy.text).toContain('HTTP/1.1 400 Bad Request')
})

test('a request that does not end is aborted when the time limit for closing is over', async () => {
  const { service, users, beginUpload } = await aService({ closeSeconds: 0.05 })
  const stuck = await beginUpload(users, '{}')
  await service.close()
  await stuck.ended
  expect(stuck.text).not.toContain('200 OK')
})

test('an attempt that still waits when the time for closing is over does not count, and is made after the next start', async () => {
  using folder = temporaryFolder()
  await using receiver = await startReceiver()
  receiver.answer = () => {}
  const mailServer = createServer().listen(0, '127.0.0.1')
  await once(mailServer, 'listening')
  onTestFinished(() => void mailServer.close())
  const { port } = mailServer.address() as AddressInfo
  const lines: string[] = []
  const options = {
    ...{ data: folder.path, allowHttpOnLoopback: true, closeSeconds: 0.1 },
    mail: { url: `smtp://127.0.0.1:${port}`, from: 'no-reply@acme.example' },
    logger: pino({}, { write: (line) => void lines.push(line) }),
  }
  const first = await createIdentityService(options)
  const tenant = await first.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await first.admin.createApiKey({ name: 'test', reach: 'all' })
  const api = connectApi(first.fetch, secret, tenant.id)
  const webhooks = `/x${api.tenant}/webhooks`
  const webhook = await api.create(webhooks, { url: receiver.url })
  receiver.secrets.push(webhook.secret)
  await api.createUser('ada@example.com')
  const browser = createBrowser({ url: 'https://acme.example', fetch: first.fetch as never })
  const greeting = once(mailServer, 'connection')
  await browser.submit(await browser.get('/reset'), { email: 'ada@example.com' })
  const [socket] = (await greeting) as [Socket]
  await vi.waitFor(() => expect(receiver.received).not.toEqual([]))

  const hungUp = once(socket.resume(), 'close')
  await first.close()
  await hungUp
  expect(lines).toEqual([])

  receiver.answer = (response) => void response.writeHead(204).end()
  await using second = await createIdentityService(options)
  const { get } = connectApi(second.fetch, secret, tenant.id)
  const delivery = async () => {
    const { data } = (await get(`${webhooks}/${webhook.id}/deliveries`)).body
    return data.find((one: { event_type: string }) => one.event_type === 'user.created')
  }
  await expect.poll(delivery).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await second.outbox.list(tenant.id)).toMatchObject([{ to: 'ada@example.com' }])
})

test('two calls of close() resolve together, when all resources are released', async () => {
  const { service, users, beginUpload } = await aService()
  const upload = await beginUpload(users, '{}')
  const settled: string[] = []
  const first = service.close().then(() => settled.push('first'))
  const second = service.close().then(() => settled.push('second'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(settled).toEqual([])
  upload.send('{}')
  await Promise.all([first, second])
})

test('a closed service refuses requests in process', async () => {
  const { service } = await aService()
  await service.close()
  await expect(service.fetch('http://service.test/x/health')).rejects.toThrow()
})

test('old entries of the audit log are deleted while the service serves, and a close stops that', async () => {
  using folder = temporaryFolder()
  await (await createIdentityService({ data: folder.path })).close()
  const database = new DatabaseSync(join(folder.path, 'data.db'))
  onTestFinished(() => database.close())
  database.exec(`insert into audit (at, actor, action, target, outcome)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 20000)
    select n, 'admin:test', 'old', 'x', 'success' from numbers`)
  const old = () =>
    database.prepare("select count(*) as n from audit where action = 'old'").get()?.n

  const { service, port } = await aService({ data: folder.path })
  expect(old()).toBeGreaterThan(0)
  expect((await fetch(`http://127.0.0.1:${port}/x/health`)).status).toBe(200)
  await service.close()
  expect(old()).toBeGreaterThan(0)

  await using _ = await createIdentityService({ data: folder.path })
  await expect.poll(old).toBe(0)
})

test('headers have 10 s to come, a whole request 30 s', () => {
  const server = createHttpServer(() => {})
  expect(server.headersTimeout).toBe(10_000)
  expect(server.requestTimeout).toBe(30_000)
})

test('a client whose headers do not end is cut off', async () => {
  const server = createHttpServer((_, res) => res.end())
  server.headersTimeout = 1
  onTestFinished(() => {
    server.close()
  })
  const { port } = await listen(server, {})
  const client = await aClient(port)
  client.send('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ')
  await client.ended
  expect(client.text).toContain('HTTP/1.1 400 Bad Request')
  expect(client.text).toContain('The request did not arrive in time.')
})
