import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { providerNames } from '../packages/create-latchkey/src/answers.ts'
import {
  type FrameworkName,
  frameworkNames,
  frameworkOf,
} from '../packages/create-latchkey/src/frameworks.ts'
import { freePort } from '../test/support/free-port.ts'
import { INSTALL_SECONDS, type PackedPackage } from './consumer.ts'
import { serve, stop, textAfterLogin } from './getting-started.ts'
import {
  commandOf,
  environmentOf,
  type Manager,
  managers,
  missingFrom,
  tarballsOf,
  withoutForeignBinaries,
} from './managers.ts'
import type { Manifest } from './packages.ts'
import { type Outcome, report, run } from './run.ts'

const USER = { email: 'ada@example.com', password: 'correct horse battery' }

/** One application that `create-latchkey` can make, and the package manager that makes it. */
export interface Combination {
  readonly framework: FrameworkName
  readonly language: string
  readonly provider: string
  readonly manager: Manager
}

/** Where applications are made: the command, the tarballs, and a provider that is there already. */
interface Workshop {
  readonly folder: string
  readonly packed: readonly PackedPackage[]
  readonly command: string
  readonly port: number
  /** The settings that `latchkey-service dev` has printed. */
  readonly settings: Readonly<Record<string, string>>
  readonly environment: NodeJS.ProcessEnv
}

/**
 * Makes applications with `create-latchkey`, installs them from the tarballs, checks their types, starts them with the script
 * `dev` and logs in with a browser. Prints which applications were not tried. `LATCHKEY_CREATED` picks those whose name has this word,
 * of all package managers, such as `koa` or `express-typescript-service-bun`.
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
    const word = process.env.LATCHKEY_CREATED
    const all = combinations()
    const chosen = word
      ? all.filter((one) => nameOf(one).includes(word))
      : combinationsOf(Math.floor(Date.now() / DAY_MS), all)
    if (chosen.length === 0)
      throw new Error(
        `No application has ${word} in its name, as ${nameOf(all[0] as Combination)} has.`,
      )
    const environment = await environmentOf(folder)
    for (const combination of chosen) {
      const workshop = { folder, packed, command, port, settings, environment }
      const outcome = await check(nameOf(combination), combination, workshop)
      const missing = missingFrom(outcome)
      if (missing) console.log(`        ${nameOf(combination)}: not tried, as ${missing}`)
      else report(`create-latchkey: ${nameOf(combination)}`, outcome)
    }
    for (const line of linesOf(all.filter((one) => !chosen.includes(one)))) console.log(line)
  } finally {
    servers.forEach(stop)
  }
}

const DAY_MS = 86_400_000

/** All applications that the tables of `create-latchkey` allow, with each package manager. */
export function combinations(): Combination[] {
  return managers.flatMap((manager) =>
    frameworkNames.flatMap((framework) =>
      frameworkOf(framework).languages.flatMap((language) =>
        providerNames.map((provider) => ({ framework, language, provider, manager })),
      ),
    ),
  )
}

/**
 * The applications of a day: all with npm, and one of each framework with another package manager. Each combination comes in turn,
 * the last one after 16 days.
 */
export function combinationsOf(day: number, all: readonly Combination[]): Combination[] {
  const [npm] = managers
  const others = frameworkNames.flatMap((framework, place) => {
    const ofFramework = all.filter((one) => one.framework === framework && one.manager !== npm)
    // One manager after the other, and another one for each framework of a day.
    const perManager = ofFramework.length / (managers.length - 1)
    const turn = Math.floor(day / (managers.length - 1)) % perManager
    const manager = (day + place) % (managers.length - 1)
    return ofFramework[manager * perManager + turn] ?? []
  })
  return [...all.filter(({ manager }) => manager === npm), ...others]
}

export function nameOf({ framework, language, provider, manager }: Combination): string {
  return [framework, language, provider, manager.name.replace(' ', '-')].join('-')
}

/** A line for each package manager with the applications that were not tried with it, or with the word that they are all. */
function linesOf(left: readonly Combination[]): string[] {
  return managers.flatMap((manager) => {
    const names = left
      .filter((one) => one.manager === manager)
      .map(({ framework, language, provider }) => `${framework}-${language}-${provider}`)
    if (names.length === 0) return []
    const known = combinations().filter((one) => one.manager === manager).length
    const listed = names.length === known ? 'all of them' : names.join(', ')
    return `        create-latchkey with ${manager.name}: not tried in this run: ${listed}`
  })
}

async function installTools(folder: string, packed: readonly PackedPackage[]): Promise<Outcome> {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }')
  const [npm] = managers
  if (npm) await useTarballs(folder, packed, npm, ['create-latchkey', '@latchkey/service'])
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
  const inApp = (line: string): Promise<Outcome> =>
    run('npm', commandOf(combination.manager, line), {
      cwd: app,
      env: workshop.environment,
      limitSeconds: INSTALL_SECONDS,
    })
  try {
    await make(name, combination, workshop)
    await useTarballs(app, workshop.packed, combination.manager)
    let installed = await inApp(combination.manager.install)
    if (missingFrom(installed)) {
      await override(app, combination.manager, await withoutForeignBinaries(app))
      installed = await inApp(combination.manager.install)
    }
    passed(installed)
    if (combination.language === 'typescript')
      passed(await inApp(`${combination.manager.run} check`))
    const hasBuild = /"build":/.test(await readFile(path.join(app, 'package.json'), 'utf8'))
    if (hasBuild && combination.provider === 'service') {
      passed(await inApp(`${combination.manager.run} build`))
    }
    await serve(inShell(combination.manager, 'dev'), app, servers, /Listening on|Ready in/)
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
  { framework, language, provider, manager }: Combination,
  { folder, command, port, settings, environment }: Workshop,
): Promise<void> {
  const { LATCHKEY_ISSUER = '', LATCHKEY_CLIENT_ID = '', LATCHKEY_CLIENT_SECRET = '' } = settings
  const at =
    provider === 'issuer' ? ['--issuer', LATCHKEY_ISSUER, '--client-id', LATCHKEY_CLIENT_ID] : []
  const options = ['--framework', framework, '--language', language, '--provider', provider, ...at]
  passed(
    await run(command, [name, ...options, '--port', String(port)], {
      cwd: folder,
      // As if this package manager had run the command: it writes the files that it needs.
      env: { ...environment, LATCHKEY_CLIENT_SECRET, npm_config_user_agent: manager.agent },
    }),
  )
}

/** Puts tarballs in place of the versions that the registry does not have yet, those that they need in turn included. */
async function useTarballs(
  folder: string,
  packed: readonly PackedPackage[],
  { overrides: member, files }: Manager,
  named: readonly string[] = [],
): Promise<void> {
  const file = path.join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest & {
    devDependencies?: Record<string, string>
  }
  const tarballs = tarballsOf(packed)
  const replaced = (dependencies: Record<string, string> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [name, tarballs[name] ?? range]),
    )
  const dependencies = {
    ...replaced(manifest.dependencies),
    ...Object.fromEntries(named.map((name) => [name, tarballs[name] ?? ''])),
  }
  const devDependencies = replaced(manifest.devDependencies)
  const more = member ? { [member]: tarballs } : {}
  await writeFile(file, JSON.stringify({ ...manifest, dependencies, devDependencies, ...more }))
  for (const [name, text] of Object.entries(files?.(tarballs) ?? {})) {
    await appendFile(path.join(folder, name), text)
  }
}

/** Adds to what stands in place of the versions of a registry. */
async function override(
  folder: string,
  { overrides: member }: Manager,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  if (!member) return
  const file = path.join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...manifest, [member]: { ...manifest[member], ...more } }))
}

/** The script of an application as a command of a shell. */
function inShell(manager: Manager, script: string): string {
  const [exec = '', yes = '', from = '', call = '', line = ''] = commandOf(
    manager,
    `${manager.run} ${script}`,
  )
  return `npm ${exec} ${yes} ${from} ${call} '${line}'`
}

function install(folder: string): Promise<Outcome> {
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  return run('npm', args, { cwd: folder, limitSeconds: INSTALL_SECONDS })
}

function passed({ code, output }: Outcome): void {
  if (code !== 0) throw new Error(output)
}
