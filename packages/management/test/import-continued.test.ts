import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'
import { allUsers, expectMapped, oldTable, write } from './support/old-table.ts'
import { startProxy } from './support/proxy.ts'

/** One user of a role, and one with an md5 hash whose algorithm the file does not name. */
const roles = `user,email,role,plan,password_hash
1,ada@example.com,ghost,none,
2,bob@example.com,user,gold,5ebe2294ecd0e0f08eab7690d2a6ee69
`

/** The entries of the journal of `users.csv`, without its header. */
function journaled({ folder }: Installation): string[] {
  const journal = join(folder, 'users.csv.journal')
  return existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n').slice(1) : []
}

test.each([
  ['many users in a request', 'pass', 1],
  ['one', 'hide', 4],
] as const)(
  'an import of %s with a key that may only read rejects no row, and continues with another key',
  async (_, fate, code) => {
    await using installation = await startInstallation()
    await using proxy = await startProxy(installation.url, (path) =>
      path.startsWith('/x/') ? fate : 'pass',
    )
    const { service, tenantId, run } = installation
    const input = { name: 'reads', reach: [tenantId], readOnly: true }
    const { secret } = await service.admin.createApiKey(input)
    const file = write(installation, 'users.csv', oldTable(3))
    const refused = await run(['users', 'import', file], '', {
      ...{ LATCHKEY_URL: proxy.url, LATCHKEY_API_KEY: secret },
    })
    expect([refused.code, refused.stderr]).toEqual([
      code,
      expect.stringContaining('This API key is read-only'),
    ])
    expect(journaled(installation)).toEqual([])
    const users = createManagementClient({ baseUrl: proxy.url, apiKey: secret }).users(tenantId)
    const imported = Array.fromAsync(users.import([{ profile: { email: 'ada@example.com' } }]))
    await expect(imported).rejects.toMatchObject({ code: 'not_permitted' })

    expect(await run(['users', 'import', file])).toMatchObject({ code: 0 })
    await expectMapped(installation, 3)
  },
)

test('a journal continues no other file, which --update imports', async () => {
  await using installation = await startInstallation()
  const { run } = installation
  const file = write(installation, 'users.csv', oldTable(2))
  await run(['users', 'import', file])
  write(installation, 'users.csv', oldTable(3))
  const { code, stderr } = await run(['users', 'import', file])
  expect(code).toBe(1)
  expect(stderr).toContain('another version of the file')
  expect(stderr).toContain('add --update users.csv.result.csv')
  const updated = await run(['users', 'import', file, '--update', 'users.csv.result.csv'])
  expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining('1 new') })
  await expectMapped(installation, 3)
})

test('a new journal replaces no result of an earlier import', async () => {
  await using installation = await startInstallation()
  const { run, folder } = installation
  const file = write(installation, 'users.csv', oldTable(2))
  const again = ['users', 'import', file, '--journal', 'new.journal']
  expect(await run(['users', 'import', file])).toMatchObject({ code: 0 })
  expect(await run(again)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining(
      'users.csv.result.csv has the ids of an earlier import; name another file with --result',
    ),
  })
  expect(existsSync(join(folder, 'new.journal'))).toBe(false)
  // Both users exist already, so this result has the line of its columns only.
  const other = [...again, '--result', 'new.csv']
  expect(await run(other)).toMatchObject({ code: 3 })
  expect(
    await run([...other.slice(0, 3), '--journal', 'third', '--result', 'new.csv']),
  ).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('0 imported, 2 rejected'),
  })
  await expectMapped(installation, 2)
})

test('a journal is not continued with other flags, and --update imports what they change', async () => {
  await using installation = await startInstallation()
  const { run, folder, url, key, tenantId } = installation
  const file = write(installation, 'users.csv', roles)
  const first = await run(['users', 'import', file])
  expect([first.code, first.stderr]).toEqual([
    3,
    expect.stringContaining('add --update users.csv.result.csv'),
  ])
  expect((await run(['users', 'import', file])).stderr).toContain('Continuing after 2 of 2 rows')
  const other = ['users', 'import', file, '--blocks', 'role=ghost', '--hash-algorithm', 'md5']
  expect(await run(other)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining('of an import with other flags (--blocks, --hash-algorithm)'),
  })
  expect((await allUsers(installation)).map(({ disabled }) => disabled)).toEqual([false])

  const updated = await run([...other, '--update', 'users.csv.result.csv'])
  expect(updated).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 new, 1 changed, 0 unchanged'),
  })
  const [ada, bob] = await allUsers(installation)
  expect([ada?.disabled, bob?.profile.email]).toEqual([true, 'bob@example.com'])
  const client = createManagementClient({ baseUrl: url, apiKey: key })
  expect((await client.credentials(tenantId, bob?.id ?? '').page()).total).toBe(1)

  // Earlier versions kept no flags.
  const journal = join(folder, 'users.csv.journal')
  const [header = '', ...entries] = readFileSync(journal, 'utf8').split('\n')
  const { flags: _, ...earlier } = JSON.parse(header)
  writeFileSync(journal, [JSON.stringify(earlier), ...entries].join('\n'))
  expect((await run(other)).stderr).toContain('Continuing after 2 of 2 rows')
})

test.each([
  [['--blocks', 'role=ghost', '--blocks', 'plan=none']],
  [['--map', 'id=user', '--map', 'profile.name=role']],
])('a journal is continued with the flags %j in another order', async (flags) => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', roles)
  const imported = ['users', 'import', file, '--no-passwords']
  expect(await installation.run([...imported, ...flags])).toMatchObject({ code: 0 })
  const again = [...imported, ...flags.slice(2), ...flags.slice(0, 2)]
  expect(await installation.run(again)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Continuing after 2 of 2 rows'),
  })
})
