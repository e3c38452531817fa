import { FileFault, formatOf, readSource } from '@latchkey/management/import'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  beginImport,
  checkImport,
  getImport,
  importParts,
  uploadImport,
} from '../../src/domain/operators/import-jobs.ts'
import { fileReason } from '../../src/domain/operators/import-records.ts'
import { takeStep } from '../../src/domain/operators/jobs.ts'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { listUsers } from '../../src/domain/users/users.ts'
import type { Scope } from '../../src/domain/writes/context.ts'
import { ServiceError } from '../../src/domain/writes/errors.ts'
import { sentenceIn } from '../../src/domain/writes/reasons/index.ts'
import { readUserToImport } from '../../src/http/resources/users-import.ts'
import { readExportedUser } from '../../src/http/resources/users-import-update.ts'
import { walksToMake } from '../issuer/support/walks.ts'
import { openApi } from '../support/context.ts'

/** A person of the old system. */
interface Person {
  address: string
  name: string
  isBlocked: boolean
}

const person: fc.Arbitrary<Person> = fc.record({
  // Few addresses, so that some are there twice, or were there before; some are none at all.
  address: fc.constantFrom(
    '',
    'nobody',
    'e-mail',
    ...'abcdefgh'.split('').map((one) => `${one}@x.example`),
  ),
  name: fc.oneof(
    fc.constantFrom(
      'Ada',
      'Lovelace, Ada',
      'a;b',
      'a "b"',
      'one\ntwo',
      'line\u2028end',
      'email',
      '17',
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  ),
  isBlocked: fc.boolean(),
})

/** A column, with its value for people who must not log in and for the others. */
type State = readonly [column: string, blocked: string, free: string]

const shape = fc.record({
  format: fc.constantFrom('csv', 'csv', 'csv', 'json', 'ndjson', 'users'),
  separator: fc.constantFrom(',', ';', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  isQuoted: fc.boolean(),
  isNamed: fc.boolean(),
  encoding: fc.constantFrom('plain', 'plain', 'plain', 'mark', 'utf-16'),
  email: fc.constantFrom(
    'email',
    'E-Mail',
    'Email Address',
    'E-Mail-Adresse',
    'primary_email_address',
  ),
  blocked: fc.constantFrom<State>(
    ['blocked', 'true', 'false'],
    ['Gesperrt', 'WAHR', 'FALSCH'],
    ['is_banned', '1', '0'],
    ['isSuspended', 'True', 'False'],
    ['Locked', 'on', 'off'],
    ['status', 'SUSPENDED', 'ACTIVE'],
    ['Account Status', 'closed', 'NULL'],
    ['banned_until', '4070908800000', '2020-01-01 00:00:00+00'],
    ['locked_until', 'infinity', ''],
    ['deleted_at', '2020-01-01', '0000-00-00'],
    ['accountNonLocked', 'false', 'true'],
    ['userAccountControl', '514', '512'],
    ['is_active', 'nein', 'ja'],
    // Refused, as only its values say it.
    ['role', 'banned', 'member'],
  ),
  above: fc.constantFrom('', '', '', 'Users', 'Users,,', 'Contact;Person;State', 'no heading'),
  again: fc.constantFrom('', '', '', 'blocked', 'name'),
  repeated: fc.boolean(),
  empty: fc.nat(2),
})

type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

/** The file as it leaves the old system. */
function fileOf(people: readonly Person[], given: Shape): Buffer {
  const text = given.format === 'csv' ? tableOf(people, given) : jsonOf(people, given)
  const marked = given.encoding === 'plain' ? text : `\uFEFF${text}`
  return Buffer.from(marked, given.encoding === 'utf-16' ? 'utf16le' : 'utf8')
}

function tableOf(people: readonly Person[], given: Shape): string {
  const { separator, lineEnd, isQuoted, isNamed, above, again, repeated, empty } = given
  const cell = (text: string) =>
    isQuoted || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  const line = (cells: string[]) => cells.map(cell).join(separator)
  const heading = line([given.email, 'name', given.blocked[0], ...(again ? [again] : [])])
  const rows = people.map(({ address, name, isBlocked }) =>
    line([address, name, given.blocked[isBlocked ? 1 : 2], ...(again ? ['false'] : [])]),
  )
  const title = above === '' || above === 'no heading' ? [] : [above]
  return [
    ...(isNamed ? [`sep=${separator}`] : []),
    ...title,
    ...(above === 'no heading' ? [] : [heading]),
    ...rows.flatMap((row) => [...Array(empty).fill(''), row]),
    ...(repeated ? [heading] : []),
    ...Array(empty).fill(separator),
  ].join(lineEnd)
}

function jsonOf(people: readonly Person[], { format, again, empty, ...given }: Shape): string {
  const objects = people.map(({ address, name, isBlocked }) => {
    const [column, blocked, free] = given.blocked
    const text = JSON.stringify({
      [given.email]: address,
      name,
      [column]: isBlocked ? blocked : free,
    })
    return again === 'blocked' ? text.replace(/}$/, `,"${column}":"${free}"}`) : text
  })
  if (format === 'ndjson')
    return objects.join(`${given.lineEnd.replace(/^\r$/, '\n')}${'\n'.repeat(empty)}`)
  return format === 'json' ? `[${objects}]` : `{"users":[${objects}]}`
}

/** Imports a file as the console does; `undefined` if it is refused before anything is written. */
async function importFile(scope: Scope, bytes: Buffer) {
  const { context } = scope
  async function* read() {
    yield bytes
  }
  const step = async () => {
    const held = await context.store.jobs.claim(60)
    if (!held) throw new Error('No job waits.')
    const help = {
      support: {} as never,
      readUser: readUserToImport,
      readChange: readExportedUser,
    }
    await takeStep(context, help, held, () => false)
    await context.store.jobs.keep(held, 0)
  }
  try {
    const format = formatOf('users', bytes)
    const records = readSource({ name: 'users', format, encoding: 'utf8', read })
    const { id } = await uploadImport(scope, 'users', records)
    const choices = { columns: {}, algorithm: '', withoutPasswords: false, firebase: '' }
    await checkImport(scope, await getImport(scope, id), choices)
    await step()
    const checked = await getImport(scope, id)
    if (!checked.progress.check) return { refusal: checked.progress.problem ?? '' }
    await beginImport(scope, checked)
    await step()
    const job = await getImport(scope, id)
    const parts = await importParts(scope, job, 0)
    return { job, faults: parts.flatMap(({ result }) => result.faults) }
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error.message }
    // What cannot be read at all is refused before it is uploaded.
    if (error instanceof FileFault) return { refusal: sentenceIn('en', fileReason(error)) }
    throw error
  }
}

/** A tenant of its own for each file. */
async function aTenant({ context, actor }: Scope, n: number): Promise<Scope> {
  const settings = { ...defaultSettings, domain: `tenant-${n}.example` }
  const { id } = await createTenant({ context, actor }, { name: '', metadata: {}, settings })
  return { context, actor, tenantId: id }
}

test('an import loses no row, frees no blocked person and takes no user for a heading', async () => {
  await using api = await openApi('memory')
  let refused = 0
  let imported = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 1, maxLength: 6 }),
      shape,
      async (people, given) => {
        // A first row `e-mail,Ada,ACTIVE` or `,email,` may be names, and no user is lost with it.
        const [{ address: start = '', name: second = '' } = {}] = people
        const isLikeNames = start === 'e-mail' || (second === 'email' && !start.includes('@'))
        fc.pre(given.above !== 'no heading' || !isLikeNames)
        const scope = await aTenant(api.scope, refused + imported)
        const before = { email: 'a@x.example' }
        await importFile(scope, Buffer.from(`email\n${before.email}\n`))
        const result = await importFile(scope, fileOf(people, given))
        const { items } = await listUsers(scope, { after: undefined, limit: 100 })
        const found = new Map(items.map((user) => [user.email, user]))
        if (result.refusal !== undefined) {
          refused++
          expect(items).toHaveLength(1)
          const addresses = people.map(({ address }) => address).filter((one) => one.includes('@'))
          expect(addresses.filter((one) => result.refusal.includes(one))).toEqual([])
          return
        }
        imported++
        const { job, faults } = result
        const { created, existing, refused: rejected } = job.progress
        const headings = given.format === 'csv' && given.repeated ? 1 : 0
        // A line of nothing but separators is an empty one.
        const rows = people.filter(
          ({ address, name, isBlocked }) =>
            given.format !== 'csv' ||
            given.again !== '' ||
            [address, name, given.blocked[isBlocked ? 1 : 2]].some((cell) => cell.trim() !== ''),
        )
        expect(created + existing + rejected).toBe(rows.length + headings)
        expect(rejected).toBe(faults.length)
        expect(items).toHaveLength(1 + created)
        // Each address is that of its first row, or was there before.
        for (const { address, isBlocked } of people.toReversed()) {
          const first = people.find((one) => one.address === address)
          if (!address.includes('@') || first?.isBlocked !== isBlocked) continue
          const user = found.get(address)
          const isFault = given.again === 'blocked'
          expect(user !== undefined || isFault).toBe(true)
          if (user && address !== before.email) expect(user.disabled).toBe(isBlocked)
        }
      },
    ),
    walksToMake(100),
  )
  expect(imported).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})
