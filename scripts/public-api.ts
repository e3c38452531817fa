import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'
import { publishedPackages } from './packages.ts'

/** The exports of each module of a package, by name; `@latchkey/core/node` and its like are modules too. */
export function exportsOfPackages(): string {
  const modules = publishedPackages().flatMap(({ folder, manifest }) =>
    Object.entries(manifest.exports ?? {})
      .filter(([subpath]) => !subpath.endsWith('.json'))
      .map(([subpath, conditions]) => {
        const source = path.join(folder, Object.values(conditions)[0] ?? '')
        return [path.posix.join(manifest.name, subpath), ...exportsOf(source)]
      }),
  )
  return `${modules.map((lines) => lines.join('\n  ')).join('\n\n')}\n`
}

/** The names that a source exports, types marked as such, and those of the modules that it exports whole. */
function exportsOf(source: string): string[] {
  const { module } = parseSync(source, readFileSync(source, 'utf8'))
  const names = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, isType, moduleRequest }) => {
      if (exportName.name) return `${isType ? 'type ' : ''}${exportName.name}`
      return exportsOf(sourceOf(moduleRequest?.value ?? '', source))
    })
  return [...new Set(names)].sort()
}

/** The source of a module of ours. */
function sourceOf(specifier: string, from: string): string {
  if (specifier.startsWith('.')) return path.resolve(path.dirname(from), specifier)
  for (const { folder, manifest } of publishedPackages()) {
    for (const [subpath, conditions] of Object.entries(manifest.exports ?? {})) {
      if (path.posix.join(manifest.name, subpath) !== specifier) continue
      return path.join(folder, Object.values(conditions)[0] ?? '')
    }
  }
  throw new Error(`${from} exports ${specifier}, which is not of this repository.`)
}
