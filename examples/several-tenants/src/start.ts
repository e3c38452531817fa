import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import {
  announce,
  type DemoUser,
  freePort,
  people,
  startDemoService,
} from '@latchkey/example-shared'
import { redirectUriFor } from '@latchkey/express'
import { type Company, createApp } from './app.ts'

const begunAt = performance.now()
const port = await freePort(process.env.PORT ?? 3000, undefined, 'PORT')
const baseUrl = `http://localhost:${port}`
const service = await startDemoService({ port: await freePort(4400, port) })

const companies: Record<string, Company> = {}
const users: DemoUser[] = []
for (const [n, name] of ['Acme', 'Globex'].entries()) {
  const user = { ...(people[n * 2] as DemoUser), note: `works at ${name}` }
  users.push(user)
  const key = name.toLowerCase()
  const application = 'Several tenants'
  const client = await service.addTenant({
    subdomain: key,
    company: name,
    application,
    baseUrl,
    users: [user],
    // Each company's provider sends its visitors back to an address of its own.
    redirectUrlOf: (issuer) => redirectUriFor({ baseUrl, issuer }),
  })
  companies[key] = { name, ...client }
}

// Issuers on this machine are refused to a resolver, unless it is said that every tenant is trusted.
const session = { secret: randomBytes(32).toString('base64url') }
const server = createServer(createApp(companies, { baseUrl, session, allowPrivateIssuers: true }))
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
announce({
  ...{ title: 'Several tenants', url: baseUrl, begunAt, users },
  more: {},
  closing: 'Stop with Ctrl-C.',
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
    void service.close()
  })
}
