import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishedPackages, root } from '../scripts/packages.ts'
import { run } from '../scripts/run.ts'
import { start, startFile } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'
import { createVisitor } from './parts/visitor.ts'

/**
 * What a kit is to install and to start: each in an empty folder as npm installs it, ours from packed
 * tarballs. Size and packages beyond Express, CPU until it listens, memory after 10,000 requests.
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

async function must(command: string, args: string[], cwd = root): Promise<string> {
  const { code, output } = await run(command, args, { cwd, timeout: 180_000 })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${output}`)
  return output
}

/** Ours as tarballs, the others in the version that the bench itself is measured with. */
async function sources(): Promise<Record<string, string>> {
  if (!process.env.BUILT) await must('node', [join(root, 'scripts/build.ts')])
  const found: Record<string, string> = {}
  for (const { folder: cwd, manifest } of publishedPackages()) {
    const tarball = join(folder, `${manifest.name.replace('/', '-')}.tgz`)
    await must('npx', ['-s', 'pnpm', '-C', cwd, 'pack', '--out', tarball])
    found[manifest.name] = `file:${tarball}`
  }
  for (const name of ['express', ...Object.values(KITS).flat()]) {
    const manifest = join(import.meta.dirname, 'node_modules', name, 'package.json')
    found[name] ??= JSON.parse(readFileSync(manifest, 'utf8')).version
  }
  return found
}

interface Installed {
  readonly name: string
  readonly megabytes: number
  readonly packages: number
  readonly server: string
  readonly cpu: number[]
  memory: number
}

async function install(name: string, versions: Record<string, string>): Promise<Installed> {
  const cwd = join(folder, name.replaceAll('/', '-'))
  mkdirSync(join(cwd, 'servers'), { recursive: true })
  mkdirSync(join(cwd, 'parts'))
  const names = ['express', ...(KITS[name] ?? [])]
  const dependencies = Object.fromEntries(names.map((one) => [one, versions[one] ?? '']))
  const manifest = { private: true, type: 'module', dependencies, overrides: { ...dependencies } }
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest))
  await must('npm', ['install', '--omit=dev', '--no-audit', '--no-fund'], cwd)
  for (const file of ['servers/kit', 'parts/kits', 'parts/child']) {
    const source = readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8')
    writeFileSync(
      join(cwd, `${file}.js`),
      stripTypeScriptTypes(source).replaceAll(/\.ts(['`])/g, '.js$1'),
    )
  }
  const { packages } = JSON.parse(readFileSync(join(cwd, 'package-lock.json'), 'utf8'))
  const bytes = Number((await must('du', ['-sb', 'node_modules'], cwd)).split('\t')[0])
  const server = join(cwd, 'servers/kit.js')
  const count = Object.keys(packages).length - 1
  return { name, megabytes: bytes / 1e6, packages: count, server, cpu: [], memory: 0 }
}

const versions = await sources()
const installed: Installed[] = []
for (const name of Object.keys(KITS)) installed.push(await install(name, versions))
const provider = await start('provider')
const issuer = `http://127.0.0.1:${provider.port}`
for (let round = -1; round < ROUNDS; round++) {
  for (const { name, server, cpu } of installed) {
    const child = await startFile(server, [name, issuer])
    if (round >= 0) cpu.push((await child.cpu()) * 1000)
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
const columns = ['start, CPU ms', '- Express', 'memory, MB', 'MB installed', 'packages']
console.log(row('beyond Express', ...columns))
for (const { name, cpu, memory, megabytes, packages } of installed) {
  const beyond = median(cpu.map((ms, round) => ms - (bare.cpu[round] ?? Number.NaN)))
  const size = megabytes - bare.megabytes
  console.log(row(name, median(cpu), beyond, memory, size, packages - bare.packages))
}
