import { strict as assert } from 'node:assert'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { styleText } from 'node:util'
import { type ClientOptions, startIdentity } from '../packages/testing/src/index.ts'
import { type BrowserRequest, createBrowser } from '../packages/testing/src/login/browser.ts'
import { run } from './run.ts'

/**
 * Logs in, is refused, and logs out at an application of Hono that Bun and Deno serve: `npx pnpm test:runtimes`.
 * Both come from npm, into a folder of their own.
 */
const APPLICATION = join(import.meta.dirname, '../test/runtimes/application.ts')
const CONDITION = '--conditions=latchkey-source'
const runtimes: Record<string, readonly string[]> = {
  bun: [CONDITION, APPLICATION],
  deno: ['serve', '-A', CONDITION, '--host=127.0.0.1', '--port=PORT', APPLICATION],
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-runtimes-'))
const packages = Object.keys(runtimes)
console.log(`Installing ${packages.join(' and ')} from npm …`)
const installed = await run('npm', ['install', '--prefix', folder, ...packages])
if (installed.code !== 0) throw new Error(installed.output)
try {
  for (const [name, args] of Object.entries(runtimes)) await report(name, args)
} finally {
  rmSync(folder, { recursive: true })
}

async function report(name: string, args: readonly string[]): Promise<void> {
  const command = join(folder, 'node_modules/.bin', name)
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  const version = `${name} ${/\d+(\.\d+)+/.exec(stdout)?.[0]}`
  try {
    await tryOut(command, args)
    console.log(`${styleText('green', 'ok')}  ${version}`)
  } catch (error) {
    console.log(`${styleText('red', 'FAILED')}  ${version}:\n${(error as Error).stack}`)
    process.exitCode = 1
  }
}

async function tryOut(command: string, args: readonly string[]): Promise<void> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  await using identity = await startIdentity({ domain: 'localhost', listen: true })
  const ada = await identity.createUser({ name: 'Ada Lovelace' })
  const options = identity.clientOptions({ baseUrl })
  const server = spawn(
    command,
    args.map((arg) => arg.replace('PORT', String(port))),
    { env: { ...process.env, ...environment(options), PORT: String(port) }, stdio: 'inherit' },
  )
  try {
    await ready(server, baseUrl)
    const browser = createBrowser()
    const send = (path: string, init?: BrowserRequest) => browser.send(baseUrl + path, init)
    const write = (origin: string) =>
      send('/account', {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: '{"title":"Countess"}',
      })
    assert.equal((await send('/account', { headers: { accept: 'application/json' } })).status, 401)

    const asked = await send('/account', { headers: { accept: 'text/html' } })
    const agent = {
      get: (path: string) => ({
        set: (name: string, value: string) => send(path, { headers: { [name]: value } }),
      }),
    }
    const landed = await identity.logIn(agent, asked.headers.get('location') ?? '', ada)
    assert.equal(landed.headers.get('location'), '/account')
    assert.partialDeepStrictEqual(await (await send('/account')).json(), { name: 'Ada Lovelace' })
    assert.deepEqual(await (await write(baseUrl)).json(), { title: 'Countess' })
    assert.equal((await write('https://elsewhere.example')).status, 403)

    const left = await send('/logout', { method: 'POST', headers: { origin: baseUrl } })
    assert.equal(new URL(left.headers.get('location') ?? '').origin, identity.issuer)
    assert.deepEqual(await (await send('/')).json(), { user: null })
  } finally {
    server.kill()
  }
}

function environment(options: ClientOptions): Record<string, string> {
  return {
    LATCHKEY_ISSUER: options.issuer,
    LATCHKEY_CLIENT_ID: options.clientId,
    LATCHKEY_CLIENT_SECRET: options.clientSecret,
    LATCHKEY_BASE_URL: options.baseUrl,
    LATCHKEY_SESSION_SECRET: String(options.session.secret),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function ready(server: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (server.exitCode !== null) throw new Error(`It ended with code ${server.exitCode}.`)
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return
    await delay(200)
  }
  throw new Error(`Nothing answered at ${url}.`)
}
