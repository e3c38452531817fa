import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { checkBundles } from './bundles.ts'
import { type Manifest, middlewareAdapters, root } from './packages.ts'
import { type Outcome, report, run } from './run.ts'
import { copyInto, trialOf } from './trials.ts'

/** A package as its users get it. */
export type PackedPackage = { manifest: Manifest; tarball: string }

/** How long npm may install, an application on each adapter may log in, and a package may load, on an idle machine. */
export const INSTALL_SECONDS = 300
const LOGIN_SECONDS = 120
const LOAD_SECONDS = 30

/** Parts that the applications in TypeScript share. The project has them and the applications where the repository does. */
const SHARED = 'test/tarballs'
const LOG_IN = `${SHARED}/log-in.ts`
const BESIDE_BEARER = `${SHARED}/beside-bearer.ts`
/** The applications, one of each kind for each adapter. */
const TRIALS = middlewareAdapters().map(({ name }) => trialOf(name))
const PACKED = TRIALS.map(({ packed }) => packed)
const TYPED_CLAIMS = TRIALS.map(({ typedClaims }) => typedClaims)
/** The files that are compiled together. */
const PLAIN = ['index.ts', LOG_IN, ...PACKED]
const TYPED = [`${SHARED}/claims.ts`, ...TYPED_CLAIMS]

/** The types of frameworks that bring none of their own, each with the workspace that has it. */
const TYPES = middlewareAdapters().flatMap(
  ({ name: adapter, manifest: { peerDependencies = {}, devDependencies = {} } }) =>
    Object.keys(peerDependencies)
      .map((framework) => `@types/${framework}`)
      .filter((name) => name in devDependencies)
      .map((name): [string, string] => [name, `packages/${adapter}`]),
)
const BEARER = 'express-oauth2-jwt-bearer'
/** The tools of those applications beside the tarballs and the frameworks, which are peers. Each has the workspace that has it. */
const TOOLS: readonly (readonly [name: string, workspace: string])[] = [
  ...TYPES,
  ...['@types/node', '@types/supertest', 'supertest', 'zod', BEARER].map(
    (name): [string, string] => [name, 'test'],
  ),
]

/** Installs tarballs into an empty project with npm, with nothing of ours from anywhere else. */
export async function installConsumer(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<Outcome> {
  const tarballs = packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`])
  const dependencies = Object.fromEntries(tarballs)
  const devDependencies = Object.fromEntries(
    await Promise.all(
      TOOLS.map(async ([name, workspace]) => [name, await versionIn(workspace, name)]),
    ),
  )
  const ours = { dependencies, devDependencies, overrides: dependencies }
  const manifest = { private: true, type: 'module', ...ours }
  await copyInto(folder, [SHARED, ...PACKED, ...TYPED_CLAIMS])
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest))
  return run('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    limitSeconds: INSTALL_SECONDS,
  })
}

/** The version that a workspace of this repository has, which its tests use. */
async function versionIn(workspace: string, name: string): Promise<string> {
  const file = path.join(root, workspace, 'node_modules', name, 'package.json')
  return (JSON.parse(await readFile(file, 'utf8')) as Manifest).version
}

/** Whether the checks that take long are made as well, as it is done each night. */
export const isFull = process.env.LATCHKEY_PACKAGES === 'full'

/** The Node versions that users may have, each an npm package of its own with the binary inside; the newest at night. */
const runtimes = [
  'test/node_modules/node22',
  'node_modules/node',
  ...(isFull ? ['test/node_modules/node26'] : []),
]

/**
 * Type-checks every export as a user would, then loads each on every Node version; if that is asked for, also with every
 * compiler and on every Express that users have.
 */
export async function checkConsumer(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<void> {
  for (const { manifest } of packed) {
    report(`${manifest.name}: files of its exports`, await checkExports(folder, manifest.name))
  }
  const modules = packed.flatMap(({ manifest }) => moduleSpecifiers(manifest))
  const uses = modules.map((name, i) => `export * as module${i} from '${name}'\n`)
  await writeFile(path.join(folder, 'index.ts'), uses.join(''))
  const strict = await checkTypes(folder, PLAIN, 'false')
  report('types of the tarballs, of an application on each adapter', strict)
  const registered = await checkTypes(folder, TYPED, 'false')
  report('types of an application that names its schema', registered)
  // Two packages that declare `req.auth` differ in declaration files: docs/decisions/0030.
  report(`types beside ${BEARER}`, await checkTypes(folder, [BESIDE_BEARER], 'true'))

  if (isFull) {
    await checkBundles(folder)
    await checkTypesOfToday(folder)
    await checkVersionsOfExpress(folder)
  }

  // Side by side, as a process that loads a package has one thread.
  const onRuntime = async (runtime: string): Promise<void> => {
    const { binary, version } = nodeBinary(runtime)
    report(
      `a login at an application on each adapter on Node ${version}`,
      await logIn(folder, binary),
    )
    for (const { manifest } of packed) {
      report(`${manifest.name} on Node ${version}`, await load(folder, binary, manifest))
      for (const [command, file] of Object.entries(manifest.bin ?? {})) {
        const script = path.join(folder, 'node_modules', manifest.name, file)
        const help = await run(binary, [script, '--help'], {
          cwd: folder,
          limitSeconds: LOAD_SECONDS,
        })
        report(`${command} --help on Node ${version}`, help)
      }
    }
  }
  await Promise.all(runtimes.map(onRuntime))
}

/** The compilers of users, and the types of Node that they have; a range is the newest version in it. */
const COMPILERS = ['~5.4', '~5.9', '~6.0', 'latest']
const NODE_TYPES = ['25', 'latest']
const PROGRAMS = {
  'an application on each adapter': PLAIN,
  'an application that names its schema': TYPED,
}

/** Type-checks with the versions that a user gets today, and prints which they are. */
async function checkTypesOfToday(folder: string): Promise<void> {
  const compilers = COMPILERS.map((range, at) => ({ range, name: `typescript-${at}` }))
  for (const types of NODE_TYPES) {
    const wanted = compilers.map(({ range, name }) => `${name}@npm:typescript@${range}`)
    const install = ['install', '--no-save', '--no-audit', '--no-fund', `@types/node@${types}`]
    const options = { cwd: folder, limitSeconds: INSTALL_SECONDS }
    const installed = await run('npm', [...install, ...wanted], options)
    if (!report(`types of Node ${types} and compilers`, installed)) continue
    const node = await installedVersion(folder, '@types/node')
    for (const { name } of compilers) {
      const tsc = path.join(folder, 'node_modules', name, 'bin/tsc')
      const version = await installedVersion(folder, name)
      for (const [name, files] of Object.entries(PROGRAMS)) {
        if (files === TYPED && types !== 'latest') continue
        const outcome = await checkTypes(folder, files, 'false', tsc)
        report(`${name} with TypeScript ${version} and @types/node ${node}`, outcome)
      }
    }
  }
}

/** The versions of Express that users have, with their types. */
const VERSIONS_OF_EXPRESS = [
  { express: '4.17', types: '4' },
  { express: '4', types: '4' },
  { express: 'latest', types: 'latest' },
]

/** Type-checks and runs the applications on each version of Express. */
async function checkVersionsOfExpress(folder: string): Promise<void> {
  for (const { express, types } of VERSIONS_OF_EXPRESS) {
    const wanted = [`express@${express}`, `@types/express@${types}`]
    const install = ['install', '--no-save', '--no-audit', '--no-fund', ...wanted]
    const options = { cwd: folder, limitSeconds: INSTALL_SECONDS }
    if (!report(wanted.join(' '), await run('npm', install, options))) continue
    const version = await installedVersion(folder, 'express')
    const checked = await checkTypes(folder, PLAIN, 'false')
    report(`types under Express ${version}`, checked)
    report(`a login under Express ${version}`, await logIn(folder, process.execPath))
  }
}

/** A user logs in at each application. */
function logIn(folder: string, binary: string): Promise<Outcome> {
  return run(binary, [LOG_IN, BESIDE_BEARER, ...PACKED], {
    cwd: folder,
    limitSeconds: LOGIN_SECONDS,
  })
}

async function installedVersion(folder: string, name: string): Promise<string> {
  const file = path.join(folder, 'node_modules', name, 'package.json')
  return (JSON.parse(await readFile(file, 'utf8')) as Manifest).version
}

/** The names that a user can import or require of a package; `./package.json` is data. */
function moduleSpecifiers({ name, exports = {} }: Manifest): string[] {
  return Object.keys(exports)
    .filter((subpath) => !subpath.endsWith('.json'))
    .map((subpath) => path.posix.join(name, subpath))
}

/** Checks that every file that a package exports is there, under conditions of any name. */
async function checkExports(folder: string, name: string): Promise<Outcome> {
  const installed = path.join(folder, 'node_modules', name)
  const manifest = await readFile(path.join(installed, 'package.json'), 'utf8')
  const { exports = {} } = JSON.parse(manifest) as Manifest
  const files = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  )
  const missing = files.filter((file) => !existsSync(path.join(installed, file)))
  const output = missing.map((file) => `${file} is not in the package.`).join('\n')
  return { code: Math.min(missing.length, 1), output, seconds: 0 }
}

/** Requires first, as a module that was imported already would hide a top-level await. */
const loadProgram = `
  import assert from 'node:assert'
  import { createRequire } from 'node:module'
  const require = createRequire(process.cwd() + '/index.js')
  for (const specifier of process.argv.slice(1)) {
    const required = require(specifier)
    const imported = await import(specifier)
    assert.deepEqual(Object.keys(required), Object.keys(imported), specifier)
  }
`

/** The process must also end by itself: importing a package starts nothing. */
function load(folder: string, binary: string, manifest: Manifest): Promise<Outcome> {
  const args = ['--input-type=module', '--eval', loadProgram, ...moduleSpecifiers(manifest)]
  return run(binary, args, { cwd: folder, limitSeconds: LOAD_SECONDS })
}

/** Faults in declarations of others are theirs; what counts is ours and how it looks to a user. */
async function checkTypes(
  folder: string,
  files: readonly string[],
  skipLibCheck: 'true' | 'false',
  compiler = 'tsc',
): Promise<Outcome> {
  const options =
    '--noEmit --strict --module nodenext --target es2022 --lib es2023,esnext.disposable --types node'
  const more = ['--allowImportingTsExtensions', '--skipLibCheck', skipLibCheck]
  const outcome = await run(compiler, [...options.split(' '), ...more, ...files], { cwd: folder })

  const ours = outcome.output
    .split('\n')
    .filter((line) =>
      /^(((test|packages)\/[\w/-]+\/)?[\w-]+\.ts|node_modules\/@latchkey\/|error)/.test(line),
    )
  return { ...outcome, code: ours.length > 0 ? 1 : 0, output: ours.join('\n') }
}

function nodeBinary(runtime: string): { binary: string; version: string } {
  const folder = path.join(root, runtime)
  const { version } = createRequire(import.meta.url)(path.join(folder, 'package.json')) as Manifest
  return { binary: path.join(folder, 'bin/node'), version }
}
