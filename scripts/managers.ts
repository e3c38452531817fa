import type { ChildProcess } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { INSTALL_SECONDS, type PackedPackage } from './consumer.ts'
import { serve, stop } from './getting-started.ts'
import { adapters } from './packages.ts'
import { type Outcome, report, run } from './run.ts'

/** A package manager that npm can bring, and what it reads instead of the versions of a registry. */
interface Manager {
  readonly name: string
  /** The package that has its command. */
  readonly package: string
  readonly install: string
  readonly env?: Readonly<Record<string, string>>
  /** The member of package.json that names the tarballs for dependencies of dependencies. */
  readonly overrides?: string
  files?(tarballs: Readonly<Record<string, string>>): Readonly<Record<string, string>>
}

const overridesOfPnpm = (tarballs: Readonly<Record<string, string>>): Record<string, string> => ({
  'pnpm-workspace.yaml': [
    'overrides:',
    ...Object.entries(tarballs).map(([name, file]) => `  "${name}": ${file}`),
    '',
  ].join('\n'),
})

const managers: readonly Manager[] = [
  {
    name: 'npm',
    package: 'npm@11',
    install: 'npm install --no-audit --no-fund',
    overrides: 'overrides',
  },
  { name: 'pnpm', package: 'pnpm@latest', install: 'pnpm install', files: overridesOfPnpm },
  {
    name: 'yarn 1',
    package: 'yarn@1',
    install: 'yarn install --non-interactive',
    overrides: 'resolutions',
  },
  {
    name: 'yarn 4',
    package: '@yarnpkg/cli-dist@4',
    install: 'yarn install --no-immutable',
    overrides: 'resolutions',
    files: () => ({
      '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\n',
      'yarn.lock': '',
    }),
  },
  { name: 'bun', package: 'bun@1', install: 'bun install', overrides: 'overrides' },
]

/** Packages that are tried elsewhere: a command that makes applications, and helpers of tests. */
const UNUSED = ['create-latchkey', '@latchkey/testing']

/** Yarn asks for the binaries of every system, which a mirror of a registry may lack. */
const MISSING = /@node-rs\/(bcrypt|argon2)-\w+/

/** The trial of an installation: it loads the kit, and its commands run. */
const TRIAL = `node --input-type=module --eval "await import('@latchkey/express'); await import('@latchkey/session-store')"
node_modules/.bin/latchkey-service --version
node_modules/.bin/latchkey --version`

/** Installs the tarballs with each package manager and uses them; then serves from the tarballs alone with npx. */
export async function checkManagers(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<void> {
  for (const manager of managers) {
    const outcome = await installWith(
      manager,
      path.join(folder, manager.name.replace(' ', '-')),
      packed,
    )
    const [missing] = MISSING.exec(outcome.output) ?? []
    if (outcome.code !== 0 && missing) {
      console.log(`        ${manager.name}: not tried, as this registry has not all of ${missing}`)
      continue
    }
    report(`${manager.name}: install and use the tarballs`, outcome)
  }
  report(
    'npx latchkey-service dev, from the tarballs alone',
    await serveByNpx(path.join(folder, 'npx'), packed),
  )
}

async function installWith(
  manager: Manager,
  folder: string,
  packed: readonly PackedPackage[],
): Promise<Outcome> {
  const tarballs = tarballsOf(packed)
  const dependencies = { ...tarballs, express: 'latest' }
  const manifest = { name: 'trial', private: true, type: 'module', dependencies }
  const overrides = manager.overrides ? { [manager.overrides]: tarballs } : {}
  // Frameworks are peers; an application has one of them.
  const others = adapters().filter(({ name }) => name !== 'express')
  for (const name of [...others.map(({ manifest }) => manifest.name), ...UNUSED]) {
    delete (dependencies as Record<string, string>)[name]
  }
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, ...overrides }))
  for (const [file, text] of Object.entries(manager.files?.(tarballs) ?? {})) {
    await writeFile(path.join(folder, file), text)
  }
  const registry = (await run('npm', ['config', 'get', 'registry'])).output.trim()
  const exec = ['exec', '--yes', `--package=${manager.package}`, '--call', manager.install]
  const options = {
    cwd: folder,
    // This one does not read the settings of npm.
    env: { ...process.env, YARN_NPM_REGISTRY_SERVER: registry },
    limitSeconds: INSTALL_SECONDS,
  }
  const installed = await run('npm', exec, options)
  if (installed.code !== 0) return installed
  return run('bash', ['-euc', TRIAL], { cwd: folder, limitSeconds: INSTALL_SECONDS })
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

function tarballsOf(packed: readonly PackedPackage[]): Record<string, string> {
  return Object.fromEntries(
    packed.map(({ manifest: { name }, tarball }) => [name, `file:${tarball}`]),
  )
}
