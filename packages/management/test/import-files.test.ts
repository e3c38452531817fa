import {
  checkRecords,
  createMapping,
  createStates,
  type FileFormat,
  faultsInWords,
  readSource,
  toRow,
} from '@latchkey/management/import'
import { describe, expect, test } from 'vitest'

/** The records of a file, and the options to read them. */
function sourceOf(text: string, named: Map<string, string>, format: FileFormat) {
  const read = async function* () {
    yield Buffer.from(text)
  }
  const records = readSource({ name: 'users.csv', format, encoding: 'utf8', read })
  const mapping = createMapping(named)
  const states = createStates({ now: Date.now() })
  return { records, options: { mapping, named, states, hashAlgorithm: undefined } }
}

/** Checks a file as an import does; resolves to the number of its users and the faults of its rows. */
async function check(text: string, named = new Map<string, string>(), format: FileFormat = 'csv') {
  const { records, options } = sourceOf(text, named, format)
  const faults: string[] = []
  const { rows } = await checkRecords('users.csv', records, options, (line, fault) =>
    faults.push(`line ${line}: ${faultsInWords([fault])}`),
  )
  return { rows, faults }
}

async function rowsIn(text: string) {
  const { records, options } = sourceOf(text, new Map(), 'csv')
  return (await Array.fromAsync(records)).map((record, n) => toRow(n, record, options))
}

const usersIn = async (text: string, named?: Map<string, string>) => (await check(text, named)).rows

const faultsIn = async (text: string, format?: FileFormat) =>
  (await check(text, undefined, format)).faults

test.each([
  ['of Firebase', 'A1,ada@example.com,true\nB2,bob@example.com,false\nC3,carol@example.com,true\n'],
  ['with semicolons', '"ada@example.com";Ada\n"bob@example.com";Bob\n'],
])(
  'a file %s without names of columns is refused, so that its first user is not lost',
  async (_name, text) => {
    const refused = /first line of users\.csv has an email address/
    await expect(usersIn(text)).rejects.toThrow(refused)
    await expect(usersIn(text, new Map([['email', 'ada@example.com']]))).rejects.toThrow(refused)
    await expect(usersIn(text)).rejects.not.toThrow(/ada@/)
  },
)

test.each(['sep=;', '"sep=;"', 'SEP=;'])('a first line %s of Excel is skipped', async (first) => {
  expect(await usersIn(`${first}\r\nemail;name\r\nada@example.com;Ada\r\n`)).toBe(1)
})

describe('a quotation mark that breaks the file is found in its line', () => {
  const lines = [
    'email,name',
    'a@example.com,A',
    'b@example.com,B',
    'c@example.com,C',
    'd@example.com,D',
  ]

  test.each([2, 3, 4, 5])('%i, within a value', async (line) => {
    const text = lines.with(line - 1, 'x@example.com,x"y').join('\n')
    await expect(usersIn(text)).rejects.toThrow(`line ${line}: a quotation mark stands within`)
  })

  test.each([2, 3, 4, 5])('%i, which is not closed', async (line) => {
    const text = lines.with(line - 1, 'x@example.com,"y').join('\n')
    await expect(usersIn(text)).rejects.toThrow(`line ${line}: a quotation mark is opened`)
  })

  test('behind a value of several lines', async () => {
    const text = 'email,name\n"a@example.com","one\ntwo"\nb@example.com,x"y\n'
    await expect(usersIn(text)).rejects.toThrow('line 4: a quotation mark stands within')
  })
})

describe('two columns of one name are refused, as one of them may deny:', () => {
  test.each([
    ['side by side', 'email,blocked,blocked\na@example.com,true,false\n'],
    ['apart, with a space', 'blocked;email;blocked \ntrue;a@example.com;false\n'],
  ])('%s', async (_name, text) => {
    await expect(usersIn(text)).rejects.toThrow(/columns \d and \d have the same name/)
  })

  test('of columns without a name, each is one of its own', async () => {
    expect(await usersIn('email,,\na@example.com,x,y\n')).toBe(1)
  })
})

describe('lines of headings are told apart from users:', () => {
  const users = 'ada@example.com,Ada\ngrace@example.com,Grace\n'

  test.each([
    ['a title', `Export of all users\nemail,name\n${users}`, 2],
    ['a title and its groups', `Users,\nContact,Person\nE-Mail,name\n${users}`, 3],
  ])('%s above them is refused, with the line of the names', async (_name, text, line) => {
    await expect(usersIn(text)).rejects.toThrow(`names of the columns are in line ${line}`)
  })

  test.each([
    ['again', 'email,name\n'],
    ['in another language', 'E-Mail,Vorname\n'],
  ])('headings that stand there %s are rejected as one row', async (_name, again) => {
    expect(await faultsIn(`email,name\n${again}${users}${again}`)).toEqual([
      expect.stringMatching(/^line 2: has names of columns/),
      expect.stringMatching(/^line 5: has names of columns/),
    ])
  })

  test.each([
    ['a number', '17,Ada,\n18,Grace,grace@example.com\n'],
    ['a hash', 'Ada,$2b$10$abcdefghijklmnopqrstuv,\nGrace,x,grace@example.com\n'],
    ['a flag in German', 'e-mail,Ada,FALSCH\ngrace@example.com,Grace,WAHR\n'],
    ['a flag', 'Ada,false,\nGrace,true,grace@example.com\n'],
    ['no address at all', 'Ada,Lovelace,\nGrace,Hopper,grace@example.com\n'],
  ])('a first user with %s does not become a heading', async (_name, text) => {
    const refused = usersIn(text)
    await expect(refused).rejects.toThrow(/[Cc]olumn \d|no names of columns/)
    await expect(refused).rejects.not.toThrow(/Ada|\$2b|17/)
  })
})

test.each([
  ['a comma in a table of semicolons', 'email;name\na@example.com;Lovelace, Ada\n'],
  ['a separator that the first line names', 'sep=|\nemail|name\na@example.com|Lovelace, Ada\n'],
  ['lines that are empty but for separators', 'email;name\n;\na@example.com;Ada\n;\n;\n'],
  ['line ends of two kinds', 'email;name\r\na@example.com;Ada\nb@example.com;Bob\n'],
  ['line ends of the other two kinds', 'email;name\na@example.com;Ada\r\nb@example.com;Bob\r\n'],
])('a file with %s has no faults', async (_name, text) => {
  expect(await faultsIn(text)).toEqual([])
  expect(await usersIn(text)).toBe((text.match(/@/g) ?? []).length)
})

test('a fault names the column of the file', async () => {
  expect(await faultsIn('mail,verified,blocked,confirmed\na@,maybe,true,\n')).toEqual([
    'line 2: "mail" is not an email address',
    'line 2: "verified" is neither true nor false',
  ])
  expect(await faultsIn('email,Email Verified At\na@example.com,maybe\n')).toEqual([
    'line 2: "Email Verified At" is not a date such as 2024-01-31, with or without a time',
  ])
})

test.each([
  ['2024-03-05', '2024-03-05T00:00:00Z'],
  ['2024-03-05 16:35', '2024-03-05T16:35:00Z'],
  ['2024-03-05 16:35:16', '2024-03-05T16:35:16Z'],
  ['2024-03-05 16:35:16.775123+00', '2024-03-05T16:35:16.775123+00:00'],
  ['2024-03-05 16:35:16-0530', '2024-03-05T16:35:16-05:30'],
  ['2024-03-05 16:35:16 UTC', '2024-03-05T16:35:16Z'],
  ['2024-03-05T16:35:16.1234567Z', '2024-03-05T16:35:16.1234567Z'],
  ['2024-02-29T16:35:16+02:00', '2024-02-29T16:35:16+02:00'],
])('the date of verification %s is read in the form of the API', async (date, at) => {
  const rows = await rowsIn(`email,email_verified_at\na@example.com,${date}\n`)
  const profile = { email: 'a@example.com', email_verified: true }
  expect(rows).toMatchObject([{ user: { profile, verified_at: at }, faults: [] }])
})

test.each([
  '0',
  'NULL',
  'false',
  '0000-00-00 00:00:00',
  '0001-01-01 00:00:00',
  '0001-01-01T00:00:00Z',
  '1900-01-01',
  '1969-12-31 19:00:00-05',
  '1970-01-01T00:00:00Z',
  '1970-01-01 01:00:00',
])('the date of verification %s stands for an address that was never verified', async (date) => {
  const rows = await rowsIn(
    `email,email_verified,verified_at\na@example.com,,${date}\nb@example.com,true,${date}\n`,
  )
  expect(rows.map(({ user, faults }) => [user, faults])).toEqual([
    [{ profile: { email: 'a@example.com' } }, []],
    [{ profile: { email: 'b@example.com', email_verified: true } }, []],
  ])
})

test.each([
  '1',
  '17',
  '2024',
  '1709656516',
  '1709656516775',
  '05.03.2024',
  '3/5/2024',
  'March 5, 2024',
  'infinity',
  '2024-02-30',
  '2024-03-05 25:00:00',
  '2024-03-05 16:35:16 CET',
  '2024-03-05x',
])('the date of verification %s is a fault, and is not guessed at', async (date) => {
  const text = `email,email_verified_at\na@example.com,"${date}"\n`
  expect(await faultsIn(text)).toEqual([
    'line 2: "email_verified_at" is not a date such as 2024-01-31, with or without a time',
  ])
})

test.each(['false', '0', 'nein', 'other@example.com'])(
  'a date of verification beside the flag %s is a fault',
  async (flag) => {
    const text = `email,email_verified,verified_at\na@example.com,${flag},2024-03-05\n`
    expect(await faultsIn(text)).toEqual([
      'line 2: has a date of verification, but "email_verified" says that it is not verified',
    ])
    expect(await faultsIn(text.replace(flag, 'null'))).toEqual([])
  },
)

test('a member that an object has twice is a fault of the row', async () => {
  const twice = '{"email":"a@example.com","blocked":true,"blocked":false}\n'
  const nested =
    '{"email":"a@example.com","profile":{"email":"b@example.com"},"profile.email":"c@example.com"}\n'
  expect(await faultsIn(twice + nested, 'ndjson')).toEqual([
    'line 1: has a member twice',
    'line 2: has a member twice',
  ])
  const quoted = '{"email":"a@example.com","name":"say \\"name\\": yes \u2028"}\n'
  expect(await faultsIn(quoted, 'ndjson')).toEqual([])
})
