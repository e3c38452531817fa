import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { announce, freePort, people, startDemoService } from '@latchkey/example-shared'
import { createApp } from './app.ts'
import { fill } from './keep-in-step.ts'
import { openMembers } from './members.ts'

const begunAt = performance.now()
const port = await freePort(process.env.PORT ?? 3000, undefined, 'PORT')
const baseUrl = `http://localhost:${port}`
const service = await startDemoService({ port: await freePort(4400, port) })
const { management } = service
const { tenantId, ...client } = await service.addTenant({
  company: 'Acme',
  application: 'The club',
  baseUrl,
  users: people.slice(0, 3),
})

const members = openMembers(':memory:')
const users = management.users(tenantId)
// The endpoint first: a user who is changed while the table is filled is changed there, too.
const { secret: webhookSecret } = await management
  .webhooks(tenantId)
  .create({ url: `${baseUrl}/webhooks` })
await fill(users, members)

const { issuer, clientId, clientSecret } = client
const session = { secret: randomBytes(32).toString('base64url') }
const auth = { issuer, clientId, clientSecret, baseUrl, session }
const server = createServer(createApp({ auth, users, members, webhookSecret }))
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
announce({
  title: 'The club',
  url: baseUrl,
  begunAt,
  users: people.slice(0, 3),
  more: { Service: service.url, Tenant: tenantId, 'API key': service.apiKey },
  closing: 'Stop with Ctrl-C.',
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
    void service.close()
  })
}
