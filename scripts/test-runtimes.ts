import { strict as assert } from 'node:assert'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { styleText } from 'node:util'
import { type ClientOptions, startIdentity } from '../packages/testing/src/index.ts'
import { type BrowserRequest, createBrowser } from '../packages/testing/src/login/browser.ts'
import { type Runtime, runtimes } from '../test/runtimes/runtimes.ts'
import { freePort } from '../test/support/free-port.ts'
import { run } from './run.ts'

/**
 * Logs in, is refused, and logs out at an application of Hono on each runtime, and opens a WebSocket where it can:
 * `npx pnpm test:runtimes`. Words pick some of them. Each comes from npm, into a folder of its own. One that npm cannot install is named with the reason, and fails
 * continuous integration.
 */
const words = process.argv.slice(2)
const chosen = runtimes.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
)
if (chosen.length === 0) {
  console.error(`No runtime has ${words.join(' or ')} in its name. There are:`)
  for (const { name } of runtimes) console.error(`  ${name}`)
  process.exitCode = 2
}

const rows: string[] = []
for (const runtime of chosen) rows.push(await rowOf(runtime))
console.log(`\n${rows.join('\n')}`)

/** The line of a runtime in the table: how it went, and with which version. */
async function rowOf(runtime: Runtime): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-runtime-'))
  try {
    const missing = await install(runtime, folder)
    if (missing !== undefined) {
      if (process.env.CI) process.exitCode = 1
      return `${styleText('yellow', 'not run')}  ${runtime.name}: ${missing}`
    }
    const name = `${runtime.name} ${runtime.version(folder) ?? 'of an unknown version'}`
    console.log(`--- ${name}`)
    try {
      await tryOut(runtime, folder)
      return `${styleText('green', 'ok     ')}  ${name}`
    } catch (error) {
      process.exitCode = 1
      return `${styleText('red', 'FAILED ')}  ${name}:\n${(error as Error).stack}`
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @returns Why the runtime cannot be had, if it cannot. */
async function install(runtime: Runtime, folder: string): Promise<string | undefined> {
  if (!runtime.package) return undefined
  console.log(`Installing ${runtime.package} from npm …`)
  const options = ['install', '--no-audit', '--no-fund', '--prefix', folder]
  const { code, output } = await run('npm', [...options, runtime.package])
  if (code !== 0) return `npm could not install it:\n${output.trim()}`
  return runtime.version(folder) === undefined
    ? 'npm has installed it, but it does not start on this machine'
    : undefined
}

async function tryOut(runtime: Runtime, folder: string): Promise<void> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  await using identity = await startIdentity({ domain: 'localhost', listen: true })
  const ada = await identity.createUser({ name: 'Ada Lovelace' })
  const variables = environment(identity.clientOptions({ baseUrl }))
  const server = await runtime.serve({ folder, port, variables })
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

    // Several requests wait for the metadata of the provider, which one of them fetches.
    const visitors = Array.from({ length: 4 }, () =>
      createBrowser().send(`${baseUrl}/account`, { headers: { accept: 'text/html' } }),
    )
    for (const { status } of await Promise.all(visitors)) assert.equal(status, 302)
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

    const cookie = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
    const headers = { origin: baseUrl, cookie: cookie.join('; ') }
    const closed = runtime.hasSockets ? await openSocket(baseUrl, headers) : undefined

    const left = await send('/logout', { method: 'POST', headers: { origin: baseUrl } })
    assert.equal(new URL(left.headers.get('location') ?? '').origin, identity.issuer)
    assert.deepEqual(await (await send('/')).json(), { user: null })
    if (closed) assert.equal(await closed(), 4401, 'the WebSocket is closed at the logout')
  } finally {
    server.stop()
  }
}

/** Opens a WebSocket. Resolves to a function that waits until it is closed, and returns the code. */
async function openSocket(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
): Promise<() => Promise<number | undefined>> {
  const url = `${baseUrl.replace('http', 'ws')}/socket`
  const socket = new WebSocket(url, { headers } as never)
  const closed = Promise.withResolvers<number | undefined>()
  socket.addEventListener('close', ({ code }) => closed.resolve(code))
  const opened = new Promise((resolve) => socket.addEventListener('message', resolve))
  await Promise.race([opened, closed.promise])
  assert.equal(socket.readyState, WebSocket.OPEN, 'the WebSocket is open')
  return () => Promise.race([closed.promise, delay(5000, undefined, { ref: false })])
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

async function ready(server: { ended(): string | undefined }, url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const problem = server.ended()
    if (problem !== undefined) throw new Error(problem)
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return
    await delay(200)
  }
  throw new Error(`Nothing answered at ${url} within a minute.`)
}
