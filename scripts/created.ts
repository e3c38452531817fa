import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { frameworkNames, frameworkOf } from '../packages/create-latchkey/src/frameworks.ts'
import { freePort } from '../test/support/free-port.ts'
import { INSTALL_SECONDS, type PackedPackage } from './consumer.ts'
import { serve, stop, textAfterLogin } from './getting-started.ts'
import type { Manifest } from './packages.ts'
import { type Outcome, report, run } from './run.ts'

const USER = { email: 'ada@example.com', password: 'correct horse battery' }

/** One application that `create-latchkey` can make. */
interface Combination {
  readonly framework: string
  readonly language: string
  readonly provider: string
}

/** Where applications are made: the command, the tarballs, and a provider that is there already. */
interface Workshop {
  readonly folder: string
  readonly packed: readonly PackedPackage[]
  readonly command: string
  readonly port: number
  /** The settings that `latchkey-service dev` has printed. */
  readonly settings: Readonly<Record<string, string>>
}

/**
 * Makes each application with `create-latchkey`, installs it from the tarballs, checks its types, starts it with `npm run dev`
 * and logs in with a browser. `LATCHKEY_CREATED` picks those whose name has this word, such as `koa`.
 */
export async function checkCreated(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<void> {
  const tools = path.join(folder, 'tools')
  const installed = await installTools(tools, packed)
  if (!report('create-latchkey: install', installed)) return
  const servers: ChildProcess[] = []
  try {
    const port = await freePort()
    const bin = path.join(tools, 'node_modules/.bin')
    const dev = `${bin}/latchkey-service dev --base-url http://localhost:${port}`
    const printed = await serve(dev, tools, servers, /Ctrl-C/)
    const settings = Object.fromEntries(
      [...printed.matchAll(/(LATCHKEY_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    )
    const command = path.join(bin, 'create-latchkey')
    const word = process.env.LATCHKEY_CREATED ?? ''
    for (const combination of combinations()) {
      const { framework, language, provider } = combination
      const name = `${framework}-${language}-${provider}`
      if (!name.includes(word)) continue
      const outcome = await check(name, combination, { folder, packed, command, port, settings })
      report(`create-latchkey: ${name}`, outcome)
    }
  } finally {
    servers.forEach(stop)
  }
}

function combinations(): Combination[] {
  return frameworkNames.flatMap((framework) =>
    frameworkOf(framework).languages.flatMap((language) =>
      ['service', 'issuer'].map((provider) => ({ framework, language, provider })),
    ),
  )
}

async function installTools(folder: string, packed: readonly PackedPackage[]): Promise<Outcome> {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }')
  await useTarballs(folder, packed, ['create-latchkey', '@latchkey/service'])
  return install(folder)
}

async function check(name: string, combination: Combination, workshop: Workshop): Promise<Outcome> {
  const startedAt = performance.now()
  const servers: ChildProcess[] = []
  const app = path.join(workshop.folder, name)
  const end = (code: number, output: string): Outcome => ({
    code,
    output,
    seconds: (performance.now() - startedAt) / 1000,
  })
  try {
    await make(name, combination, workshop)
    await useTarballs(app, workshop.packed)
    passed(await install(app))
    if (combination.language === 'typescript') {
      passed(await run('npm', ['run', 'check'], { cwd: app, limitSeconds: INSTALL_SECONDS }))
    }
    const hasBuild = /"build":/.test(await readFile(path.join(app, 'package.json'), 'utf8'))
    if (hasBuild && combination.provider === 'service') {
      passed(await run('npm', ['run', 'build'], { cwd: app, limitSeconds: INSTALL_SECONDS }))
    }
    await serve('npm run dev', app, servers, /Listening on|Ready in/)
    const address = `http://localhost:${workshop.port}/account`
    const text = await textAfterLogin(address, USER.email, USER.password)
    if (!/Logged in as (ada@example\.com|Ada Lovelace)/.test(text ?? '')) {
      return end(1, `The page shows "${text}".`)
    }
    const isIgnored = existsSync(path.join(app, '.latchkey'))
    if (isIgnored !== (combination.provider === 'service')) {
      return end(1, 'The data of the service is not where .gitignore has it.')
    }
    return end(0, '')
  } catch (error) {
    return end(1, error instanceof Error ? error.message : String(error))
  } finally {
    servers.forEach(stop)
  }
}

async function make(
  name: string,
  { framework, language, provider }: Combination,
  { folder, command, port, settings }: Workshop,
): Promise<void> {
  const { LATCHKEY_ISSUER = '', LATCHKEY_CLIENT_ID = '', LATCHKEY_CLIENT_SECRET = '' } = settings
  const at =
    provider === 'issuer' ? ['--issuer', LATCHKEY_ISSUER, '--client-id', LATCHKEY_CLIENT_ID] : []
  const options = ['--framework', framework, '--language', language, '--provider', provider, ...at]
  passed(
    await run(command, [name, ...options, '--port', String(port)], {
      cwd: folder,
      env: { ...process.env, LATCHKEY_CLIENT_SECRET },
    }),
  )
}

/** Puts tarballs in place of the versions that the registry does not have yet, those that they need in turn included. */
async function useTarballs(
  folder: string,
  packed: readonly PackedPackage[],
  named: readonly string[] = [],
): Promise<void> {
  const file = path.join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest & {
    devDependencies?: Record<string, string>
  }
  const tarballs = Object.fromEntries(
    packed.map(({ manifest: { name }, tarball }) => [name, `file:${tarball}`]),
  )
  const replaced = (dependencies: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [name, tarballs[name] ?? range]),
    )
  const dependencies = {
    ...replaced(manifest.dependencies),
    ...Object.fromEntries(named.map((name) => [name, tarballs[name] ?? ''])),
  }
  const devDependencies = replaced(manifest.devDependencies)
  const overrides = Object.fromEntries(
    Object.entries(tarballs).filter(([name]) => !(name in dependencies || name in devDependencies)),
  )
  await writeFile(file, JSON.stringify({ ...manifest, dependencies, devDependencies, overrides }))
}

function install(folder: string): Promise<Outcome> {
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  return run('npm', args, { cwd: folder, limitSeconds: INSTALL_SECONDS })
}

function passed({ code, output }: Outcome): void {
  if (code !== 0) throw new Error(output)
}
