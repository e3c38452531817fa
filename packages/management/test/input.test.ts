import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'

let installation: Installation
let files = 0

beforeAll(async () => {
  installation = await startInstallation()
})

afterAll(() => installation[Symbol.asyncDispose]())

/** Writes a file of this content and imports it. */
async function importOf(content: string | Buffer, name = 'users.json', ...flags: string[]) {
  const file = `${++files}-${name}`
  writeFileSync(join(installation.folder, file), content)
  const { code, stdout, stderr } = await installation.run(['users', 'import', file, ...flags])
  return { code, stdout, stderr: stderr.replaceAll(file, 'FILE').trim() }
}

async function emails(): Promise<string[]> {
  const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
  const users = await Array.fromAsync(client.users(installation.tenantId).list())
  return users.map(({ profile }) => profile.email)
}

const user = (name: string) => JSON.stringify({ email: `${name}@example.com`, name })

test.each([
  ['NDJSON named .json', 'x.json', (a: string, b: string) => `${user(a)}\n${user(b)}\n`],
  ['an array named .csv', 'x.csv', (a: string, b: string) => `[${user(a)},\n ${user(b)}]`],
  ['an array without a name', 'x', (a: string, b: string) => ` \n[\n${user(a)},${user(b)}\n]\n\n`],
  [
    'CSV named .json',
    'x.json',
    (a: string, b: string) => `email\n${a}@example.com\n${b}@example.com`,
  ],
  [
    'CSV after a mark',
    'x.txt',
    (a: string, b: string) => `\uFEFFemail\n${a}@example.com\n${b}@example.com`,
  ],
  ['an array after a mark', 'x', (a: string, b: string) => `\uFEFF[${user(a)},${user(b)}]`],
  ['NDJSON after a mark', 'x', (a: string, b: string) => `\uFEFF${user(a)}\r\n${user(b)}\r\n`],
  [
    'an object with users',
    'x',
    (a: string, b: string) => `{"kind":{"users":[1]},"users":[${user(a)},${user(b)}],"n":[2]}`,
  ],
  [
    'objects over several lines',
    'x.json',
    (a: string, b: string) =>
      [a, b].map((one) => JSON.stringify(JSON.parse(user(one)), null, 2)).join('\n'),
  ],
])('%s is read for what it is, whatever its name says', async (what, name, textOf) => {
  const [a, b] = [
    `${what.replaceAll(' ', '-').toLowerCase()}-1`,
    `${what.replaceAll(' ', '-').toLowerCase()}-2`,
  ]
  expect(await importOf(textOf(a, b), name)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 imported, 0 rejected, 2 rows.'),
  })
  expect(await emails()).toEqual(expect.arrayContaining([`${a}@example.com`, `${b}@example.com`]))
})

test('a single object is a user', async () => {
  expect(await importOf(JSON.stringify(JSON.parse(user('single')), null, 2))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 imported, 0 rejected, 1 row.'),
  })
})

test.each([
  [
    'text that is no table',
    'not json at all',
    'FILE has no user in it: it was read as CSV, and there is no row below its first line.',
  ],
  ['an empty file', '', 'FILE is empty.'],
  [
    'a first line of CSV alone',
    'id,email\n',
    'FILE has no user in it: it was read as CSV, and there is no row below its first line.',
  ],
  ['an empty array', ' [ ]\n', 'FILE has no user in it: its array is empty.'],
  ['an object with no user', '{"users":[]}', 'FILE has no user in it: its array is empty.'],
  [
    'something after the array',
    `[${user('a')}]\n\ngarbage`,
    'FILE, line 3: expected nothing after the end of the array, found "g".',
  ],
  [
    'an array that is cut off',
    `[${user('a')},\n${user('b')}`,
    'FILE ends too early: what begins on line 1 is not closed. Export it again.',
  ],
  [
    'an array that is cut off in a user',
    `[${user('a')},\n{"email":"b@ex`,
    'FILE ends too early: what begins on line 2 is not closed. Export it again.',
  ],
  [
    'an array with a number',
    `[${user('a')},\n7]`,
    'FILE, line 2: expected a user, which begins with {, found "7".',
  ],
  [
    'an array without a comma',
    `[${user('a')}\n${user('b')}]`,
    'FILE, line 2: expected a comma or the end of the array, found "{".',
  ],
  [
    'an array with a comma too many',
    `[${user('a')},\n]`,
    'FILE, line 2: expected a user, which begins with {, found "]".',
  ],
  [
    'a quote that is not closed',
    'email,name\na@example.com,"Ada\nb@example.com,Bob\n',
    'FILE, line 2: a quotation mark is opened and not closed.',
  ],
  [
    'UTF-16',
    Buffer.from(`\uFEFFemail\na@example.com`, 'utf16le'),
    'FILE is UTF-16LE; convert it first: iconv -f UTF-16LE -t UTF-8 FILE > FILE.utf8',
  ],
  [
    'UTF-16 without a mark',
    Buffer.from('email\na@example.com', 'utf16le').swap16(),
    'FILE is UTF-16BE; convert it first: iconv -f UTF-16BE -t UTF-8 FILE > FILE.utf8',
  ],
  [
    'a file of gzip',
    Buffer.from([0x1f, 0x8b, 8, 0]),
    'FILE is compressed by gzip; unpack it first: gunzip -c FILE > FILE.unpacked',
  ],
  [
    'a workbook',
    Buffer.from('PK\x03\x04'),
    'FILE is a ZIP archive or a workbook; unpack it, or save the workbook as CSV in UTF-8.',
  ],
])('%s is a failure, and nothing is imported', async (_, content, sentence) => {
  const before = await emails()
  for (const flags of [[], ['--dry-run']]) {
    const { code, stdout, stderr } = await importOf(content, 'users.json', ...flags)
    expect([code, stdout, stderr]).toEqual([1, '', sentence])
  }
  expect(await emails()).toEqual(before)
})

test('an element that is no object is a fault of its row, with its line', async () => {
  const { code, stderr } = await importOf(`${user('row')}\n[1]\n{"email":\n`, 'x', '--dry-run')
  expect(code).toBe(3)
  expect(stderr).toContain('line 2: is not a JSON object')
  expect(stderr).toContain('line 3: is not JSON')
})

test.each([
  [
    'id,login\n1,ada@example.com\n2,grace@example.com',
    'No column of FILE is known to hold email addresses. "login" looks like it; add --map email=login',
  ],
  [
    'id,nick\n1,ada\n2,grace',
    'No column of FILE is known to hold email addresses, and every user needs one. Name it with --map email=COLUMN; the columns are id, nick.',
  ],
])(
  'a table whose address column has an unknown name gets one error, not one for each row',
  async (content, sentence) => {
    for (const flags of [[], ['--dry-run']]) {
      expect(await importOf(content, 'users.csv', ...flags)).toMatchObject({
        code: 1,
        stderr: sentence,
      })
    }
  },
)

test('the hash of a password is not taken for a password', async () => {
  const before = await emails()
  for (const hash of [
    '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC',
    'md5$salt$0123456789abcdef',
  ]) {
    const { code, stderr } = await importOf(`email,password\nhash@example.com,${hash}`, 'users.csv')
    expect([code, stderr]).toEqual([
      1,
      'FILE, line 2: "password" holds a hash rather than a password; add --map hash=password, or leave passwords out with --no-passwords.',
    ])
  }
  expect(await emails()).toEqual(before)
})

test('a disabled user is imported as disabled', async () => {
  expect(
    (await importOf('email,is_active\noff@example.com,f\non@example.com,t', 'x.csv')).code,
  ).toBe(0)
  const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
  const users = await Array.fromAsync(client.users(installation.tenantId).list())
  const disabled = users.filter((one) => one.disabled).map(({ profile }) => profile.email)
  expect(disabled).toEqual(['off@example.com'])
})
