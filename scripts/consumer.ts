import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Manifest, root } from './packages.ts'
import { type Outcome, report, run } from './run.ts'

/** A package as its users get it. */
export type PackedPackage = { manifest: Manifest; tarball: string }

/** The Node versions that users may have, each an npm package of its own with the binary inside. */
const runtimes = ['node22', 'node']

/** Installs tarballs into an empty project with npm, with nothing of ours from anywhere else. */
export async function installConsumer(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<Outcome> {
  const tarballs = packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`])
  const dependencies = Object.fromEntries(tarballs)
  const manifest = { private: true, type: 'module', dependencies, overrides: dependencies }
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest))
  return run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, timeout: 180_000 })
}

/** Type-checks every export as a user would, then loads each on every Node version. */
export async function checkConsumer(
  folder: string,
  packed: readonly PackedPackage[],
): Promise<void> {
  const modules = packed.flatMap(({ manifest }) => moduleSpecifiers(manifest))
  report('types of the tarballs', await checkTypes(folder, modules))

  for (const runtime of runtimes) {
    const { binary, version } = nodeBinary(runtime)
    for (const { manifest } of packed) {
      for (const specifier of moduleSpecifiers(manifest)) {
        report(`${specifier} on Node ${version}`, await load(folder, binary, specifier))
      }
      for (const [command, file] of Object.entries(manifest.bin ?? {})) {
        const script = path.join(folder, 'node_modules', manifest.name, file)
        const help = await run(binary, [script, '--help'], { cwd: folder, timeout: 10_000 })
        report(`${command} --help on Node ${version}`, help)
      }
    }
  }
}

/** What a user can import or require of a package; `./package.json` is data. */
function moduleSpecifiers({ name, exports = {} }: Manifest): string[] {
  return Object.keys(exports)
    .filter((subpath) => !subpath.endsWith('.json'))
    .map((subpath) => path.posix.join(name, subpath))
}

/** Requires first, as a module that was imported already would hide a top-level await. */
const loadProgram = `
  import assert from 'node:assert'
  import { createRequire } from 'node:module'
  const specifier = process.argv[1]
  const required = createRequire(process.cwd() + '/index.js')(specifier)
  const imported = await import(specifier)
  assert.deepEqual(Object.keys(required), Object.keys(imported))
`

/** The process must also end by itself: importing a package starts nothing. */
function load(folder: string, binary: string, specifier: string): Promise<Outcome> {
  const args = ['--input-type=module', '--eval', loadProgram, specifier]
  return run(binary, args, { cwd: folder, timeout: 10_000 })
}

/** Faults in declarations of others are theirs; what counts is ours and how it looks to a user. */
async function checkTypes(folder: string, modules: readonly string[]): Promise<Outcome> {
  const uses = modules.map((name, i) => `export * as module${i} from '${name}'\n`)
  await writeFile(path.join(folder, 'index.ts'), uses.join(''))
  const options = '--noEmit --strict --skipLibCheck false --module nodenext --target es2023'
  const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')]
  const outcome = await run('tsc', [...options.split(' '), ...types, 'index.ts'], { cwd: folder })

  const ours = outcome.output
    .split('\n')
    .filter((line) => /^(index\.ts|node_modules\/@latchkey\/|error)/.test(line))
  return { ...outcome, code: ours.length > 0 ? 1 : 0, output: ours.join('\n') }
}

function nodeBinary(runtime: string): { binary: string; version: string } {
  const manifest = createRequire(import.meta.url).resolve(`${runtime}/package.json`)
  const { version } = createRequire(import.meta.url)(manifest) as Manifest
  return { binary: path.join(path.dirname(manifest), 'bin/node'), version }
}
