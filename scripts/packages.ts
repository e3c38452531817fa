import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The members of a package.json that the scripts read. */
export type Manifest = {
  name: string
  version: string
  private?: boolean
  license?: string
  type?: string
  engines?: Record<string, string>
  files?: string[]
  bin?: Record<string, string>
  exports?: Record<string, string | Record<string, string>>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  latchkey?: { adapter: string; shape: AdapterShape }
}

/**
 * How an adapter is used: `middleware` is mounted in front of handlers, `module` is over other adapters, and `pages` is
 * compiled with the application.
 */
export type AdapterShape = 'middleware' | 'module' | 'pages'

/** A package of `packages/`: its absolute folder and its manifest. */
export type Package = { folder: string; manifest: Manifest }

/** The repository's root folder. */
export const root: string = path.resolve(import.meta.dirname, '..')

/**
 * Every published package, each after the packages of ours that it needs at run time.
 *
 * Development dependencies do not count: the tests of a package may well use a package built on it.
 *
 * @throws Error when packages depend on each other in a circle.
 */
export function publishedPackages(): Package[] {
  const packages = globSync('packages/*/package.json', { cwd: root })
    .map((file) => path.join(root, file))
    .map((file) => ({
      folder: path.dirname(file),
      manifest: JSON.parse(readFileSync(file, 'utf8')) as Manifest,
    }))
    .filter(({ manifest }) => !manifest.private)
    .sort((a, b) => a.manifest.name.localeCompare(b.manifest.name))
  return inDependencyOrder(packages)
}

/** An adapter of the kit: the name of its folder, and that of its framework as people write it. */
export type Adapter = { name: string; title: string; shape: AdapterShape; manifest: Manifest }

/** Every adapter, by name: each package with `latchkey.adapter` in its package.json. The one list of them. */
export function adapters(): Adapter[] {
  return publishedPackages()
    .flatMap(({ folder, manifest }): Adapter[] => {
      if (!manifest.latchkey) return []
      const { adapter: title, shape } = manifest.latchkey
      return [{ name: path.basename(folder), title, shape, manifest }]
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

/** The adapters that are mounted in front of handlers, which pass one contract and log in from one kind of application. */
export function middlewareAdapters(): Adapter[] {
  return adapters().filter(({ shape }) => shape === 'middleware')
}

function inDependencyOrder(packages: readonly Package[]): Package[] {
  const ordered: Package[] = []
  let waiting = [...packages]
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ manifest }) => manifest.name))
    const ready = waiting.filter(
      ({ manifest }) => !runtimeDependencies(manifest).some((name) => names.has(name)),
    )
    if (ready.length === 0) {
      throw new Error(`These packages depend on each other in a circle: ${[...names].join(', ')}`)
    }
    ordered.push(...ready)
    waiting = waiting.filter((candidate) => !ready.includes(candidate))
  }
  return ordered
}

function runtimeDependencies(manifest: Manifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
}
