import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { Exit, exitCodes, wholeNumber } from '@latchkey/management/command-line'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AuthenticatorApp } from '../../domain/factors/authenticator-app.ts'
import { DataInUseError } from '../../store/sqlite/owner-lock.ts'
import { type Demo, prepareDemo } from '../demo.ts'
import { type DemoOperator, prepareOperator } from '../demo-operator.ts'
import { createDevLogger } from '../dev-log.ts'
import { nextSignal } from '../signals.ts'

interface DevOptions {
  port: number
  data: string
  baseUrl: string
}

/** The number of ports to try, including the first one. */
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
    // This option has no `.env()`, unlike in other commands: users with known passwords must not
    // get into real data.
    .addOption(new Option('--data <dir>', 'folder of the databases').default('.latchkey/dev'))
    .addOption(
      new Option('--base-url <url>', 'address of your application in the browser')
        .default('http://localhost:3000')
        .argParser(webAddress),
    )
    .argument('[command...]', 'your application, run with the settings as environment variables')
    .usage('[options] [-- command...]')
    .action((words: string[], options: DevOptions, command: Command) => {
      // Without `--`, options of the application would be read as options of this command.
      const { rawArgs } = program as Command & { rawArgs: string[] }
      if (words.length > 0 && !rawArgs.includes('--')) {
        const meant = `latchkey-service dev -- ${words.join(' ')}`
        command.error(`error: write -- in front of your command: ${meant}`, {
          exitCode: exitCodes.usage,
        })
      }
      return dev(words, options)
    })
}

async function dev(
  words: readonly string[],
  { port: wanted, data, baseUrl }: DevOptions,
): Promise<void> {
  // Imported here, so that the other commands need not load an OpenID provider.
  const { createIdentityService } = await import('../../service.ts')
  // Only failures are logged until the demo is ready, because preparing it causes requests, too.
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
    const stop = printCodes(demo.authenticator)
    const exitCode = await runUntilSignal(words, settingsOf(demo, baseUrl))
    stop()
    if (exitCode !== 0) throw new Exit(exitCode)
  } finally {
    await service.close()
  }
}

/**
 * Runs the application until it exits, or until this process gets a signal to stop: then the
 * application gets SIGTERM. Without an application, waits for the signal.
 *
 * @returns The exit code of an application that exited by itself; otherwise 0.
 */
async function runUntilSignal(
  [command, ...args]: readonly string[],
  settings: Record<string, string>,
): Promise<number> {
  const signal = nextSignal()
  if (command === undefined) {
    await signal
    return 0
  }
  const child = spawn(command, args, {
    env: { ...process.env, ...settings },
    // Standard input stays with this process, where Enter prints a code of the authenticator app.
    stdio: ['ignore', 'inherit', 'inherit'],
    // On Windows, the commands of npm packages are scripts.
    shell: process.platform === 'win32',
  })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => resolve(code ?? exitCodes.failed))
    child.once('error', ({ code }: NodeJS.ErrnoException) => {
      reject(new Error(`${command} cannot be started (${code}).`))
    })
  })
  const isSignal = await Promise.race([signal.then(() => true), ended.then(() => false)])
  if (!isSignal) return ended
  child.kill('SIGTERM')
  await ended
  return 0
}

/**
 * Prints a code of the demo's authenticator app at each Enter on standard input. Returns a function
 * that stops reading.
 */
function printCodes(app: AuthenticatorApp): () => void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', () => console.log(`  ${app.code()}`))
  return () => lines.close()
}

/** A port that is reserved: no other program can use it until it is released. */
interface HeldPort {
  readonly port: number
  release(): Promise<unknown>
}

/**
 * Reserves the first free port from `wanted` on. The service listens on the port later.
 *
 * @throws if no port is free, or a port cannot be used for another reason.
 */
async function holdPortFrom(wanted: number): Promise<HeldPort> {
  for (let port = wanted; ; port++) {
    // The process can exit despite this server if the service cannot be created.
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

/**
 * The origin of a URL such as `http://localhost:5173`.
 *
 * @throws InvalidArgumentError for any other text, such as a URL with a path.
 */
function webAddress(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new InvalidArgumentError('It must be an address such as http://localhost:5173.')
  }
  return url.origin
}

/**
 * The settings of the kit for the demo application, by the names of their environment variables.
 */
function settingsOf({ issuer, application }: Demo, baseUrl: string): Record<string, string> {
  return {
    LATCHKEY_ISSUER: issuer,
    LATCHKEY_CLIENT_ID: application.id,
    LATCHKEY_CLIENT_SECRET: application.secret,
    LATCHKEY_BASE_URL: baseUrl,
  }
}

function introduction(demo: Demo, operator: DemoOperator, data: string, baseUrl: string): string {
  const { issuer, users: demoUsers, apiKey } = demo
  const settings = Object.entries(settingsOf(demo, baseUrl)).map((pair) => pair.join('='))
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
    ${settings.join('\n    ')}

  The data is in ${data}. Requests are shown below. Stop with Ctrl-C.
`
}
