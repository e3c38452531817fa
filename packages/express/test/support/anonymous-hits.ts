import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SessionStore } from '@latchkey/core'
import { createAuthRouter, requireUser } from '@latchkey/express'
import express from 'express'

// A process of its own, started with --expose-gc: an application is hit by visitors who are not signed
// in, each at another address with other cookies, and tells what that left behind.

const [hits = 0, warmUp = 0] = process.argv.slice(2).map(Number)
const issuer = 'https://login.example.com'
const discovered = {
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
}
let written = 0
const write = (_id: string, done?: unknown): void => {
  written++
  if (typeof done === 'function') done()
}
const store: SessionStore = {
  get: (_id, done) => done(),
  set: write,
  destroy: write,
  touch: write,
}

const app = express()
const server = createServer(app)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
app.use(
  createAuthRouter({
    issuer,
    clientId: 'app',
    clientSecret: 'a client secret of the tests',
    baseUrl: `http://127.0.0.1:${port}`,
    session: { secret: 'a session secret of the tests, long enough', store },
    fetch: async () => Response.json(discovered),
  }),
)
app.get('/page', requireUser({ respond: 'redirect' }))

const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const statuses: Record<number, number> = {}
let count = 0

function hit(): Promise<void> {
  const n = count++
  const path = n % 2 === 0 ? `/login?returnTo=/${n}` : `/page?n=${n}`
  const cookie = `latchkey=s%3A${n}-${'x'.repeat(40)}.${'y'.repeat(43)}; latchkey.logins=${n}`
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, agent, headers: { cookie, 'user-agent': `visitor ${n}` } })
    sent.on('error', reject)
    sent.on('response', (res) => {
      statuses[res.statusCode ?? 0] = (statuses[res.statusCode ?? 0] ?? 0) + 1
      res.resume()
      res.on('end', resolve)
    })
    sent.end()
  })
}

async function run(times: number): Promise<number> {
  for (let done = 0; done < times; done += 8) await Promise.all(Array.from({ length: 8 }, hit))
  for (let round = 0; round < 5; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return process.memoryUsage().heapUsed
}

const before = await run(warmUp)
const after = await run(hits)
process.send?.({ statuses, written, before, after })
process.disconnect()
agent.destroy()
server.close()
