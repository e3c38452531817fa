import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = globSync('{*.md,packages/*/*.md,docs/**/*.md}', { cwd: root })
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

const quotes = documents.flatMap((document) =>
  [...read(document).matchAll(/<!-- (\S+) -->\n```\w+\n(.*?)```/gs)].map(([, source, text]) => ({
    document,
    source: source as string,
    text,
  })),
)

test.for(quotes)('the code in $document is that of $source', ({ source, text }) => {
  expect(text).toBe(read(source))
})

test.for(documents)('every link of %s to a file leads to one', (document) => {
  const targets = [...read(document).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(
    ([, path]) => path,
  )
  const missing = targets.filter(
    (path) => globSync(resolve(root, dirname(document), path as string)).length === 0,
  )
  expect(missing).toEqual([])
})

test('the example of the service in process prints the user it created', () => {
  const output = execFileSync(
    process.execPath,
    ['--conditions=latchkey-source', 'examples/in-process/src/main.ts'],
    { cwd: root, encoding: 'utf8' },
  )
  expect(output).toContain("type: 'User'")
  expect(output).toContain("email: 'ada@example.com'")
})

test('the example of the management client runs against a service in process', () => {
  const output = execFileSync(
    process.execPath,
    ['--conditions=latchkey-source', 'examples/management/src/main.ts'],
    { cwd: root, encoding: 'utf8' },
  )
  expect(output).toContain('ada@example.com blocked gold')
})
