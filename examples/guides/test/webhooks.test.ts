import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createMemoryStore } from '@latchkey/core'
import express from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { freePort } from '../../shared/src/free-port.ts'
import { createExpressApp, createFastifyApp, rotating } from '../src/webhooks.ts'
import { start } from './support.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const OLD_SECRET = `whsec_${Buffer.alloc(32, 2).toString('base64')}`

beforeEach(() => {
  vi.stubEnv('WEBHOOK_SECRET', SECRET)
  vi.stubEnv('OLD_WEBHOOK_SECRET', OLD_SECRET)
})
afterEach(() => vi.unstubAllEnvs())

interface Sent {
  type?: string
  user?: string
  id?: string
  secret?: string
}

/** Sends an event as the service does. */
async function send(url: string, sent: Sent = {}): Promise<number> {
  const { type = 'user.disabled', user = 'usr_1', id = `evt_${randomUUID()}` } = sent
  const data = { type: 'User', id: user, tenant_id: 'ten_1', actor: 'key:key_1', sequence: 1 }
  const body = JSON.stringify({ id, type, timestamp: new Date().toISOString(), data })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from((sent.secret ?? SECRET).slice(6), 'base64')
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac}`,
  }
  return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status
}

test('the sessions of a user who is disabled end, and those of another user do not', async () => {
  const site = await start((connection) => createExpressApp(connection, createMemoryStore()))
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const session = async (): Promise<string> => (await browser.open(`${site.url}/session`)).text
  expect(await session()).toContain('ada')

  expect(await send(site.url, { user: 'grace' })).toBe(204)
  expect(await session()).toContain('ada')
  expect(await send(site.url, { user: 'ada', secret: OLD_SECRET })).toBe(401)
  expect(await session()).toContain('ada')
  expect(await send(site.url, { user: 'ada' })).toBe(204)
  expect(await session()).not.toContain('ada')
  await site.close()
})

test('the receiver to try prints each event, and nothing of another secret', async () => {
  const port = await freePort(5050)
  const file = fileURLToPath(new URL('../src/webhook-receiver.ts', import.meta.url))
  const receiver = spawn(process.execPath, ['--conditions=latchkey-source', file], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = `http://localhost:${port}`
  let printed = ''
  receiver.stdout.on('data', (data) => {
    printed += data
  })
  await vi.waitFor(() => expect(printed).toContain(`${url}/webhooks`))
  expect(await send(url, { secret: OLD_SECRET })).toBe(401)
  expect(await send(url)).toBe(204)
  await vi.waitFor(() => expect(printed).toMatch(/webhooks\nuser\.disabled usr_1\n$/))
  receiver.kill()
})

test('the receiver on Fastify prints each event once', async () => {
  const lines: string[] = []
  const app = createFastifyApp((line) => lines.push(line))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const id = `evt_${randomUUID()}`
  expect(await send(url, { id })).toBe(204)
  expect(await send(url, { id })).toBe(204)
  expect(await send(url, { secret: OLD_SECRET })).toBe(401)
  expect(lines).toEqual(['user.disabled usr_1'])
  await app.close()
})

test('while a secret is rotated both are accepted, and new types are told apart', async () => {
  const lines: string[] = []
  const app = express().post(
    '/webhooks',
    rotating((line) => lines.push(line)),
  )
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await send(url)).toBe(204)
  expect(await send(url, { secret: OLD_SECRET, type: 'user.teleported' })).toBe(204)
  expect(lines).toEqual(['user.disabled', 'user.teleported is new'])
  server.close()
})

const hasLibrary = spawnSync('python3', ['-c', 'import standardwebhooks']).status === 0

test('the receiver in Python prints each event once', async () => {
  const port = await freePort(4700)
  const receiver: ChildProcess = spawn('python3', ['webhooks/receiver.py'], {
    cwd: new URL('..', import.meta.url),
    // Without the library, a module of its name that verifies by the specification.
    env: {
      ...process.env,
      PORT: String(port),
      ...(!hasLibrary && { PYTHONPATH: new URL('python', import.meta.url).pathname }),
    },
  })
  let output = ''
  receiver.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const url = `http://127.0.0.1:${port}`
  const id = `evt_${randomUUID()}`
  try {
    await vi.waitFor(async () => expect(await send(url, { id })).toBe(204))
    expect(await send(url, { id })).toBe(204)
    expect(await send(url, { secret: OLD_SECRET })).toBe(401)
    await vi.waitFor(() => expect(output).toBe('user.disabled usr_1\n'))
  } finally {
    receiver.kill()
    await once(receiver, 'close')
  }
})
