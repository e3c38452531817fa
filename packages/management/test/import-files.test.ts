import { checkRecords, createMapping, createStates, readSource } from '@latchkey/management/import'
import { describe, expect, test } from 'vitest'

/** Checks a file as an import does; resolves to the number of its users. */
async function usersIn(text: string, named = new Map<string, string>()): Promise<number> {
  const read = async function* () {
    yield Buffer.from(text)
  }
  const records = readSource({ name: 'users.csv', format: 'csv', encoding: 'utf8', read })
  const mapping = createMapping(named)
  const states = createStates({ now: Date.now() })
  const options = { mapping, named, states, hashAlgorithm: undefined }
  const { rows } = await checkRecords('users.csv', records, options, () => {})
  return rows
}

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
