import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../src/issuer')

/** The files of the issuer in which a pattern occurs. */
function filesWith(pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => pattern.test(readFileSync(join(folder, name), 'utf8')))
    .sort()
}

test('only one function finishes a login, after all proofs', () => {
  expect(filesWith(/\blogin: \{|\baccountId: user\.id,\s+ts/)).toEqual([
    'interaction/progress/finish.ts',
  ])
  expect(filesWith(/\bfinishLogin\b/)).toEqual([
    'interaction/progress/finish.ts',
    'interaction/progress/login-progress.ts',
  ])
  expect(filesWith(/\binteractionFinished\b|\binteractionResult\b/)).toEqual([])
  // In the engine, what oidc-provider does after the login is added to, and not called.
  const others = filesWith(/\bloginAccount\b/).filter((name) => !name.startsWith('engine/'))
  expect(others).toEqual([])
  expect(filesWith(/\.loginAccount\(/)).toEqual([])
})
