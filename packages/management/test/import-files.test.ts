import {
  checkRecords,
  createMapping,
  createStates,
  type FileFormat,
  faultsInWords,
  readSource,
} from '@latchkey/management/import'
import { describe, expect, test } from 'vitest'

/** Checks a file as an import does; resolves to the number of its users and the faults of its rows. */
async function check(text: string, named = new Map<string, string>(), format: FileFormat = 'csv') {
  const read = async function* () {
    yield Buffer.from(text)
  }
  const records = readSource({ name: 'users.csv', format, encoding: 'utf8', read })
  const mapping = createMapping(named)
  const states = createStates({ now: Date.now() })
  const options = { mapping, named, states, hashAlgorithm: undefined }
  const faults: string[] = []
  const { rows } = await checkRecords('users.csv', records, options, (line, fault) =>
    faults.push(`line ${line}: ${faultsInWords([fault])}`),
  )
  return { rows, faults }
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
    'line 2: "Email Verified At" is not a date',
  ])
})

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
