import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { announce, freePort, joan, people, radia, startDemoService } from '@latchkey/example-shared'

const begunAt = performance.now()
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '.latchkey/demo' },
    fresh: { type: 'boolean', default: false },
    port: { type: 'string', default: '3000' },
    'service-port': { type: 'string', default: '4400' },
  },
})

try {
  await start()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function start(): Promise<void> {
  const users = [...people, joan, radia]
  const port = await freePort(Number(values.port))
  const baseUrl = `http://localhost:${port}`
  const service = await startDemoService({
    data: values.data,
    fresh: values.fresh,
    port: await freePort(Number(values['service-port']), port),
  })
  const { issuer, clientId, clientSecret } = await service.addTenant({
    subdomain: 'acme',
    company: 'Acme',
    application: 'Three routes',
    baseUrl,
    users,
  })

  Object.assign(process.env, {
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_CLIENT_ID: clientId,
    LATCHKEY_CLIENT_SECRET: clientSecret,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_SESSION_SECRET: randomBytes(32).toString('base64url'),
  })
  const { app } = await import('./app.ts')
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  announce({
    title: 'Latchkey',
    url: baseUrl,
    begunAt,
    users,
    more: {
      Issuer: issuer,
      Account: `${issuer}/account/security`,
      Outbox: `${issuer}/x/outbox`,
      'API key': service.apiKey,
      'Try it': `curl -H "Authorization: Bearer ${service.apiKey}" ${service.url}/v1/tenants`,
    },
    closing: `The data is kept in ${values.data}; --fresh begins anew. Stop with Ctrl-C.`,
  })

  service.printCodes()
  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await service.close()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}
