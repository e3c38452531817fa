import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { LatchkeyErrorCode } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { CODES } from '../packages/core/src/errors/codes.ts'
import { REMEDIES } from '../packages/core/src/errors/remedies.ts'
import { statusOfCode } from '../packages/service/src/domain/writes/errors.ts'
import { root } from '../scripts/packages.ts'

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** Codes and environment variables: whatever begins so in the sources is one or the other. */
const words = new Set(
  globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap(
    (file) => read(file).match(/\bLATCHKEY_[A-Z_]+\b/g) ?? [],
  ),
)
const variables = new Set(read('docs/environment.md').match(/\bLATCHKEY_[A-Z_]+\b/g))
/** The variables that name a file in place of a secret. */
const secrets = new Set(
  globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap((file) =>
    [
      ...read(file).matchAll(
        /\bSecretOption\([\s\S]*?\.env\(\s*'(\w+)'|\bsecret\(\s*'(\w+)'|\bSECRET = '(\w+)'/g,
      ),
    ]
      .map(([, ...names]) => `${names.find(Boolean)}_FILE`)
      // The address of the application's Redis is in a variable of the application.
      .filter((name) => name.startsWith('LATCHKEY_')),
  ),
)
const sections = read('docs/errors.md').split(/^### /m).slice(1)
const entries = new Map(sections.map((text) => [text.slice(0, text.indexOf('\n')), text] as const))

describe('docs/errors.md', () => {
  test('has an entry for every code in the sources of the packages', () => {
    const codes = [...words].filter((word) => !variables.has(word))
    const missing = [...codes, ...Object.keys(statusOfCode)].filter((code) => !entries.has(code))
    expect(missing).toEqual([])
  })

  test('has one entry for a code', () => {
    expect(entries.size).toBe(sections.length)
  })

  test('has no entry for a code that no package has', () => {
    const stale = [...entries.keys()].filter((code) => !words.has(code) && !(code in statusOfCode))
    expect(stale).toEqual([])
  })

  test('lists every code of the kit with its status and meaning', () => {
    const expected = Object.entries(CODES).map(([code, { is }]) => {
      const link = `[${code}](#${code.toLowerCase()})`
      return `| ${link} | ${statusOf(code) ?? 'log'} | ${is} |`
    })
    const table = read('docs/errors.md').match(/^\| \[LATCHKEY_.*$/gm) ?? []
    expect(table.map((row) => row.replace(/ +/g, ' '))).toEqual(expected)
  })

  test.for(Object.entries(CODES))('says of %s what the log says', ([code, { remedy }]) => {
    const said = /\*\*What to do:\*\* ([\s\S]*?)(\n\n|$)/.exec(entries.get(code) ?? '')?.[1]
    const text = said?.replace(/\s+/g, ' ').trim() ?? ''
    expect(text.charAt(0).toUpperCase() + text.slice(1)).toBe(remedy)
  })

  test.for(Object.entries(REMEDIES))('has the remedy of each cause of %s', ([code, remedies]) => {
    const text = (entries.get(code) ?? '').replace(/\s+/g, ' ')
    const all = Object.values(remedies).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one),
    )
    for (const remedy of all) expect(text).toContain(remedy)
  })

  test.for([...entries])('says of %s what to do, and the right status', ([code, text]) => {
    expect(text).toMatch(/^\*\*What to do:\*\* \S/m)
    const status = statusOf(code)
    if (status !== undefined) expect(text).toMatch(new RegExp(`\\b[Ss]tatus ${status}\\b`))
  })
})

test('the README of testing lists every code of a TestingError', () => {
  const listed = new Set(read('packages/testing/README.md').match(/\bLATCHKEY_TEST_[A-Z_]+\b/g))
  const codes = [...words].filter((word) => /^LATCHKEY_TEST_[A-Z]/.test(word))
  expect(codes.length).toBeGreaterThan(5)
  expect(codes.filter((code) => !listed.has(code))).toEqual([])
})

test('docs/environment.md names no variable that the sources do not read', () => {
  const isRead = (name: string): boolean => words.has(name) || secrets.has(name)
  expect([...variables].filter((name) => !isRead(name))).toEqual([])
})

test('docs/environment.md names the file of every secret', () => {
  expect([...secrets].filter((name) => !variables.has(name))).toEqual([])
})

const threats = [...read('docs/guides/security.md').matchAll(/\| `(\S+\.ts)`: (.+?) +\|$/gm)]

test('every threat of docs/guides/security.md has a test', () => {
  const rows = read('docs/guides/security.md').match(/^\| (?!Threat|-)/gm) ?? []
  expect(threats).toHaveLength(rows.length)
})

test.for(threats.map(([, file = '', name = '']) => ({ file, name })))(
  '$file has the test "$name", which docs/guides/security.md names',
  ({ file, name }) => {
    expect(read(`packages/${file}`)).toContain(name)
  },
)

function statusOf(code: string): number | undefined {
  if (code in statusOfCode) return statusOfCode[code as keyof typeof statusOfCode]
  return CODES[code as LatchkeyErrorCode]?.status
}
