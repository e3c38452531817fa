import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Package, publishedPackages } from '../scripts/packages.ts'

const packages = publishedPackages()
/** The source of the main entry. */
function sourceOf(folder: string): string {
  const { exports } = JSON.parse(read(folder, 'package.json'))
  return exports['.']?.['latchkey-source'] ?? 'src/index.ts'
}

const withApi = packages.filter(
  ({ folder }) => read(folder, sourceOf(folder)).trim() !== 'export {}',
)

describe.each(packages)('$manifest.name', ({ folder, manifest }) => {
  test('is an MIT-licensed ES module with the version that all packages share', () => {
    const { version } = packages[0]?.manifest ?? {}
    expect(manifest).toMatchObject({ license: 'MIT', type: 'module', version })
  })

  test('says which Node versions it runs on', () => {
    expect(manifest.engines).toEqual({ node: '>=22.19' })
  })

  test('ships what was built, and no sources', () => {
    // The type face of the pages comes with its license.
    const license = manifest.name === '@latchkey/service' ? ['OFL.txt'] : []
    expect(manifest.files).toEqual(['dist', ...license])
  })

  test('installs no packages of types with its code', () => {
    const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    expect(names.filter((name) => name.startsWith('@types/'))).toEqual([])
  })

  test('exports each module as source, types and default, in the order that Node reads them', () => {
    const { './package.json': self, ...modules } = manifest.exports ?? {}
    expect(self).toBe('./package.json')
    expect(Object.keys(modules)).toContain('.')
    for (const [subpath, conditions] of Object.entries(modules)) {
      const source = Object.values(conditions)[0] ?? ''
      const built = source.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1')
      expect(Object.entries(conditions), subpath).toEqual([
        ['latchkey-source', source],
        ['types', `${built}.d.ts`],
        ['default', `${built}.js`],
      ])
      expect(existsSync(path.join(folder, source)), source).toBe(true)
    }
  })
})

test.each(withApi)('$manifest.name has a README under its name', ({ folder, manifest }) => {
  expect(read(folder, 'README.md')).toMatch(`# ${manifest.name}\n`)
})

test('the core depends on no package of ours, and the service on the core for its console and on the shared parts of commands', () => {
  const dependenciesOf = (name: string) =>
    packages.filter(({ manifest }) => manifest.name === name).flatMap(ourDependencies)
  expect(dependenciesOf('@latchkey/core')).toEqual([])
  expect(dependenciesOf('@latchkey/service')).toEqual(['@latchkey/core', '@latchkey/management'])
})

function ourDependencies({ manifest }: Package): string[] {
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  return names.filter((name) => name.startsWith('@latchkey/'))
}

function read(folder: string, file: string): string {
  return readFileSync(path.join(folder, file), 'utf8')
}
