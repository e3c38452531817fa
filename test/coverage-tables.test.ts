import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { plans } from './support/foundation-plans.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

/** Every `file`: words of a title, in the rows of a document. */
function namedTests(document: string): { row: string; file: string; title: string }[] {
  const rows = read(document)
    .split('\n')
    .filter((line) => line.startsWith('| '))
  return rows.flatMap((row) => {
    const cells = row.split('|').slice(2).join('|')
    return [...cells.matchAll(/`([\w/.-]+)`: ([^;|]+)/g)].map(([, file = '', title = '']) => ({
      row: row.split('|')[1]?.trim() ?? '',
      file: pathOf(file),
      title: title.trim(),
    }))
  })
}

/**
 * A name alone is of the Express adapter; `core/return-to` is in that package, `contract/access/guards` in the
 * contract of adapters; a path is a path.
 */
function pathOf(name: string): string {
  if (name.startsWith('contract/')) return `packages/testing/src/adapter/${name.slice(9)}.ts`
  if (name.startsWith('packages/')) return name
  if (name.startsWith('test/')) return `${name}.test.ts`
  const [folder, ...rest] = name.split('/')
  const file = rest.length > 0 ? rest.join('/') : folder
  if (name.endsWith('.ts')) return `packages/${folder}/test/${file}`
  return `packages/${rest.length > 0 ? folder : 'express'}/test/${file}.test.ts`
}

test.each([
  ['docs/conformance.md', 85],
  ['docs/guides/asvs.md', 60],
  ['docs/peers-coverage.md', 40],
])('every test that %s names is there', (document, atLeast) => {
  const named = namedTests(document)
  const missing = named.filter(
    ({ file, title }) => !existsSync(root + file) || !read(file).includes(title),
  )

  expect(missing).toEqual([])
  expect(named.length).toBeGreaterThanOrEqual(atLeast)
})

test.each(Object.entries(plans))(
  'docs/conformance.md has a row for each module of %s',
  (plan, modules) => {
    const section = read('docs/conformance.md')
      .split(/^##+ /m)
      .find((part) => part.includes(`\`${plan}\``))

    const missing = modules.filter((name) => !section?.includes(`| \`${name}\` `))
    expect(missing).toEqual([])
  },
)
