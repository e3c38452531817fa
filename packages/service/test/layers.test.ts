import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../src')

test('code outside the domain reads and writes data through the domain', () => {
  const files = [
    'operate/{admin,seed}.ts',
    'service.ts',
    '{cli,console,http,issuer,mail,pages,server}/**/*.ts',
  ]
  const ofStore =
    /\bstore\??\.(tenants|applications|users|credentials|apiKeys|signingKeys|audit|cursors|foreignVersion)\b/
  const found = globSync(files, { cwd: source })
  expect(found.length).toBeGreaterThan(80)
  expect(found.filter((file) => ofStore.test(readFileSync(join(source, file), 'utf8')))).toEqual([])
})

test('statements of stores that several releases share name their columns', () => {
  const files = globSync('store/{sql,postgres}/**/*.ts', { cwd: source })
  expect(files.length).toBeGreaterThan(30)
  const every = /\b(select|returning) \*/i
  expect(files.filter((file) => every.test(readFileSync(join(source, file), 'utf8')))).toEqual([])
})
