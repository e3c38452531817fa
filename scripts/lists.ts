import { spawnSync } from 'node:child_process'
import { middlewareAdapters, root } from './packages.ts'

/** Files that say how things were at their time, that a command writes, or whose entries each name the one that they are tried with. */
const RECORDS = [
  ...[
    'docs/decisions',
    '.changeset/*.md',
    'CHANGELOG.md',
    'bench/README.md',
    '*lock.yaml',
    '*.txt',
  ],
  ...['test/mutants/mutants.ts', 'scripts/lists.ts'],
]

/**
 * The files that name every one of some things, as a list of all of them does. A file about one of them does not count.
 *
 * @param without - More files and folders that do not count.
 */
export function listsOf(names: readonly string[], without: readonly string[] = []): string[] {
  const paths = ['.', ...[...RECORDS, ...without].map((one) => `:!${one}`)]
  const [first = [], ...others] = names.map((name) => {
    const args = ['grep', '--untracked', '-liwF', '-e', name, '--', ...paths]
    const { stdout, status } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`No file names ${name}.`)
    return stdout.trim().split('\n')
  })
  return first.filter((file) => others.every((files) => files.includes(file))).sort()
}

/** The files outside of the adapters that name all of those that are mounted in front of handlers, but Express, which examples name. */
export function listsOfAdapters(): string[] {
  const names = middlewareAdapters()
    .map(({ name }) => name)
    .filter((name) => name !== 'express')
  return listsOf(
    names,
    names.map((name) => `packages/${name}`),
  )
}

/** The files that name three providers with nothing in common but a page about each. */
export function listsOfProviders(): string[] {
  return listsOf(['slack', 'twitch', 'zitadel'])
}
