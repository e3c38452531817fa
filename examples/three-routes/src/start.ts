import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { announce, freePort, joan, people, radia, startDemoService } from '@latchkey/example-shared'

const begunAt = performance.now()
const HELP = `Starts an application with a login, and the identity service where its users are.

  npx pnpm start [options]

  --port <number>          port of the application, or the next free one (default 3000)
  --service-port <number>  port of the service, or the next free one (default 4400)
  --data <dir>             folder of the databases (default .latchkey/demo)
  --fresh                  start over: forget what is in the folder
  --help                   show this help`

try {
  await start()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function options() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: '.latchkey/demo' },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      port: { type: 'string', default: '3000' },
      'service-port': { type: 'string', default: '4400' },
    },
  })
  return values
}

async function start(): Promise<void> {
  const values = options()
  if (values.help) return console.log(HELP)
  const port = await freePort(values.port)
  const baseUrl = `http://localhost:${port}`
  const service = await startDemoService({
    data: values.data,
    fresh: values.fresh,
    port: await freePort(values['service-port'], port, '--service-port'),
  }).catch((error) => {
    if (error.code !== 'LATCHKEY_DATA_IN_USE') throw error
    const beside = `npx pnpm start --data ${values.data}-2`
    throw new Error(
      `start is running already, on ${values.data}. To run another beside it: ${beside}`,
    )
  })
  const { issuer, clientId, clientSecret, users } = await service.addTenant({
    subdomain: 'acme',
    company: 'Acme',
    application: 'Three routes',
    baseUrl,
    users: [...people, joan, radia],
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
      Account: `${issuer}/account`,
      Outbox: `${issuer}/x/outbox`,
      'API key': service.apiKey,
      'Try it': `curl -H "Authorization: Bearer ${service.apiKey}" ${service.url}/v1/tenants`,
    },
    closing: `The data is kept in ${values.data}; --fresh starts over. Stop with Ctrl-C.`,
  })

  service.printCodes()
  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await service.close()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}
