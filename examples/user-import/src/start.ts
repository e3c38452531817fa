import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { announce, freePort, people, startDemoService } from '@latchkey/example-shared'
import { createApp } from './app.ts'
import { bringOver } from './bring-over.ts'
import { oldUsers, openOldShop } from './old-shop.ts'

const begunAt = performance.now()
const port = await freePort(process.env.PORT ?? 3000, undefined, 'PORT')
const baseUrl = `http://localhost:${port}`
const service = await startDemoService({ port: await freePort(4400, port) })
const { tenantId, issuer, clientId, clientSecret } = await service.addTenant({
  company: 'Acme',
  application: 'The shop',
  baseUrl,
  users: [],
})

const shop = openOldShop()
const report = await bringOver(oldUsers, service.management.users(tenantId), shop)

const session = { secret: randomBytes(32).toString('base64url') }
const server = createServer(createApp({ issuer, clientId, clientSecret, baseUrl, session }, shop))
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
announce({
  title: 'The shop',
  url: baseUrl,
  begunAt,
  users: people.slice(0, 3).map((user) => ({ ...user, note: 'their old password' })),
  more: Object.fromEntries(
    report.map(({ customerId, userId, problem }) => [
      `Customer ${customerId}`,
      problem ? `${userId}, without a password: ${problem}` : String(userId),
    ]),
  ),
  closing: 'Stop with Ctrl-C.',
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
    void service.close()
  })
}
