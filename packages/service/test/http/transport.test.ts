import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

/** What a server answers to these very bytes, until it closes the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

test('headers or an address beyond 16 KiB are refused with request_too_large', async () => {
  await using api = await startApi()

  const headers = await api.get(api.users, { 'x-long': 'x'.repeat(20_000) })
  expectError(headers, 413, 'request_too_large')
  expectError(await api.get(`${api.users}/${'x'.repeat(20_000)}`), 413, 'request_too_large')
  expect((await api.get(api.users)).status).toBe(200)
})

test('bytes that are not HTTP get an Error object, and the connection is closed', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()

  const answer = await exchange(port, 'HELLO?\r\n\r\n')

  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  const error = JSON.parse(body)
  expect(error).toEqual({
    type: 'Error',
    uuid: expect.any(String),
    code: 'invalid_request',
    status_code: 400,
  })
  expect(head).toContain(`request-id: ${error.uuid}`)
})

test('over a socket, the service answers as it does without one', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()
  const headers = { authorization: `Bearer ${api.key}` }

  const response = await fetch(`http://127.0.0.1:${port}${api.tenant}`, { headers })

  expect(await response.json()).toEqual((await api.get(api.tenant)).body)
})

test('a body that ends before its announced length changes nothing', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()
  const body = '{"profile":{"email":"ada@example.com"}}'
  const request = [
    `POST ${api.users} HTTP/1.1`,
    'host: api.example',
    `authorization: Bearer ${api.key}`,
    'content-type: application/json',
    `content-length: ${body.length + 1}`,
  ].join('\r\n')

  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.end(`${request}\r\n\r\n${body}`)
    })
    socket
      .resume()
      .on('error', () => {})
      .on('close', () => resolve())
  })

  expect((await api.get(api.users)).body.total).toBe(0)
})

test('an upload that the client aborts is no error in the log', async () => {
  const log: { level: number; msg: string; path?: string }[] = []
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => void log.push(JSON.parse(line)) },
  )
  await using api = await startApi('memory', { logger })
  const server = createServer(api.service.handler)
  onTestFinished(() => void server.close())
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
  // So that the issuer is made before the first upload.
  await api.service.fetch('https://acme.example/.well-known/openid-configuration')
  const form = 'application/x-www-form-urlencoded'
  const uploads = [
    ['acme.example', '/reset', form],
    ['acme.example', '/verify', form],
    ['acme.example', '/oidc/token', form],
    ['acme.example', '/oidc/logout/confirm', form],
    ['api.example', api.users, 'application/json'],
  ]
  for (const [host, path, type] of uploads) {
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${host}`,
      `authorization: Bearer ${api.key}`,
      `content-type: ${type}`,
      'content-length: 1000',
    ]
    const arrived = once(server, 'request')
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\na=b`))
    socket.on('error', () => {})
    await arrived
    socket.destroy()
  }
  // The last of them is refused by the API, which says so.
  await vi.waitFor(() => expect(log.some(({ path }) => path === api.users)).toBe(true))
  expect(log.filter(({ level }) => level >= 50)).toEqual([])
})

test('a request without a host, or with an unknown expectation, is answered as any other', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()
  const end = 'connection: close\r\n\r\n'

  const hostless = await exchange(port, `GET /v1/tenants HTTP/1.1\r\n${end}`)
  expect(hostless).toMatch(/^HTTP\/1\.1 401 /)
  expect(hostless).toContain('"code":"authentication_failure"')
  const expecting = await exchange(
    port,
    `GET /nowhere HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n${end}`,
  )
  expect(expecting).toMatch(/^HTTP\/1\.1 404 /)
  expect(expecting).toContain('"code":"not_found"')
})

test('a request with two hosts is refused with 400', async () => {
  await using api = await startApi()
  const { port } = await api.service.listen()

  for (const path of ['/v1/tenants', '/login', '/x/health']) {
    const hosts = 'host: acme.example\r\nHost: evil.example'
    const answer = await exchange(
      port,
      `GET ${path} HTTP/1.1\r\n${hosts}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"code":"invalid_request"')
  }
})

test('a request at a host without a tenant says so, and the host is logged', async () => {
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) })
  await using api = await startApi('memory', { logger })
  const ask = (accept: string) =>
    api.service.fetch('https://lgoin.acme.example/.well-known/openid-configuration', {
      headers: { accept },
    })

  const json = await ask('application/json')
  expect(json.status).toBe(404)
  expect(json.headers.get('latchkey-error-detail')).toContain('"lgoin.acme.example"')
  expect(await json.json()).toMatchObject({ type: 'Error', code: 'not_found' })
  const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8')
  expect(page.status).toBe(404)
  expect(await page.text()).toContain('No tenant has the domain "lgoin.acme.example".')
  expect(log.filter((line) => line.includes('"host":"lgoin.acme.example"'))).toHaveLength(2)
})

test('the log has the path of a refused request, and nothing of its query', async () => {
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) })
  await using api = await startApi('memory', { logger })

  await api.service.fetch('https://lgoin.acme.example/reset?token=t0psecret')
  await api.get(`${api.users}?search=ada%40example.com`)

  expect(log.join('')).toContain('"path":"/reset"')
  expect(log.join('')).toContain(`"path":"${api.users}"`)
  expect(log.join('')).not.toMatch(/t0psecret|example\.com/)
})

test('an answer in JSON cannot be taken for another type', async () => {
  await using api = await startApi()

  for (const path of [api.users, `${api.users}/usr_x`, '/x/health', '/x/v1/openapi.json']) {
    const response = await api.service.fetch(`https://api.example${path}`, {
      headers: { authorization: `Bearer ${api.key}` },
    })
    expect(response.headers.get('x-content-type-options'), path).toBe('nosniff')
    await response.body?.cancel()
  }
  const issuer = await api.service.fetch('https://acme.example/.well-known/openid-configuration')
  expect(issuer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await issuer.json()).toMatchObject({ issuer: 'https://acme.example' })
})
