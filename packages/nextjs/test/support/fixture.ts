import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createAuth } from '@latchkey/nextjs'
import type { AdapterUnderTest } from '@latchkey/testing/adapter'
import { run } from '../../../../scripts/run.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { shared } from '../../../../test/support/shared.ts'
import { sites } from '../fixture/sites.ts'

const dir = fileURLToPath(new URL('../fixture', import.meta.url))
const require = createRequire(import.meta.url)

type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>
/** Its own types change those of `process.env` in every file of a program. */
type CreateNext = (options: object) => {
  prepare(): Promise<void>
  getRequestHandler(): Handle
}

/** Builds an application as `next build` does, without any variable of the environment that is the kit's. */
export function build(folder: string): ReturnType<typeof run> {
  const next = require.resolve('next/dist/bin/next')
  return run(process.execPath, [next, 'build', folder], { env: environment(), limitSeconds: 200 })
}

/** Builds the fixture once. */
export const buildFixture = shared('the application of Next.js', async (): Promise<void> => {
  const { code, output } = await build(dir)
  if (code !== 0) throw new Error(`next build ended with ${code}:\n${output}`)
})

/** The environment without any variable of the kit. */
function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(LATCHKEY|NODE_OPTIONS|VITEST)/.test(name),
  )
  return { ...Object.fromEntries(others), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
}

/** Serves requests with what was built, in this process. */
const handler = shared('the server of Next.js', async (): Promise<Handle> => {
  await buildFixture()
  const app = (require('next') as CreateNext)({ dev: false, dir, quiet: true })
  await app.prepare()
  return app.getRequestHandler()
})

/** Translates the application of the contract. */
export const createServer: AdapterUnderTest['createServer'] = async (options, application) => {
  const handle = await handler()
  // The options are looked at with the first request; the contract wants to hear of faults before.
  createAuth(options).health()
  const name = randomUUID()
  sites().set(name, { options, application })
  return createHttpServer((req, res) => {
    req.headers['x-site'] = name
    handle(req, res).catch(() => res.destroy())
  })
}

/** What `next start` serves, in a process of its own. */
export interface Served {
  readonly baseUrl: string
  /** Everything that it has written. */
  output(): string
  stop(): Promise<void>
}

/** Serves what was built as `next start` does, with these variables. */
export async function serveFixture(
  environmentOf: (baseUrl: string) => Record<string, string>,
): Promise<Served> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const next = require.resolve('next/dist/bin/next')
  const child = spawn(process.execPath, [next, 'start', dir, '--port', String(port)], {
    env: { ...environment(), ...environmentOf(baseUrl) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ready = Promise.withResolvers<void>()
  const read = (chunk: Buffer): void => {
    output += chunk
    if (output.includes('Ready in')) ready.resolve()
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const ended = once(child, 'close')
  ended.then(() => ready.reject(new Error(`It ended:\n${output}`)), ready.reject)
  await ready.promise
  return {
    baseUrl,
    output: () => output,
    async stop() {
      child.kill()
      await ended
    },
  }
}
