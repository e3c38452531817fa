import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { start, startFile } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'
import { installInto, packTarballs } from './parts/tarballs.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * The cost of installing and starting a kit: each in an empty folder as npm installs it, ours from
 * packed tarballs. Size and packages beyond Express, CPU until a new process has answered its first
 * request and 0.2 seconds later, memory after 10,000 requests.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 9)
const REQUESTS = Number(process.env.REQUESTS ?? 10_000)
const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const passport = ['express-session', 'passport']
const KITS: Record<string, string[]> = {
  express: [],
  'express-session': ['express-session'],
  latchkey: ['@latchkey/core', '@latchkey/express'],
  'passport-openidconnect': [...passport, 'passport-openidconnect'],
  'openid-client/passport': [...passport, 'openid-client'],
  'express-openid-connect': ['express-openid-connect', 'express-session'],
}

interface Installed {
  readonly name: string
  readonly megabytes: number
  readonly packages: number
  readonly server: string
  readonly cpu: number[]
  readonly later: number[]
  memory: number
}

async function install(name: string, versions: Record<string, string>): Promise<Installed> {
  const cwd = join(folder, name.replaceAll('/', '-'))
  mkdirSync(join(cwd, 'servers'), { recursive: true })
  mkdirSync(join(cwd, 'parts'))
  const names = ['express', ...(KITS[name] ?? [])]
  const installed = await installInto(cwd, names, versions)
  for (const file of ['servers/kit', 'parts/kits', 'parts/child']) {
    const source = readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8')
    writeFileSync(
      join(cwd, `${file}.js`),
      stripTypeScriptTypes(source).replaceAll(/\.ts(['`])/g, '.js$1'),
    )
  }
  const server = join(cwd, 'servers/kit.js')
  return { name, ...installed, server, cpu: [], later: [], memory: 0 }
}

/** Opens the page for logged-in users as a browser does. */
async function open(port: number, expected: number): Promise<void> {
  const headers = { accept: 'text/html' }
  const [page] = await once(get({ host: '127.0.0.1', port, path: '/page', headers }), 'response')
  if (page.statusCode !== expected) throw new Error(`/page answered with ${page.statusCode}`)
  await once(page.resume(), 'end')
}

const versions = await packTarballs(folder, ['express', ...Object.values(KITS).flat()])
const installed: Installed[] = []
for (const name of Object.keys(KITS)) installed.push(await install(name, versions))
const provider = await start('provider')
const issuer = `http://127.0.0.1:${provider.port}`
for (let round = -1; round < ROUNDS; round++) {
  for (const { name, server, cpu, later } of installed) {
    const child = await startFile(server, [name, issuer])
    await open(child.port, name === 'express' ? 200 : 302)
    // A kit may load the rest behind its answer.
    await sleep(200)
    if (round >= 0) {
      cpu.push((await child.ask<number>('first')) * 1000)
      later.push((await child.cpu()) * 1000)
    }
    await child.stop()
  }
}
for (const one of installed) {
  const child = await startFile(one.server, [one.name, issuer])
  const visitor = createVisitor(child.port)
  const cookies: string[] = []
  if (one.name !== 'express') for (let n = 0; n < 100; n++) cookies.push(await visitor.logIn())
  visitor.close()
  const request = (n: number): string =>
    `GET /page HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html\r\ncookie: ${cookies[n % 100]}\r\n\r\n`
  await load({ port: child.port, connections: 16, requests: REQUESTS, request })
  one.memory = await child.ask<number>('memory')
  await child.stop()
}
await provider.stop()
if (process.env.KEEP) cpSync(folder, process.env.KEEP, { recursive: true })
rmSync(folder, { recursive: true })

const [bare] = installed as [Installed]
const columns = [
  'first answer, CPU ms',
  '- Express',
  'and behind it',
  'memory, MB',
  'MB installed',
  'packages',
]
console.log(row('beyond Express', ...columns))
for (const { name, cpu, later, memory, megabytes, packages } of installed) {
  const beyond = median(cpu.map((ms, round) => ms - (bare.cpu[round] ?? Number.NaN)))
  const size = megabytes - bare.megabytes
  const numbers = [median(cpu), beyond, median(later), memory, size, packages - bare.packages]
  console.log(row(name, ...numbers))
}
