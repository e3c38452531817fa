import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { wholeNumber } from '@latchkey/management/command-line'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AuthenticatorApp } from '../domain/factors/authenticator-app.ts'
import { DataInUseError } from '../store/sqlite/owner-lock.ts'
import { type Demo, prepareDemo } from './demo.ts'
import { type DemoOperator, prepareOperator } from './demo-operator.ts'
import { createDevLogger } from './dev-log.ts'
import { nextSignal } from './running.ts'

interface DevOptions {
  port: number
  data: string
  baseUrl: string
}

/** How many ports are tried, the first one included. */
const PORTS_TRIED = 100

/** Adds `dev`. */
export function addDevCommand(program: Command): void {
  program
    .command('dev')
    .description('Serve a demo tenant on this machine, to develop an application against.')
    .addOption(
      new Option('--port <number>', 'port; if it is in use, the next free one')
        .default(4400)
        .argParser(wholeNumber(1, 65_535)),
    )
    // Its users have known passwords, so no variable that may name real data is looked at.
    .addOption(new Option('--data <dir>', 'folder of the databases').default('.latchkey/dev'))
    .addOption(
      new Option('--base-url <url>', 'address of your application in the browser')
        .default('http://localhost:3000')
        .argParser(webAddress),
    )
    .action(dev)
}

async function dev({ port: wanted, data, baseUrl }: DevOptions): Promise<void> {
  // Loaded here, so that the other commands need not load an OpenID provider.
  const { createIdentityService } = await import('../service.ts')
  // Until the demo is ready, failures alone: what prepares it are requests, too.
  const logger = createDevLogger('warn', console.log)
  const held = await holdPortFrom(wanted)
  const { port } = held
  const consoleUrl = `http://console.localhost:${port}`
  const service = await createIdentityService({
    data,
    consoleUrl,
    allowHttpOnLoopback: true,
    allowDeveloperMode: true,
    closeSeconds: 1,
    logger,
  }).catch((error) => {
    if (!(error instanceof DataInUseError)) throw error
    const beside = `latchkey-service dev --data ${data}-2`
    throw new Error(
      `dev is running already, on ${data}. Stop it first. To run another beside it: ${beside}`,
    )
  })
  try {
    await held.release()
    await service.listen({ port })
    const demo = await prepareDemo(service, port, baseUrl)
    const operator = await prepareOperator(service, consoleUrl)
    console.log(introduction(demo, operator, data, baseUrl))
    logger.level = 'debug'
    const stop = printCodes(demo.app)
    await nextSignal()
    stop()
  } finally {
    await service.close()
  }
}

/**
 * Prints the code of the demo authenticator app whenever Enter is pressed; returns a function that
 * stops it. Does nothing if the input has ended, as without a terminal.
 */
function printCodes(app: AuthenticatorApp): () => void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', () => console.log(`  ${app.code()}`))
  return () => lines.close()
}

/** A port that no other program can take until it is released. */
interface HeldPort {
  readonly port: number
  release(): Promise<unknown>
}

/** Holds the first free port from `wanted` on, as the service needs a while before it listens. */
async function holdPortFrom(wanted: number): Promise<HeldPort> {
  for (let port = wanted; ; port++) {
    // Does not keep the process, if the service cannot be made.
    const holder = createServer().unref()
    try {
      await once(holder.listen(port, '127.0.0.1'), 'listening')
      return { port, release: () => new Promise((resolve) => holder.close(resolve)) }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const isLast = port === 65_535 || port === wanted + PORTS_TRIED - 1
      if (code !== 'EADDRINUSE' || isLast)
        throw new Error(`The port ${port} cannot be used (${code}).`, { cause: error })
    }
  }
}

/** The origin of an address such as `http://localhost:5173`. */
function webAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new InvalidArgumentError('It must be an address such as http://localhost:5173.')
  }
  return url.origin
}

function introduction(
  { issuer, users: demoUsers, apiKey, application }: Demo,
  operator: DemoOperator,
  data: string,
  baseUrl: string,
): string {
  const users = demoUsers.map(({ email, password, note }) =>
    [email.padEnd(20), (password ?? '').padEnd(22), note].join(' ').trimEnd(),
  )
  const apiUrl = `http://localhost:${new URL(issuer).port}/v1`
  return `
  Issuer       ${issuer}
  Account      ${issuer}/account
  Mail         ${issuer}/x/outbox
  Console      ${operator.url}
               log in as ${operator.email} with “${operator.password}”
  API          ${apiUrl}
  API key      ${apiKey}

  Log in as
    ${users.join('\n    ')}

  For an application at ${baseUrl}
    LATCHKEY_ISSUER=${issuer}
    LATCHKEY_CLIENT_ID=${application.id}
    LATCHKEY_CLIENT_SECRET=${application.secret}
    LATCHKEY_BASE_URL=${baseUrl}

  The data is in ${data}. Requests are shown below. Stop with Ctrl-C.
`
}
