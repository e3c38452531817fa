import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkFile,
  fileSource,
  type ImportFile,
  readRows,
} from '../../../management/src/import/check.ts'
import { createMapping } from '../../../management/src/import/mapping.ts'
import { saysState } from '../../../management/src/import/row.ts'
import { readKnownUsers } from '../../../management/src/import/run/known-users.ts'
import { type RowResult, runUpdate } from '../../../management/src/import/run/update.ts'
import { createStates } from '../../../management/src/import/states.ts'
import type { ImportChangeResult } from '../../../management/src/types.ts'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { updateByExport } from '../../src/domain/users/import-changes.ts'
import { importUsers } from '../../src/domain/users/import-user.ts'
import { deleteUser, listUsers, setDisabled, updateUser } from '../../src/domain/users/users.ts'
import type { Scope } from '../../src/domain/writes/context.ts'
import { readUserToImport } from '../../src/http/resources/users-import.ts'
import { readExportedUser } from '../../src/http/resources/users-import-update.ts'
import type { User } from '../../src/store/records.ts'
import { walksToMake } from '../issuer/support/walks.ts'
import { openApi } from '../support/context.ts'

/** A person in an export. Few addresses, so that many move to one that another person has or leaves. */
const person = fc.record({
  address: fc.constantFrom('', 'nobody', ...'abcdef'.split('').map((one) => `${one}@x.example`)),
  name: fc.constantFrom<string>('Ada', 'Grace', 'Lovelace, Ada', ''),
  isBlocked: fc.boolean(),
})

const id = fc.integer({ min: 1, max: 6 }).map(String)

/** An export: people by their old ids; some are in it twice. */
const people = fc.array(fc.tuple(id, person), { maxLength: 7 })

type People = typeof people extends fc.Arbitrary<infer T> ? T : never

/** What happens here between the two exports. */
const event = fc.tuple(fc.constantFrom('block', 'enable', 'rename', 'move', 'delete'), fc.nat(5))

const given = fc.record({
  before: people,
  after: people.filter((all) => all.some(([, { address }]) => address !== '')),
  events: fc.array(event, { maxLength: 4 }),
  saysStates: fc.boolean(),
  hasIds: fc.boolean(),
  hasResult: fc.boolean(),
})

function tableOf(all: People, { saysStates, hasIds }: { saysStates: boolean; hasIds: boolean }) {
  const line = (cells: (string | false)[]) =>
    cells
      .filter((cell) => cell !== false)
      .map((cell) => `"${cell}"`)
      .join(',')
  const rows = all.map(([old, { address, name, isBlocked }]) =>
    line([hasIds && old, address, name, saysStates && String(isBlocked)]),
  )
  return `${[line([hasIds && 'id', 'email', 'name', saysStates && 'blocked']), ...rows].join('\n')}\n`
}

function openFile(path: string): ImportFile {
  return {
    source: fileSource(path, 'csv', 'utf8'),
    mapping: createMapping(new Map()),
    named: new Map(),
    hashAlgorithm: undefined,
    states: createStates({ now: Date.now() }),
  }
}

/** Imports the first export as the command does; answers with the text of its result file. */
async function importFirst(scope: Scope, path: string): Promise<string> {
  const file = openFile(path)
  const { repeated } = await checkFile(file, () => {})
  const rows = await Array.fromAsync(readRows(file))
  const good = rows.filter((row) => row.faults.length === 0 && !repeated.has(row.row))
  const outcomes = await importUsers(
    scope,
    good.map(({ user }) => readUserToImport(user)),
  )
  const lines = outcomes.map((one, at) => {
    const { oldId, user } = good[at] as (typeof good)[number]
    return one.kind === 'created' ? `${oldId},${one.user.id},,${user.profile.email}\n` : ''
  })
  return `old_id,new_id,line,email\n${lines.join('')}`
}

/** Runs an update; answers with the results by row, each of which is told exactly once. */
async function update(
  scope: Scope,
  path: string,
  folder: string,
  result: string | undefined,
  isPreview: boolean,
) {
  const file = openFile(path)
  const { repeated, rows, emptyAllows } = await checkFile(file, () => {})
  const resultFile = join(folder, 'known.csv')
  if (result !== undefined) writeFileSync(resultFile, result)
  const known = await readKnownUsers(
    result === undefined ? undefined : resultFile,
    join(folder, 'none'),
    'none',
  )
  const results = new Map<number, RowResult>()
  const created: string[] = []
  await runUpdate({
    ...{ isPreview, repeated, known, isByAddress: result === undefined },
    saysState: (row) => saysState(row, file, emptyAllows),
    concurrency: 32,
    rows: () => readRows(file),
    signal: new AbortController().signal,
    async update(users) {
      const sent = users.map((user) => {
        const { matchAddress, ...rest } = user
        return readExportedUser({ ...rest, match_address: matchAddress })
      })
      const outcomes = await updateByExport(scope, sent, { isPreview, isOneOperator: false })
      return outcomes.map((one): ImportChangeResult => {
        if (one.kind === 'refused') throw one.cause
        const { kind: status, ...facts } = one
        return { status, ...facts } as ImportChangeResult
      })
    },
    onCreated: ({ oldId, user }, created_) =>
      created.push(`${oldId},${created_},,${user.profile.email}\n`),
    async onRow(row, one) {
      expect(results.has(row.row)).toBe(false)
      results.set(row.row, one)
    },
  })
  // Each row is in one category: the sum is that of the rows.
  expect(results.size).toBe(rows)
  const counts: Record<string, number> = {}
  for (const { status } of results.values()) counts[status] = (counts[status] ?? 0) + 1
  return {
    counts,
    results,
    newResult: result === undefined ? undefined : result + created.join(''),
  }
}

async function usersOf(scope: Scope): Promise<User[]> {
  return (await listUsers(scope, { after: undefined, limit: 100 })).items
}

/** An operator acts. */
async function act(scope: Scope, kind: string, user: User): Promise<void> {
  const { id: userId, profile, metadata, email, disabled } = user
  const input = { email, emailVerified: false, disabled, profile, metadata }
  if (kind === 'block') await setDisabled(scope, userId, true)
  if (kind === 'enable') await setDisabled(scope, userId, false)
  if (kind === 'rename') await updateUser(scope, userId, { ...input, profile: { name: 'Here' } })
  if (kind === 'move')
    await updateUser(scope, userId, { ...input, email: `${userId}@here.example` })
  if (kind === 'delete') await deleteUser(scope, userId)
}

test('an update puts each row into one category, as its preview says, undoes nothing of the present, and changes nothing the second time', async () => {
  await using api = await openApi('memory')
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-update-'))
  const [first, second] = [join(folder, 'first.csv'), join(folder, 'second.csv')]
  let n = 0
  const seen: Record<string, number> = {}
  try {
    await fc.assert(
      fc.asyncProperty(given, async ({ before, after, events, ...options }) => {
        const settings = { ...defaultSettings, domain: `tenant-${n++}.example` }
        const { context } = api.scope
        const admin = { context, actor: { name: 'admin' } }
        const { id: tenantId } = await createTenant(admin, { name: '', metadata: {}, settings })
        const scope: Scope = { ...admin, tenantId }
        writeFileSync(
          first,
          tableOf([...before, ['9', { address: 'z@x.example', name: 'Z', isBlocked: false }]], {
            ...options,
            saysStates: true,
          }),
        )
        const result = await importFirst(scope, first)
        /** Users whom an operator has blocked who was enabled before, and has not enabled since. */
        const blockedHere = new Set<string>()
        for (const [kind, at] of events) {
          const all = await usersOf(scope)
          const user = all[at % all.length]
          if (!user) continue
          await act(scope, kind, user)
          if (kind === 'block' && !user.disabled) blockedHere.add(user.id)
          if (kind === 'enable' || kind === 'delete') blockedHere.delete(user.id)
        }
        const there = new Map((await usersOf(scope)).map((user) => [user.id, user]))
        writeFileSync(second, tableOf(after, options))
        const known = options.hasResult ? result : undefined

        const preview = await update(scope, second, folder, known, true)
        expect(new Map((await usersOf(scope)).map((user) => [user.id, user]))).toEqual(there)
        const done = await update(scope, second, folder, known, false)
        expect(done.counts).toEqual(preview.counts)
        for (const [status, number] of Object.entries(done.counts)) {
          seen[status] = (seen[status] ?? 0) + number
        }
        const now = new Map((await usersOf(scope)).map((user) => [user.id, user]))
        for (const [userId, was] of there) {
          const is = now.get(userId)
          // No user is deleted, and none whom an operator has blocked may log in.
          expect(is).toBeDefined()
          if (blockedHere.has(userId)) expect(is?.disabled).toBe(true)
          if (was.profile.name === 'Here') expect(is?.profile.name).toBe('Here')
          if (was.email.endsWith('@here.example')) expect(is?.email).toBe(was.email)
        }
        // Each row that denies is a user who may not log in, unless an operator has overruled it.
        for await (const { row, user } of readRows(openFile(second))) {
          const outcome = done.results.get(row)
          const isKept =
            outcome === undefined ||
            !('id' in outcome) ||
            ('conflicts' in outcome &&
              outcome.conflicts.some(({ member }) => member !== 'profile.name'))
          if (!user.disabled || isKept) continue
          expect(now.get(outcome.id ?? '')?.disabled).toBe(true)
          if (outcome.status !== 'updated' || !outcome.members.includes('disabled=true')) continue
          // The sessions of that user have ended.
          expect(now.get(outcome.id)?.sessionsValidAfter).toBeGreaterThan(0)
        }
        // Without states, nothing changes about who may log in.
        if (!options.saysStates) {
          for (const [userId, was] of there) expect(now.get(userId)?.disabled).toBe(was.disabled)
        }

        const again = await update(scope, second, folder, done.newResult, false)
        expect([again.counts.created ?? 0, again.counts.updated ?? 0]).toEqual([0, 0])
        expect(new Map((await usersOf(scope)).map((user) => [user.id, user]))).toEqual(now)
      }),
      walksToMake(40),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
  for (const status of ['created', 'updated', 'unchanged', 'conflict', 'faulty']) {
    expect(seen[status], status).toBeGreaterThan(0)
  }
})
