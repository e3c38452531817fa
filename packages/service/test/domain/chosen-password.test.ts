import { createRequire } from 'node:module'
import '@latchkey/service'
import { expect, test } from 'vitest'
import { type Chooser, judgePassword } from '../../src/domain/users/chosen-password.ts'
import { noLeakedPasswords } from '../../src/domain/users/leaked-passwords.ts'

const ada: Chooser = {
  email: 'ada.byron@example.com',
  profile: { name: 'Ada Lovelace', family_name: 'Lovelace' },
  tenant: {
    id: 'ten_1',
    name: 'acme-prod',
    metadata: {},
    settings: { companyName: 'Acme Rockets', domain: 'login.rocketry.example' },
  },
}

const context = { leaks: noLeakedPasswords }

/** Whether the list of common passwords is in memory. */
function isListLoaded(): boolean {
  const { cache } = createRequire(import.meta.url)
  return Object.keys(cache).some((file) => file.includes('language-common'))
}

test('the list of common passwords is loaded for the first password that needs it, not before', async () => {
  expect(isListLoaded()).toBe(false)
  expect(await judgePassword(context, 'short', ada)).toBe('short')
  expect(isListLoaded()).toBe(false)

  await judgePassword(context, 'correct horse battery', ada)

  expect(isListLoaded()).toBe(true)
})

test.each([
  'password1',
  'PassWord1',
  'iloveyou2',
  'trustno1',
  'manchester',
  'MetalliCa',
  'christopher',
  'q1w2e3r4t5y6',
  'jonathan',
  '1qaz2wsx3edc',
  'slipknot666',
  '00000000',
  'passwort123',
  'Sommer2025',
  'aaaaaaaa',
  '        ',
  'abababab',
  'Password123!',
  '!!password123',
])('%s is a common password, in any case', async (password) => {
  expect(await judgePassword(context, password, ada)).toBe('common')
})

test('at least 10,000 passwords of eight characters or more are refused as common', async () => {
  const { loadCommonPasswords } = await import('../../src/domain/users/common-passwords.ts')
  const long = [...(await loadCommonPasswords())].filter((password) => password.length >= 8)

  expect(long.length).toBeGreaterThanOrEqual(10_000)
})

test.each([
  ['the name of the user', 'Ada Lovelace'],
  ['the name of the user with a number', 'adaLovelace1815'],
  ['one part of it', 'Lovelace!'],
  ['the local part of the address', 'Ada.Byron1'],
  ['the company', 'acme rockets'],
  ['the company with a year', 'AcmeRockets2026!'],
  ['a label of the domain', 'rocketry99'],
  ['the name of the tenant', 'Acme-Prod'],
])('a password that is %s is refused', async (_, password) => {
  expect(await judgePassword(context, password, ada)).toBe('name')
})

test.each([
  'correct horse battery',
  'lovelace wrote notes',
  'acme rockets explode on tuesdays',
  '99 red balloons!',
  'loginloginx',
])('the password %s is accepted', async (password) => {
  expect(await judgePassword(context, password, ada)).toBeUndefined()
})

test('names of one or two letters refuse nothing', async () => {
  const names = { ...ada, profile: { name: 'X Æ' }, email: 'x@example.com' }

  expect(await judgePassword(context, 'x æ 20260101 x', names)).toBeUndefined()
})

test('the address itself is refused, in any writing', async () => {
  expect(await judgePassword(context, 'ADA.BYRON@example.com', ada)).toBe('email')
})

test.each(['latchkey1', 'Latchkey!2026', 'LATCHKEY-service', '1latchkey1'])(
  'a password made of the name of the product is refused: %s',
  async (password) => {
    expect(await judgePassword(context, password, ada)).toBe('name')
  },
)
