import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { startDemoService } from './demo-service.ts'
import { freePort } from './free-port.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '.latchkey/demo' },
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
  console.log('Starting the identity service …')
  const appPort = await freePort(Number(values.port))
  const baseUrl = `http://localhost:${appPort}`
  const demo = await startDemoService({
    data: values.data,
    port: await freePort(Number(values['service-port']), appPort),
    baseUrl,
  })

  console.log('Starting the application …')
  Object.assign(process.env, {
    LATCHKEY_ISSUER: demo.issuer,
    LATCHKEY_CLIENT_ID: demo.clientId,
    LATCHKEY_CLIENT_SECRET: demo.clientSecret,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_SESSION_SECRET: randomBytes(32).toString('base64url'),
  })
  const { app } = await import('./app.ts')
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(appPort, resolve))

  console.log(`
  Application  ${baseUrl}
  Log in as    ${demo.user.email} with the password: ${demo.user.password}
  Issuer       ${demo.issuer}
  API key      ${demo.apiKey}

  curl -H "Authorization: Bearer ${demo.apiKey}" ${demo.apiUrl}/v1/tenants

  The data is in ${values.data}. Stop with Ctrl-C.
`)

  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await demo.close()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}
