import {
  checkRecords,
  createMapping,
  createStates,
  type FileFault,
  type FileFormat,
  readSource,
} from '@latchkey/management/import'
import { expect, test } from 'vitest'

/** Checks a file as an import does; resolves to its first fault as a whole, if it has any. */
async function faultOf(text: string, named: [string, string][] = [], format: FileFormat = 'csv') {
  const read = async function* () {
    yield Buffer.from(text)
  }
  const records = readSource({ name: 'users.csv', format, encoding: 'utf8', read })
  const flags = new Map(named)
  const states = createStates({ now: Date.now() })
  const options = { mapping: createMapping(flags), named: flags, states, hashAlgorithm: undefined }
  try {
    const { faulty } = await checkRecords('users.csv', records, options, () => {})
    return faulty
  } catch (error) {
    return (error as FileFault).message
  }
}

test.each([
  ['id', 'id,uuid,email', '17,u-17,ada@example.com', 'id', 'uuid'],
  ['email', 'email,mail', 'ada@example.com,other@example.com', 'email', 'mail'],
  ['profile.name', 'email,name,display_name', 'a@x.example,Ada,Grace', 'name', 'display_name'],
  ['hash', 'email,hash,password_hash', 'a@x.example,one,two', 'hash', 'password_hash'],
  ['email_verified', 'email,verified,is_verified', 'a@x.example,1,no', 'verified', 'is_verified'],
])(
  'two columns that disagree about %s are refused, and --map chooses',
  async (target, heading, row, one, other) => {
    const text = `${heading}\n${row}\n`
    expect(await faultOf(text)).toBe(
      `users.csv, line 2: the columns "${one}" and "${other}" are both for ${target}, and their values differ. Choose one of them: --map '${target}=${one}' or --map '${target}=${other}'.`,
    )
    if (target !== 'hash') expect(await faultOf(text, [[target, one]])).toBe(0)
  },
)

test('two columns for one member that agree are taken, and so is one that is empty', async () => {
  expect(await faultOf('email,mail\nAda@example.com,ada@example.com\n')).toBe(0)
  expect(await faultOf('id,uuid,email\n17,17,a@x.example\n,u-18,b@x.example\n')).toBe(0)
  expect(await faultOf('email,verified,is_verified\na@x.example,true,1\n')).toBe(0)
  const json = '{"email":"a@x.example","profile":{"email":"A@x.example"}}'
  expect(await faultOf(json, [], 'ndjson')).toBe(0)
})

test('of columns that say who may log in, each may deny, as before', async () => {
  expect(await faultOf('email,blocked,banned\na@x.example,true,false\n')).toBe(0)
})
