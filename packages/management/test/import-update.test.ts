import { execFileSync, spawn } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient, type ManagementClient } from '@latchkey/management'
import { expect, onTestFinished, test } from 'vitest'
import { lock } from '../src/import/run/lock.ts'
import { type Installation, startInstallation } from './support/command.ts'
import { createLogIn } from './support/log-in.ts'
import { startProxy } from './support/proxy.ts'

const BCRYPT = '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC'
const BCRYPT_8 = '$2b$08$qye/mWBpocHsTOgoYtQkeuOMOqxlmThs2EnXbo4korRAe4OdZOw6W'
const PASSWORD = 'correct horse'

function write({ folder }: Installation, name: string, lines: readonly string[]): string {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  return name
}

function read({ folder }: Installation, name: string): string[] {
  return readFileSync(join(folder, name), 'utf8').trim().split('\n').slice(1)
}

async function numbers(installation: Installation, args: readonly string[]) {
  const { stdout, stderr } = await installation.run(['users', 'import', ...args, '--json'])
  if (stdout === '') throw new Error(stderr)
  const counts = JSON.parse(stdout)
  const { new: added, changed, unchanged, conflicts, rejected, rows } = counts
  expect(added + changed + unchanged + conflicts + rejected).toBe(rows)
  return counts
}

function usersOf({ url, key, tenantId }: Installation): ReturnType<ManagementClient['users']> {
  return createManagementClient({ baseUrl: url, apiKey: key }).users(tenantId)
}

const heading = 'id,email,name,blocked,password_hash,algorithm'

test('a second export updates what changed after a preview in numbers, and a third run changes nothing', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', [
    heading,
    `1,ada@example.com,Ada,false,${BCRYPT},bcrypt`,
    `2,grace@example.com,Grace,false,${BCRYPT},bcrypt`,
    `3,alan@example.com,Alan,false,${BCRYPT},bcrypt`,
    `4,left@example.com,Left,false,${BCRYPT},bcrypt`,
    `5,same@example.com,Same,false,${BCRYPT},bcrypt`,
  ])
  expect(await installation.run(['users', 'import', file])).toMatchObject({ code: 0 })
  const users = usersOf(installation)
  const ids = new Map(
    read(installation, 'users.csv.result.csv').map(
      (line) => line.split(',', 2) as [string, string],
    ),
  )
  // Alan logs in, and an operator gives Grace another name.
  const logIn = await createLogIn(installation)
  expect(await logIn('alan@example.com', PASSWORD)).toMatch(/code=/)
  await users.update(ids.get('2') ?? '', (user) => ({
    ...user,
    profile: { ...user.profile, name: 'Rear Admiral' },
  }))

  const newer = write(installation, 'newer.csv', [
    heading,
    // The address of the first one has gone to a new user, whose row comes before.
    `6,ada@example.com,Another,false,${BCRYPT},bcrypt`,
    `1,ada@new.example,Ada L.,false,${BCRYPT_8},bcrypt`,
    `2,grace@example.com,Grace H.,true,${BCRYPT},bcrypt`,
    `3,alan@example.com,Alan,false,${BCRYPT_8},bcrypt`,
    `5,same@example.com,Same,false,${BCRYPT},bcrypt`,
    `7,no address,Seven,false,${BCRYPT},bcrypt`,
  ])
  const args = [newer, '--update', 'users.csv.result.csv']
  const expected = {
    ...{ new: 1, changed: 2, unchanged: 1, conflicts: 1, rejected: 1, rows: 6 },
    ...{ blocked: 1, gone: 1, kept: { 'profile.name': 1, password: 1 } },
    members: { 'profile.email': 1, 'profile.name': 1, password: 1, 'disabled=true': 1 },
  }
  const preview = await numbers(installation, [...args, '--dry-run'])
  expect(preview).toMatchObject(expected)
  expect((await Array.fromAsync(users.list())).length).toBe(5)
  expect(await numbers(installation, args)).toMatchObject(expected)

  const review = read(installation, 'newer.csv.review.csv').map((line) => line.split(','))
  expect(
    review.map(([what, , old, , , member, reason]) => [what, old, member, reason]).sort(),
  ).toEqual([
    ['blocked', '2', 'disabled', ''],
    ['conflict', '2', 'profile.name', 'changed_here'],
    ['conflict', '3', 'password', 'logged_in_here'],
    ['gone', '4', '', 'has no row in the export'],
  ])
  const all = await Array.fromAsync(users.list())
  expect(all.map(({ profile, disabled }) => [profile.email, profile.name, disabled])).toEqual([
    ['ada@new.example', 'Ada L.', false],
    ['grace@example.com', 'Rear Admiral', true],
    ['alan@example.com', 'Alan', false],
    ['left@example.com', 'Left', false],
    ['same@example.com', 'Same', false],
    ['ada@example.com', 'Another', false],
  ])
  // The new result has all ids, those of gone users included.
  expect(read(installation, 'newer.csv.result.csv')).toHaveLength(6)

  const again = await numbers(installation, [newer, '--update', 'newer.csv.result.csv'])
  expect(again).toMatchObject({ new: 0, changed: 0, unchanged: 3, conflicts: 2, rejected: 1 })
})

test('addresses that were passed on in a chain arrive in one run, and those that were swapped are conflicts', async () => {
  await using installation = await startInstallation()
  const rows = ['1,a@x.example', '2,b@x.example', '3,c@x.example', '4,d@x.example', '5,e@x.example']
  const file = write(installation, 'users.csv', ['id,email', ...rows])
  await installation.run(['users', 'import', file])
  const newer = write(installation, 'newer.csv', [
    ...['id,email', '1,b@x.example', '2,c@x.example', '3,new@x.example'],
    ...['4,e@x.example', '5,d@x.example'],
  ])
  const args = [newer, '--update', 'users.csv.result.csv']
  const expected = { changed: 3, conflicts: 2, members: { 'profile.email': 3 } }
  expect(await numbers(installation, [...args, '--dry-run'])).toMatchObject(expected)
  expect(await numbers(installation, args)).toMatchObject(expected)
  expect(await numbers(installation, args)).toMatchObject({
    changed: 0,
    unchanged: 3,
    conflicts: 2,
  })
})

test('hashes of other systems come with a newer export, of new users and of those who have another one by now', async () => {
  await using installation = await startInstallation()
  const hashOf = (password: string): string =>
    `pbkdf2_sha256$1000$salt$${pbkdf2Sync(password, 'salt', 1_000, 32, 'sha256').toString('base64')}`
  const first = ['id,email,hash', `1,ada@example.com,${hashOf('the first one')}`]
  await installation.run(['users', 'import', write(installation, 'users.csv', first)])
  const newer = write(installation, 'newer.csv', [
    'id,email,hash',
    `1,ada@example.com,${hashOf('the second one')}`,
    `2,grace@example.com,${hashOf('brought later')}`,
  ])
  const args = [newer, '--update', 'users.csv.result.csv']
  expect(await numbers(installation, args)).toMatchObject({
    ...{ new: 1, changed: 1, members: { password: 1 } },
  })
  const logIn = await createLogIn(installation)
  expect(await logIn('ada@example.com', 'the first one')).not.toContain('code=')
  expect(await logIn('ada@example.com', 'the second one')).toContain('code=')
  expect(await logIn('grace@example.com', 'brought later')).toContain('code=')
})

test('an export that says nothing about who may log in unblocks nobody, and one without ids is matched by address', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', ['email,blocked', 'ada@example.com,true'])
  await installation.run(['users', 'import', file])
  const newer = write(installation, 'newer.csv', ['email,name', 'ada@example.com,Ada'])
  const run = await installation.run(['users', 'import', newer, '--update'])
  expect(run.stdout).toContain('0 new, 1 changed, 0 unchanged, 0 conflicts, 0 rejected: 1 row.')
  expect(run.stdout).toContain('Gone from the export: not known')
  expect(run.stderr).toContain('No column says who may log in')
  const [user] = await Array.fromAsync(usersOf(installation).list())
  expect(user).toMatchObject({ disabled: true, profile: { name: 'Ada' } })
})

test.each<[string, string[], string[], boolean[]]>([
  ['is_active', ['false', 'false'], ['', 'true'], [true, false]],
  ['status', ['banned', 'banned'], ['', 'active'], [true, false]],
  ['banned_until', ['2199-01-01', '2199-01-01'], ['', '2020-01-01'], [false, false]],
  ['banned_until,is_active', ['2199-01-01,true', ',false'], [',', ',true'], [true, false]],
])(
  'users without a value in the columns %s are enabled only where that means so',
  async (columns, before, after, disabled) => {
    await using installation = await startInstallation()
    const table = (cells: string[]) => [
      `id,email,${columns}`,
      ...cells.map((cell, n) => `${n},user-${n}@example.com,${cell}`),
    ]
    await installation.run(['users', 'import', write(installation, 'users.csv', table(before))])
    const states = async () =>
      (await Array.fromAsync(usersOf(installation).list())).map((user) => user.disabled)
    expect(await states()).toEqual([true, true])
    const newer = write(installation, 'newer.csv', table(after))
    await installation.run(['users', 'import', newer, '--update', 'users.csv.result.csv'])
    expect(await states()).toEqual(disabled)
  },
)

test.each(['premium_until', 'premium_until=2099-01-01'])(
  'a column allowed by --allows %s enables no blocked user',
  async (flag) => {
    await using installation = await startInstallation()
    const file = write(installation, 'users.csv', [
      'id,email,blocked',
      '5,ada@example.com,true',
      '6,grace@example.com,false',
    ])
    await installation.run(['users', 'import', file])
    const newer = write(installation, 'newer.csv', [
      'id,email,premium_until',
      '5,ada@example.com,2099-01-01',
      '6,grace@example.com,',
    ])
    const args = ['users', 'import', newer, '--update', 'users.csv.result.csv', '--allows', flag]
    const run = await installation.run(args)
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('2 unchanged') })
    expect(run.stderr).toContain('No column says who may log in: users stay disabled or enabled')
    const all = await Array.fromAsync(usersOf(installation).list())
    expect(all.map(({ disabled }) => disabled)).toEqual([true, false])
  },
)

test.each<[string, string[]]>([
  ['a run', []],
  ['a preview', ['--dry-run']],
])(
  'while an update is running, %s of the same file leaves its files alone',
  async (_what, more) => {
    await using installation = await startInstallation()
    const { folder } = installation
    write(installation, 'users.csv', ['id,email', '1,ada@example.com'])
    await installation.run(['users', 'import', 'users.csv'])
    write(installation, 'newer.csv', ['id,email', '1,ada@example.com', '2,grace@example.com'])
    const parts = ['newer.csv.review.csv.part', 'newer.csv.rejects.csv.part']
    for (const part of parts) write(installation, part, ['written by the first one'])
    const release = lock(join(folder, 'newer.csv.update.journal.lock'))
    const args = ['users', 'import', 'newer.csv', '--update', 'users.csv.result.csv', ...more]
    expect(await installation.run(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is running this import'),
    })
    for (const part of parts) {
      expect(readFileSync(join(folder, part), 'utf8')).toBe('written by the first one\n')
    }
    expect(existsSync(join(folder, 'newer.csv.review.csv'))).toBe(false)
    release()
    expect(await installation.run(args)).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, 'newer.csv.update.journal.lock'))).toBe(false)
  },
)

test.each([
  ['an update', '--review', ['--update', 'users.csv.result.csv']],
  ['an update', '--rejects', ['--update', 'users.csv.result.csv']],
  ['an update', '--result', ['--update', 'users.csv.result.csv']],
  ['a preview', '--review', ['--update', 'users.csv.result.csv', '--dry-run']],
  ['an import', '--rejects', []],
  ['an import', '--result', []],
])(
  '%s with a journal of its own does not write the file of another one: %s',
  async (_, flag, more) => {
    await using installation = await startInstallation()
    const { folder } = installation
    write(installation, 'users.csv', ['id,email', '1,ada@example.com'])
    await installation.run(['users', 'import', 'users.csv'])
    const newer = write(installation, 'newer.csv', ['id,email', '1,ada@example.com'])
    write(installation, 'shared.csv.part', ['written by the first one'])
    const release = lock(join(folder, 'shared.csv.lock'))
    const args = ['users', 'import', newer, ...more, '--journal', 'own', flag, 'shared.csv']
    const refused = await installation.run(args)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Process ${process.pid} is writing shared.csv`),
    })
    expect(readFileSync(join(folder, 'shared.csv.part'), 'utf8')).toBe('written by the first one\n')
    expect(existsSync(join(folder, 'own'))).toBe(false)
    release()
    expect((await installation.run(args)).stderr).not.toContain('is writing')
    expect(readdirSync(folder).filter((name) => /\.(lock|part)/.test(name))).toEqual([])
  },
)

test('an update sends no more requests at a time than --concurrency says', async () => {
  await using installation = await startInstallation()
  const rows = Array.from({ length: 450 }, (_, n) => `${n},user-${n}@example.com`)
  const file = write(installation, 'users.csv', ['id,email', ...rows])
  expect(await installation.run(['users', 'import', file])).toMatchObject({ code: 0 })
  let underWay = 0
  let most = 0
  await using proxy = await startProxy(installation.url, async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setTimeout(resolve, 200))
    underWay--
    return 'pass' as const
  })
  const args = ['users', 'import', file, '--update', 'users.csv.result.csv', '--concurrency', '1']
  const updated = await installation.run(args, '', { LATCHKEY_URL: proxy.url })
  expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining('450 unchanged') })
  expect(most).toBe(1)
})

test('a file that is no result of an import is refused, and so is --review without --update', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', ['email', 'ada@example.com'])
  const wrong = await installation.run(['users', 'import', file, '--update', file])
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no new_id') })
  const missing = await installation.run(['users', 'import', file, '--update', 'no.csv'])
  expect(missing.stderr).toContain('There is no file no.csv')
  const usage = await installation.run(['users', 'import', file, '--review', 'x.csv'])
  expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining('--review is for') })
})

test('the journal of an update is not used for another tenant', async () => {
  await using installation = await startInstallation()
  const { service, tenantId, url } = installation
  const other = await service.admin.createTenant({ domain: 'other.localhost' })
  const { secret } = await service.admin.createApiKey({
    name: 'both tenants',
    reach: [tenantId, other.id],
  })
  write(installation, 'users.csv', ['id,email', '1,ada@example.com'])
  write(installation, 'newer.csv', ['id,email', '1,ada@example.com', '12,grace@example.com'])
  const flags = ['--api-key', secret, '--tenant']
  for (const [tenant, result] of [
    [tenantId, 'first.csv'],
    [other.id, 'second.csv'],
  ] as const) {
    const files = ['--journal', `${result}.journal`, '--result', result]
    const imported = ['users', 'import', 'users.csv', ...flags, tenant, ...files]
    expect(await installation.run(imported)).toMatchObject({ code: 0 })
  }
  const update = (tenant: string, result: string, ...more: string[]) =>
    installation.run([
      ...['users', 'import', 'newer.csv', '--update', result, ...flags, tenant, ...more],
    ])
  expect(await update(tenantId, 'first.csv')).toMatchObject({ code: 0 })
  for (const more of [[], ['--dry-run']]) {
    expect(await update(other.id, 'second.csv', ...more)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'newer.csv.update.journal is of an import of another tenant; name others with --journal and --result to start over.',
      ),
    })
  }
  expect(await update(other.id, 'second.csv', '--journal', 'second.journal')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 new'),
  })
  const client = createManagementClient({ baseUrl: url, apiKey: secret })
  expect((await client.users(other.id).page()).total).toBe(2)
})

test('an update whose review has a reader that goes away ends with the counts until then, and the same command continues', async () => {
  await using installation = await startInstallation()
  const { folder, run } = installation
  const count = 1_000
  // The list of them is longer than a pipe and the buffers of the command can hold.
  const domain = `${'long.'.repeat(40)}example.com`
  const table = (isBlocked: boolean) => [
    'id,email,blocked',
    ...Array.from({ length: count }, (_, n) => `${n},user-${n}@${domain},${isBlocked}`),
  ]
  const file = write(installation, 'users.csv', table(false))
  expect(await run(['users', 'import', file])).toMatchObject({ code: 0 })
  const newer = write(installation, 'newer.csv', table(true))
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const reader = spawn('head', ['-n', '5', fifo])
  onTestFinished(() => void reader.kill())

  const update = ['users', 'import', newer, '--update', 'users.csv.result.csv']
  const stopped = await run([...update, '--review', 'fifo'])
  expect(stopped).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(
      /The reader of fifo stopped before everything was written\.\nInterrupted; the same command continues\.\n$/,
    ),
    stdout: expect.stringMatching(
      /^0 new, \d+ changed, 0 unchanged, .* rejected: \d+ of 1000 rows\.\n$/,
    ),
  })
  expect(stopped.stderr).not.toContain('    at ')
  expect(existsSync(join(folder, 'newer.csv.result.csv'))).toBe(false)

  const changed = Number(/(\d+) changed/.exec(stopped.stdout)?.[1])
  const numbersAfter = { new: 0, changed: count - changed, unchanged: changed, rejected: 0 }
  expect(await numbers(installation, update.slice(2))).toMatchObject(numbersAfter)
  expect(read(installation, 'newer.csv.result.csv')).toHaveLength(count)
})
