import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter, requireUser } from '@latchkey/express'
import express from 'express'

// A process of its own with a small heap: an application keeps forms, and strangers send the largest that it takes.

const [forms = 0] = process.argv.slice(2).map(Number)
const issuer = 'https://login.example.com'
const discovered = {
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
}
const app = express()
const server = createServer(app)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
app.use(
  createAuthRouter({
    issuer,
    clientId: 'app',
    clientSecret: 'a client secret of the tests',
    baseUrl,
    keepForms: true,
    session: { secret: 'a session secret of the tests, long enough' },
    fetch: async () => Response.json(discovered),
  }),
)
app.post('/write', requireUser())

const headers = {
  origin: baseUrl,
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'content-type': 'application/x-www-form-urlencoded',
}
const agent = new Agent({ keepAlive: true })
const statuses: Record<string, number> = {}
let left = forms
/** Not by `fetch()`, which says that a script asks, whose forms are not kept. */
async function post(body: string): Promise<number | undefined> {
  const sent = request(`${baseUrl}/write`, { method: 'POST', headers, agent })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  return response.statusCode
}

async function send(): Promise<void> {
  while (left-- > 0) {
    const status = `${await post(`n=${left}&text=${'x'.repeat(60_000)}`)}`
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}
await Promise.all(Array.from({ length: 8 }, send))
process.send?.({ statuses })
process.disconnect()
agent.destroy()
server.closeAllConnections()
server.close()
