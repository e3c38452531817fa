import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { announce, freePort, joan, people, radia, startDemoService } from '@latchkey/example-shared'
import {
  type CommandLine,
  createCommand,
  runCommand,
  wholeNumber,
} from '@latchkey/management/command-line'
import { runMain } from '@latchkey/management/command-line/main'
import manifest from '@latchkey/management/package.json' with { type: 'json' }

const begunAt = performance.now()
const name = 'npx pnpm start'

await runMain({
  name,
  oldestNode: manifest.engines.node.replace('>=', ''),
  load: async () => ({ createProgram }),
})

interface StartOptions {
  port: number
  servicePort: number
  data: string
  personas?: boolean
  fresh?: boolean
}

function createProgram(): CommandLine {
  const port = wholeNumber(1, 65_535)
  const program = createCommand(name, manifest.version)
    .description(
      'Starts an application with a login, and the identity service where its users are.',
    )
    .option('--port <number>', 'port of the application, or the next free one', port, 3000)
    .option('--service-port <number>', 'port of the service, or the next free one', port, 4400)
    .option('--data <dir>', 'folder of the databases', '.latchkey/demo')
    .option('--personas', 'no service: log in as Ada, Bob or Joan, with one click')
    .option('--fresh', 'start over: forget what is in the folder')
    .action(start)
  return { run: (args) => runCommand(program, args) }
}

async function start(values: StartOptions): Promise<void> {
  const port = await portNear('--port', values.port)
  const baseUrl = `http://localhost:${port}`
  if (values.personas) return startAlone(port, baseUrl)
  const service = await startDemoService({
    console: true,
    data: values.data,
    fresh: values.fresh ?? false,
    port: await portNear('--service-port', values.servicePort, port),
  }).catch((error) => {
    if (error.code !== 'LATCHKEY_DATA_IN_USE') throw error
    const beside = `npx pnpm start --data ${values.data}-2`
    throw new Error(
      `start is running already, on ${values.data}. To run another beside it: ${beside}`,
    )
  })
  const { tenantId, issuer, clientId, clientSecret, users } = await service.addTenant({
    company: 'Acme',
    application: 'Three routes',
    baseUrl,
    users: [...people, joan, radia],
  })
  const atPartner = await service.addProvider({ tenantId, issuer })

  Object.assign(process.env, {
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_CLIENT_ID: clientId,
    LATCHKEY_CLIENT_SECRET: clientSecret,
    LATCHKEY_BASE_URL: baseUrl,
    LATCHKEY_SESSION_SECRET: randomBytes(32).toString('base64url'),
  })
  const recorder = recorderLink(baseUrl)
  const server = await serveApp(port)

  announce({
    title: 'Latchkey',
    url: baseUrl,
    begunAt,
    users: [...users, ...atPartner],
    more: {
      Recorder: recorder,
      Issuer: issuer,
      Account: `${issuer}/account`,
      Outbox: `${issuer}/x/outbox`,
      Console: `${service.console?.url}, log in as ${service.console?.email} with “${service.console?.password}”`,
      'API key': service.apiKey,
      'Try it': `curl -H "Authorization: Bearer ${service.apiKey}" ${service.url}/v1/tenants`,
      Commands: `export LATCHKEY_URL=${service.url} LATCHKEY_API_KEY=${service.apiKey} LATCHKEY_TENANT=${tenantId}`,
      '': 'npx pnpm latchkey users list',
    },
    closing: `The data is kept in ${values.data}; --fresh starts over. Stop with Ctrl-C.`,
  })

  service.printCodes()
  stopWith(server, () => service.close())
}

/** The port that was asked for, or the next free one, which is announced. */
async function portNear(option: string, wanted: number, except?: number): Promise<number> {
  const port = await freePort(wanted, except, option)
  if (port !== wanted) console.log(`  Port ${wanted} is in use. ${option} is ${port} instead.`)
  return port
}

/** Starts the application without a provider: personas log in. */
async function startAlone(port: number, baseUrl: string): Promise<void> {
  for (const name of ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'])
    delete process.env[`LATCHKEY_${name}`]
  process.env.LATCHKEY_BASE_URL = baseUrl
  const recorder = recorderLink(baseUrl)
  const server = await serveApp(port)
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1)
  console.log(`
  Latchkey is ready after ${seconds} s, at ${baseUrl}

  Open first ${recorder}
             This lets your browser see how logins go, and log in with one click
             as Ada (admin), Bob (viewer) or Joan (second factor)

  Stop with Ctrl-C.
`)
  stopWith(server, () => process.exit())
}

/** Chooses the key of development, and shows it. */
function recorderLink(baseUrl: string): string {
  const key = randomBytes(16).toString('base64url')
  process.env.LATCHKEY_DEVELOPMENT_KEY = key
  return `${baseUrl}/__latchkey?key=${key}`
}

/** The application, which reads its settings when it is loaded. */
async function serveApp(port: number): Promise<Server> {
  const { app } = await import('./app.ts')
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

function stopWith(server: Server, more: () => unknown): void {
  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
    await more()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}
