import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { adapters, type Package, publishedPackages } from './packages.ts'
import { report, run } from './run.ts'

/**
 * Packages that an application loads at its start. Each becomes a few files: to find and to read a module costs Node
 * more than to compile it, and a hundred of them were a third of the time of an import.
 */
const BUNDLED: readonly string[] = [
  '@latchkey/core',
  '@latchkey/development',
  '@latchkey/session-store',
  // Next.js compiles its adapter with the application.
  ...adapters()
    .filter(({ shape }) => shape !== 'pages')
    .map(({ manifest }) => manifest.name),
]

/** The file that entry points share. Code for Node alone, and code that is loaded later, has files of its own. */
const SHARED = { name: 'shared', tags: ['$initial' as const], test: /\/src\/(?!entry\/|node\/)/ }

/**
 * Modules that read files of their package when they are loaded. The build replaces each by what it has read, so that a
 * bundler finds that too.
 */
const READERS: Readonly<Record<string, readonly string[]>> = {
  'create-latchkey': ['version', 'texts'],
  '@latchkey/management': ['version'],
  '@latchkey/service': [
    'version',
    ...['pages/script-texts', 'pages/font-files'],
    ...['pages', 'console', 'mail'].map((room) => `${room}/template-texts`),
  ],
}

/** The packages to build, among them those of ours that they need. Default: all. */
const names = process.argv.slice(2)
const packages = publishedPackages()
const unknown = names.filter((name) => !packages.some(({ manifest }) => manifest.name === name))
if (unknown.length > 0) throw new Error(`No published package is named ${unknown.join(' or ')}.`)

// One after the other: a package is compiled against the built declarations of those it needs.
for (const published of packages) {
  if (names.length > 0 && !names.includes(published.manifest.name)) continue
  if (!(await build(published))) break
}

async function build({ folder, manifest }: Package): Promise<boolean> {
  const source = path.join(folder, 'src')
  const target = path.join(folder, 'dist')
  const isBundled = BUNDLED.includes(manifest.name)
  await rm(target, { recursive: true, force: true })

  const compiled = await run('tsc', [
    ...['--project', path.join(folder, 'tsconfig.build.json')],
    ...(isBundled ? ['--emitDeclarationOnly'] : []),
  ])
  if (isBundled) await bundle(manifest, folder, target)
  for (const name of READERS[manifest.name] ?? []) await fillIn(name, source, target)
  return report(manifest.name, compiled)
}

/** One file for each entry point, and some that they share or load later. */
async function bundle({ exports = {} }: Package['manifest'], folder: string, target: string) {
  const entries = Object.values(exports).flatMap((entry) => {
    if (typeof entry === 'string' || !entry['latchkey-source'] || !entry.default) return []
    const name = path.relative('dist', entry.default).replace(/\.js$/, '')
    return [[name, path.join(folder, entry['latchkey-source'])]]
  })
  const bundled = await rolldown({
    input: Object.fromEntries(entries),
    external: /^[^./]/,
    platform: 'neutral',
  })
  await bundled.write({
    dir: target,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
    // Editors read docstrings from the declarations.
    comments: { jsdoc: false },
    codeSplitting: { groups: entries.length > 1 ? [SHARED] : [] },
  })
}

/** Writes the values that a module of the sources exports, which are plain data. */
async function fillIn(name: string, source: string, target: string): Promise<void> {
  const values = (await import(path.join(source, `${name}.ts`))) as Record<string, unknown>
  const lines = Object.entries(values).map(
    ([exported, value]) => `export const ${exported} = ${JSON.stringify(value)}\n`,
  )
  await writeFile(path.join(target, `${name}.js`), lines.join(''))
}
