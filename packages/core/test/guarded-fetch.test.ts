import { once } from 'node:events'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createAuth, type LatchkeyError } from '@latchkey/core'
import { createNodeTransport } from '@latchkey/core/node'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { selfSigned } from '../../../test/support/certificate.ts'
import { fetchOver } from '../../../test/support/fetch-over.ts'
import { startNameServer, type TestNameServer } from './support/dns.ts'

// A service that only this machine should reach, and a tenant's name that leads to it.
const certificate = await selfSigned('localhost', 'tenant.example')
const inner = createServer(certificate, (_req, res) => {
  res.end('inner secrets')
})
const trusted = getCACertificates('default')
let connections = 0
let port = 0
let dns: TestNameServer

beforeAll(async () => {
  inner.on('connection', () => {
    connections++
  })
  inner.listen(0, '127.0.0.1')
  await once(inner, 'listening')
  port = (inner.address() as AddressInfo).port
  dns = await startNameServer()
  setDefaultCACertificates([...trusted, certificate.cert])
})
beforeEach(() => {
  connections = 0
  dns.asked.length = 0
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  inner.close()
  inner.closeAllConnections()
  await dns[Symbol.asyncDispose]()
})

const guarded = (): typeof fetch =>
  fetchOver(createNodeTransport({ publicOnly: true, lookup: dns.lookup }))
const refused = { code: 'ERR_ADDRESS_NOT_PUBLIC' }

test.each([
  ['loopback', ['127.0.0.1']],
  ['a private network', ['10.20.30.40']],
  ["the cloud's own address", ['169.254.169.254']],
  ['a public address and a private one', ['93.184.216.34', '127.0.0.1']],
  ['nothing', []],
])('the fetch refuses a name that resolves to %s', async (_what, addresses) => {
  dns.names.set('tenant.example', [addresses])

  await expect(guarded()(`https://tenant.example:${port}/`)).rejects.toThrow()

  expect(dns.asked).toContain('tenant.example')
  expect(connections).toBe(0)
})

test('a name that resolves to another address after the check is checked again', async () => {
  dns.names.set('tenant.example', [['93.184.216.34'], ['127.0.0.1']])
  const fetch = guarded()

  // The public address is connected to; nobody waits for it here.
  const signal = AbortSignal.timeout(100)
  const first = await fetch(`https://tenant.example:${port}/`, { signal }).catch((error) => error)
  expect(first).not.toMatchObject(refused)

  await expect(fetch(`https://tenant.example:${port}/`)).rejects.toMatchObject(refused)
  expect(connections).toBe(0)
})

test('a connection that the application has open to an internal service is not reused for a tenant', async () => {
  const text = await new Promise((resolve, reject) => {
    get(`https://localhost:${port}/`, (res) => res.setEncoding('utf8').once('data', resolve)).on(
      'error',
      reject,
    )
  })
  expect(text).toBe('inner secrets')
  dns.names.set('localhost', [['127.0.0.1']])

  await expect(guarded()(`https://localhost:${port}/`)).rejects.toMatchObject(refused)
})

test('a login at a tenant whose name resolves to this machine is refused before a request is sent', async () => {
  dns.names.set('tenant.example', [['127.0.0.1']])
  const errors: LatchkeyError[] = []
  const auth = createAuth(
    {
      baseUrl: 'https://app.example.com',
      issuer: () => ({ issuer: `https://tenant.example:${port}`, clientId: 'app' }),
      clientAuth: 'none',
      session: { secret: 's'.repeat(32) },
      hooks: { onError: (error) => void errors.push(error) as undefined },
    },
    { guardedTransport: createNodeTransport({ publicOnly: true, lookup: dns.lookup }) },
  )

  const response = await auth.fetch(
    new Request('https://app.example.com/login'),
    () => new Response(),
  )

  expect(response.status).toBe(503)
  expect(errors).toMatchObject([{ code: 'LATCHKEY_PROVIDER_UNAVAILABLE', cause: refused }])
  expect(connections).toBe(0)
})
