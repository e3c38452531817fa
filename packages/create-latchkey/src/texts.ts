import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const repository = path.join(import.meta.dirname, '../../..')
const EXAMPLES = [
  'getting-started/*.{js,json}',
  '*/getting-started.js',
  'nestjs/src/guide/app.*.ts',
  'nextjs/{auth,proxy,instrumentation,css.d}.ts',
  'nextjs/app/{page,layout,account/page}.tsx',
  'nextjs/app/globals.css',
]

/**
 * The texts of the example files from which applications are created, by their paths in
 * `examples/`. The guides quote the same files.
 */
export const examples: Readonly<Record<string, string>> = readExamples()

/**
 * The titles of the adapters that are mounted as middleware, by the folder names of their packages.
 * The titles come from the package.json of each package.
 */
export const adapters: Readonly<Record<string, string>> = readAdapters()

/** The version ranges of packages with which the examples are tested, by package name. */
export const ranges: Readonly<Record<string, string>> = readRanges()

function readExamples(): Record<string, string> {
  const folder = path.join(repository, 'examples')
  const files = globSync(EXAMPLES, { cwd: folder }).sort()
  return Object.fromEntries(
    files.map((file) => [
      file.replaceAll(path.sep, '/'),
      readFileSync(path.join(folder, file), 'utf8'),
    ]),
  )
}

function readAdapters(): Record<string, string> {
  const folder = path.join(repository, 'packages')
  const files = globSync('*/package.json', { cwd: folder }).sort()
  return Object.fromEntries(
    files.flatMap((file) => {
      const { latchkey } = JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
      if (latchkey?.shape !== 'middleware') return []
      return [[path.dirname(file), latchkey.adapter]]
    }),
  )
}

function readRanges(): Record<string, string> {
  const workspace = readFileSync(path.join(repository, 'pnpm-workspace.yaml'), 'utf8')
  const lines = workspace.matchAll(/^ {2}"?([^\s":]+)"?: (\^\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name = '', range = '']) => [name, range]))
}
