import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { INSTALL_SECONDS, type PackedPackage } from './consumer.ts'
import { serve, stop } from './getting-started.ts'
import { adapters, root } from './packages.ts'
import { type Outcome, report, run } from './run.ts'

/** A package manager that npm can bring, and what it reads instead of the versions of a registry. */
export interface Manager {
  readonly name: string
  /** The package that has its command. */
  readonly package: string
  /** How it names itself to the commands that it runs. */
  readonly agent: string
  readonly install: string
  /** The beginning of the command that runs a script of package.json. */
  readonly run: string
  /** The member of package.json that names the tarballs for dependencies of dependencies. */
  readonly overrides?: string
  /** Lines that are added to files, by the names of these. */
  files?(tarballs: Readonly<Record<string, string>>): Readonly<Record<string, string>>
}

const overridesOfPnpm = (tarballs: Readonly<Record<string, string>>): Record<string, string> => ({
  'pnpm-workspace.yaml': [
    'overrides:',
    ...Object.entries(tarballs).map(([name, file]) => `  "${name}": ${file}`),
    '',
  ].join('\n'),
})

/** npm first: the others are brought by it. */
export const managers: readonly Manager[] = [
  {
    name: 'npm',
    package: 'npm@11',
    agent: 'npm/11',
    install: 'npm install --no-audit --no-fund',
    run: 'npm run',
    overrides: 'overrides',
  },
  {
    name: 'pnpm',
    package: 'pnpm@latest',
    agent: 'pnpm/11',
    install: 'pnpm install',
    run: 'pnpm run',
    files: overridesOfPnpm,
  },
  {
    name: 'yarn 1',
    package: 'yarn@1',
    agent: 'yarn/1',
    install: 'yarn install --non-interactive',
    run: 'yarn run',
    overrides: 'resolutions',
  },
  {
    name: 'yarn 4',
    package: '@yarnpkg/cli-dist@4',
    agent: 'yarn/4',
    install: 'yarn install --no-immutable',
    run: 'yarn run',
    overrides: 'resolutions',
    files: () => ({ '.yarnrc.yml': 'enableTelemetry: false\n', 'yarn.lock': '' }),
  },
  {
    name: 'bun',
    package: 'bun@1',
    agent: 'bun/1',
    install: 'bun install',
    run: 'bun run',
    overrides: 'overrides',
  },
]

/** Packages that are tried elsewhere: a command that makes applications, and helpers of tests. */
const UNUSED = ['create-latchkey', '@latchkey/testing']

/** Yarn asks for the binaries of every system, which a mirror of a registry may lack. */
const MISSING = /@node-rs\/(bcrypt|argon2)-\w+/

/**
 * The binaries of other systems, by the names of their packages, as `file:` of an empty package. Yarn asks the registry for each of
 * them, even where it installs none.
 */
export async function withoutForeignBinaries(folder: string): Promise<Record<string, string>> {
  const empty = path.join(folder, 'empty')
  await mkdir(empty, { recursive: true })
  await writeFile(path.join(empty, 'package.json'), '{ "name": "empty", "version": "2.0.0" }')
  const foreign = ['bcrypt', 'argon2'].flatMap((name) => {
    const library = realpathSync(path.join(root, `packages/service/node_modules/@node-rs/${name}`))
    const { optionalDependencies = {} } = JSON.parse(
      readFileSync(path.join(library, 'package.json'), 'utf8'),
    ) as { optionalDependencies?: Record<string, string> }
    // The binary of this system is installed beside its library.
    const isHere = (binary: string): boolean => existsSync(path.join(library, '../..', binary))
    return Object.keys(optionalDependencies).filter((binary) => !isHere(binary))
  })
  return Object.fromEntries(foreign.map((name) => [name, `file:${empty}`]))
}

/** Says which package of others the registry lacks, if an installation has failed for that. */
export function missingFrom({ code, output }: Outcome): string | undefined {
  const [missing] = MISSING.exec(output) ?? []
  return code !== 0 && missing ? `this registry has not all of ${missing}` : undefined
}

/** The words with which npm runs a command of a package manager. */
export function commandOf({ package: name }: Manager, command: string): string[] {
  return ['exec', '--yes', `--package=${name}`, '--call', command]
}

/**
 * The environment of a package manager: Yarn 4 does not read the settings of npm, and the cache of
 * Yarn 1 knows a tarball by its version alone, so that the machine's cache may have an older build.
 */
export async function environmentOf(folder: string): Promise<NodeJS.ProcessEnv> {
  const registry = (await run('npm', ['config', 'get', 'registry'])).output.trim()
  const cache = path.join(folder, 'yarn-cache')
  return { ...process.env, YARN_NPM_REGISTRY_SERVER: registry, YARN_CACHE_FOLDER: cache }
}

/** An installation that is tried, and how. */
interface Installation {
  readonly name: string
  readonly manager: Manager
  /** Where Yarn 4 puts packages. The kit finds its helpers of development in `node_modules` alone. */
  readonly linker?: 'node-modules' | 'pnp'
  /** The words in front of a command of a package. */
  readonly bin: string
  /** The command that runs Node. */
  readonly node: string
}

/** Yarn 4 by its default as well, which makes no `node_modules` and lets a package load nothing that it does not declare. */
const installations: readonly Installation[] = managers.flatMap((manager) => {
  const { name } = manager
  const usual = { name, manager, bin: 'node_modules/.bin/', node: 'node' }
  if (name !== 'yarn 4') return [usual]
  return [
    { ...usual, linker: 'node-modules' },
    { name: `${name} with Plug'n'Play`, manager, linker: 'pnp', bin: 'yarn ', node: 'yarn node' },
  ]
})

/** A program that loads the kit. */
const PROGRAM = `await import('@latchkey/express')
await import('@latchkey/session-store')
`

/** The trial of an installation: the program runs, and the commands of the packages. */
const trialOf = ({ bin, node }: Installation): string =>
  [`${node} trial.js`, `${bin}latchkey-service --version`, `${bin}latchkey --version`].join(' && ')

/** Installs the tarballs with each package manager and uses them; then serves from the tarballs alone with npx. */
export async function checkManagers(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<void> {
  for (const installation of installations) {
    const { name } = installation
    const place = path.join(folder, name.replace(/\W+/g, '-'))
    let outcome = await install(installation, place, packed)
    const missing = missingFrom(outcome)
    if (missing) {
      console.log(`        ${name}: binaries of other systems are not tried, as ${missing}`)
      const replaced = await withoutForeignBinaries(place)
      outcome = await install(installation, `${place}-here`, packed, replaced)
    }
    report(`${name}: install and use the tarballs`, outcome)
  }
  report(
    'npx latchkey-service dev, from the tarballs alone',
    await serveByNpx(path.join(folder, 'npx'), packed),
  )
}

async function install(
  installation: Installation,
  folder: string,
  packed: readonly PackedPackage[],
  replaced: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { manager, linker } = installation
  const tarballs = tarballsOf(packed)
  const dependencies = { ...tarballs, express: 'latest' }
  const manifest = { name: 'trial', private: true, type: 'module', dependencies }
  const overrides = manager.overrides ? { [manager.overrides]: { ...tarballs, ...replaced } } : {}
  // Frameworks are peers; an application has one of them.
  const others = adapters().filter(({ name }) => name !== 'express')
  for (const name of [...others.map(({ manifest }) => manifest.name), ...UNUSED]) {
    delete (dependencies as Record<string, string>)[name]
  }
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, ...overrides }))
  await writeFile(path.join(folder, 'trial.js'), PROGRAM)
  if (linker) await writeFile(path.join(folder, '.yarnrc.yml'), `nodeLinker: ${linker}\n`)
  for (const [file, text] of Object.entries(manager.files?.(tarballs) ?? {})) {
    await appendFile(path.join(folder, file), text)
  }
  const options = {
    cwd: folder,
    env: await environmentOf(`${folder}-tools`),
    limitSeconds: INSTALL_SECONDS,
  }
  const installed = await run('npm', commandOf(manager, manager.install), options)
  if (installed.code !== 0) return installed
  // Within the package manager, which a command of the trial may name.
  return run('npm', commandOf(manager, trialOf(installation)), options)
}

async function serveByNpx(folder: string, packed: readonly PackedPackage[]): Promise<Outcome> {
  const startedAt = performance.now()
  const servers: ChildProcess[] = []
  const end = (code: number, output: string): Outcome => ({
    code,
    output,
    seconds: (performance.now() - startedAt) / 1000,
  })
  const needed = ['@latchkey/core', '@latchkey/management', '@latchkey/service']
  const files = packed.filter(({ manifest }) => needed.includes(manifest.name))
  const packages = files.map(({ tarball }) => `--package=${tarball}`).join(' ')
  try {
    await mkdir(folder, { recursive: true })
    const printed = await serve(
      `npx --yes ${packages} latchkey-service dev`,
      folder,
      servers,
      /Ctrl-C/,
    )
    const [, issuer = ''] = /LATCHKEY_ISSUER=(\S+)/.exec(printed) ?? []
    const { status } = await fetch(`${issuer}/.well-known/openid-configuration`)
    return end(status === 200 ? 0 : 1, `${issuer} answered ${status}.`)
  } catch (error) {
    return end(1, error instanceof Error ? error.message : String(error))
  } finally {
    servers.forEach(stop)
  }
}

/** The tarballs by the names of their packages, as a dependency names them. */
export function tarballsOf(packed: readonly PackedPackage[]): Record<string, string> {
  return Object.fromEntries(
    packed.map(({ manifest: { name }, tarball }) => [name, `file:${tarball}`]),
  )
}
