import { once } from 'node:events'
import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { expect, test } from 'vitest'
import { startInstallation } from './support/command.ts'
import {
  allUsers,
  BCRYPT,
  expectMapped,
  killAfter,
  legacyTable,
  oldTable,
  PASSWORD,
  rowsOf,
  write,
} from './support/old-table.ts'
import { startProxy } from './support/proxy.ts'

test('an import continues, both with many users in a request and with one', async () => {
  await using installation = await startInstallation()
  await using oneByOne = await startProxy(installation.url, (path) =>
    path.startsWith('/x/') ? 'hide' : 'pass',
  )
  const rows = 200
  const file = write(installation, 'users.csv', oldTable(rows))
  for (const [url, users] of [
    [oneByOne.url, 45],
    [installation.url, 40],
    [oneByOne.url, 40],
  ] as const) {
    const child = installation.start(['users', 'import', file], { LATCHKEY_URL: url })
    await killAfter(child, installation, users)
  }
  expect(await installation.run(['users', 'import', file])).toMatchObject({ code: 0 })

  await expectMapped(installation, rows)
  const { url, key, tenantId } = installation
  const client = createManagementClient({ baseUrl: url, apiKey: key })
  const totals = rowsOf(installation, 'users.csv.result.csv').map(
    async ([, id = '']) => (await client.credentials(tenantId, id).page()).total,
  )
  expect(new Set(await Promise.all(totals))).toEqual(new Set([1]))
})

test.each([
  ['pass', 'User 1'],
  ['lose', 'Somebody else'],
] as const)(
  'a user who signs up during an import is not taken for one of it (%s)',
  async (fate, name) => {
    await using installation = await startInstallation()
    const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
    const users = client.users(installation.tenantId)
    await using proxy = await startProxy(installation.url, async (_, n) => {
      // The first POST asks whether the service takes many users in a request.
      if (n === 1) await users.create({ profile: { email: 'user-1@example.com', name } })
      return n === 1 ? fate : 'pass'
    })
    const file = write(installation, 'users.csv', oldTable(50))
    const child = installation.start(['users', 'import', file], { LATCHKEY_URL: proxy.url })
    expect(await once(child, 'exit')).toEqual([3, null])

    expect((await users.page()).total).toBe(50)
    expect(rowsOf(installation, 'users.csv.result.csv')).toHaveLength(49)
    expect(rowsOf(installation, 'users.csv.rejects.csv')).toEqual([
      ['3', 'old-1', 'user-1@example.com', expect.stringContaining('already_exists')],
    ])
  },
)

test('a dry run names every fault with its line, in the order of lines, and changes nothing', async () => {
  await using installation = await startInstallation()
  const file = write(
    installation,
    'users.csv',
    [
      'id,email,name,password_hash,algorithm',
      `1,ada@example.com,"Ada\nLovelace",${BCRYPT},`,
      `2,nonsense,Bob,short,md5`,
      `3,ADA@example.com,Ada again,,`,
      `4,eve@example.com,Eve,${BCRYPT.replace('$10$', '$14$')},bcrypt`,
      `1,dan@example.com,Dan,,`,
      `6,fay@example.com`,
    ].join('\n'),
  )
  const { code, stdout, stderr } = await installation.run(['users', 'import', file, '--dry-run'])
  expect(code).toBe(3)
  expect(stdout).toContain('1 of 6 rows can be imported')
  const faults = stderr.split('\n').filter((line) => line.startsWith('line'))
  expect(faults).toEqual([
    'line 4: "email" is not an email address',
    'line 4: has a hash that is not md5: 32 hexadecimal digits, or base64 of 16 bytes',
    'line 5: has the email address of line 2',
    'line 6: has a bcrypt hash of cost 14; accepted are 8 to 12',
    'line 7: has the id of line 2',
    'line 8: has 2 columns, the first line has 5',
  ])
  expect(await allUsers(installation)).toEqual([])
  expect(readdirSync(installation.folder).sort()).toEqual(['data', 'users.csv'])
})

test('a dry run needs no service, and only the preview of an update needs one', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', 'email\nada@example.com\n')
  const run = (...flags: string[]) =>
    installation.run(['users', 'import', file, ...flags], '', {
      LATCHKEY_URL: '',
      LATCHKEY_API_KEY: '',
    })
  expect(await run('--dry-run')).toMatchObject({
    code: 0,
    stdout: '1 of 1 row can be imported.\n',
  })
  for (const flags of [['--dry-run', '--update'], []]) {
    expect(await run(...flags)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("error: required option '--url <url>' not specified"),
    })
  }
})

const SCRYPT = `0123456789abcdef0123456789abcdef:${'83e6bf72'.repeat(16)}`

test.each([
  {
    name: 'clerk.csv',
    head: 'id,primary_email_address,password_digest,password_hasher',
    kept: `1,ada@example.com,${BCRYPT},bcrypt`,
    refused: `2,eve@example.com,${SCRYPT},scrypt_werkzeug`,
  },
  {
    name: 'better-auth.csv',
    head: 'id,email,password',
    kept: `1,ada@example.com,${PASSWORD}`,
    refused: `2,eve@example.com,${SCRYPT}`,
  },
])(
  'rows of $name whose hash is not supported are rejected, and imported from a file of their own with --no-passwords',
  async ({ name, head, kept, refused }) => {
    await using installation = await startInstallation()
    const file = write(installation, name, `${head}\n${kept}\n${refused}\n`)
    expect((await installation.run(['users', 'import', file])).code).toBe(3)
    const rejects = rowsOf(installation, `${name}.rejects.csv`)
    expect(rejects.map((row) => row.slice(0, 3))).toEqual([['3', '2', 'eve@example.com']])

    const rest = write(installation, 'rest.csv', `${head}\n${refused}\n`)
    expect((await installation.run(['users', 'import', rest, '--no-passwords'])).code).toBe(0)
    const { url, key, tenantId } = installation
    const client = createManagementClient({ baseUrl: url, apiKey: key })
    const passwords: Record<string, number> = {}
    for (const { id, profile } of await allUsers(installation)) {
      passwords[String(profile.email)] = (await client.credentials(tenantId, id).page()).total
    }
    expect(passwords).toEqual({ 'ada@example.com': 1, 'eve@example.com': 0 })
  },
)

test.each([
  [
    'users.csv',
    (name: string) => `email,name\r\nada@example.com,Ada\r\njose@example.com,${name}\r\n`,
  ],
  ['users.ndjson', (name: string) => `\n\n{"email":"jose@example.com","name":"${name}"}\n`],
  ['users.json', (name: string) => `[\n\n{"email":"jose@example.com","name":"${name}"}]`],
])(
  '%s that is not UTF-8 is refused with its line, and read as Latin-1 when told',
  async (name, textOf) => {
    await using installation = await startInstallation()
    const file = join(installation.folder, name)
    writeFileSync(file, textOf('José'), 'latin1')
    const refused = await installation.run(['users', 'import', file])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `${file}, line 3: this is not UTF-8. If it is Latin-1, say --encoding latin1.\n`,
    ])
    expect(await allUsers(installation)).toEqual([])

    expect((await installation.run(['users', 'import', file, '--encoding', 'latin1'])).code).toBe(0)
    expect((await allUsers(installation)).map(({ profile }) => profile.name)).toContain('José')
  },
)

test('a name is made of the first and the last name, where the table has no whole one', async () => {
  await using installation = await startInstallation()
  const rows = ['ada@x.test,Ada,Lovelace', 'plato@x.test,Plato,', 'cher@x.test,,Sarkisian']
  write(installation, 'u.csv', `email,first_name,last_name\n${rows.join('\n')}\n`)
  write(installation, 'v.csv', 'email,first_name,name\neve@x.test,Eve,Eve of Acme\n')
  for (const file of ['u.csv', 'v.csv']) {
    expect((await installation.run(['users', 'import', file])).code).toBe(0)
  }
  const named = (await allUsers(installation)).map(({ profile }) => [
    profile.name,
    profile.given_name,
  ])
  expect(named.sort()).toEqual([
    ['Ada Lovelace', 'Ada'],
    ['Eve of Acme', 'Eve'],
    ['Plato', 'Plato'],
    ['Sarkisian', undefined],
  ])
})

test('a character that is split between two chunks of a file is read, and a later fault has the right line', async () => {
  await using installation = await startInstallation()
  const long = `ada@example.com,${'é'.repeat(200_000)}\n`
  const good = write(installation, 'good.csv', `email,names\n${long}`)
  const dryRun = await installation.run(['users', 'import', good, '--dry-run'])
  expect([dryRun.code, dryRun.stdout]).toEqual([0, '1 of 1 row can be imported.\n'])

  const bad = Buffer.concat([
    Buffer.from(`email,names\n${long}`),
    Buffer.from('eve@example.com,\xe9', 'latin1'),
  ])
  writeFileSync(join(installation.folder, 'bad.csv'), bad)
  const { stderr } = await installation.run(['users', 'import', 'bad.csv', '--dry-run'])
  expect(stderr).toContain('bad.csv, line 3: this is not UTF-8')
})

test('a column that --map names and no row has is an error, and nothing is imported', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', 'login,mail\nada,ada@example.com')
  const { code, stderr } = await installation.run(['users', 'import', file, '--map', 'id=user_no'])
  expect(code).toBe(1)
  expect(stderr).toContain(
    '--map id=user_no: no row has anything in a column "user_no". Columns that go nowhere: login.',
  )
  expect(await allUsers(installation)).toEqual([])
})

test('rejected rows are in a file of their own, with line and reason, and the others are imported', async () => {
  await using installation = await startInstallation()
  const file = write(
    installation,
    'users.ndjson',
    [
      { user_id: 'a', mail: 'ada@example.com', firstName: 'Ada', password: PASSWORD },
      { user_id: 'b', mail: 'nobody' },
      { user_id: 'c', mail: 'Ada@Example.com' },
    ]
      .map((row) => JSON.stringify(row))
      .join('\n'),
  )
  const { code } = await installation.run(['users', 'import', file])
  expect(code).toBe(3)
  expect(rowsOf(installation, `${file}.rejects.csv`)).toEqual([
    ['2', 'b', 'nobody', '"""mail"" is not an email address"'],
    ['3', 'c', 'Ada@Example.com', 'has the email address of line 1'],
  ])
  const [user, ...others] = await allUsers(installation)
  expect(user?.profile).toMatchObject({ email: 'ada@example.com', given_name: 'Ada' })
  expect(others).toEqual([])
})

test('a table of German Excel without ids is matched by the lines and addresses of the result', async () => {
  await using installation = await startInstallation()
  const table =
    'Vorname;Nachname;E-Mail-Adresse;Passwort;Gesperrt;E-Mail bestätigt\r\nAda;Lovelace;ada@example.com;correct horse battery;FALSCH;WAHR\r\nGrace;Hopper;grace@example.com;;WAHR;FALSCH\r\n'
  const file = write(installation, 'users.csv', `\uFEFF${table}`)
  expect(await installation.run(['users', 'import', file])).toMatchObject({ code: 0 })
  const users = (await allUsers(installation)).sort((one, other) =>
    one.profile.email < other.profile.email ? -1 : 1,
  )
  expect(
    users.map(({ profile, disabled }) => [profile.name, profile.email_verified, disabled]),
  ).toEqual([
    ['Ada Lovelace', true, false],
    ['Grace Hopper', false, true],
  ])
  expect(readFileSync(join(installation.folder, `${file}.result.csv`), 'utf8').split('\n')).toEqual(
    [
      'old_id,new_id,line,email',
      ...users.map(({ id, profile }, n) => `,${id},${n + 2},${profile.email}`),
      '',
    ],
  )
})

test('a user who was there before is rejected, not taken for one of the import', async () => {
  await using installation = await startInstallation()
  const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
  await client
    .users(installation.tenantId)
    .create({ profile: { email: 'user-1@example.com', name: 'Somebody else' } })
  const file = write(installation, 'users.csv', oldTable(3))
  expect((await installation.run(['users', 'import', file])).code).toBe(3)
  expect(rowsOf(installation, `${file}.rejects.csv`)).toEqual([
    ['3', 'old-1', 'user-1@example.com', expect.stringContaining('already_exists')],
  ])
})

test('a continued import does not take a user for its own who was there before it began', async () => {
  await using installation = await startInstallation()
  const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
  const users = client.users(installation.tenantId)
  const same = { email: 'user-1@example.com', name: 'User 1' }
  const { created_at } = await users.create({ profile: same })
  const begun = Date.parse(created_at) + 1_000
  while (Date.now() < begun) await new Promise((resolve) => setTimeout(resolve, 20))

  const file = write(installation, 'users.csv', oldTable(3))
  await installation.run(['users', 'import', file])
  const journal = join(installation.folder, `${file}.journal`)
  const [header] = readFileSync(journal, 'utf8').split('\n')
  const first = { row: 0, line: 2, old: 'old-0', id: 'usr_0', state: 'done' }
  writeFileSync(journal, `${header}\n${JSON.stringify(first)}\n`)
  await installation.run(['users', 'import', file])
  const mapping = rowsOf(installation, `${file}.result.csv`)
  expect(mapping.map(([old]) => old).sort()).toEqual(['old-0', 'old-2'])
  expect(rowsOf(installation, `${file}.rejects.csv`)).toMatchObject([{ 1: 'old-1' }])
})

test('an import that meets the rate limit of the service loses nothing', async () => {
  await using installation = await startInstallation(150)
  await using oneByOne = await startProxy(installation.url, (path) =>
    path.startsWith('/x/') ? 'hide' : 'pass',
  )
  const file = write(installation, 'users.csv', oldTable(150))
  const child = installation.start(['users', 'import', file], { LATCHKEY_URL: oneByOne.url })
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await allUsers(installation)).toHaveLength(150)
})

test('neither the journal nor the files beside it hold a password or a hash', async () => {
  await using installation = await startInstallation()
  const rows = [
    { id: 1, email: 'ada@example.com', password: 'swordfish-1' },
    { id: 2, email: 'bob@example.com', hash: BCRYPT },
    { id: 3, email: 'broken', password: 'swordfish-3' },
  ]
  const file = write(installation, 'users.json', JSON.stringify(rows, null, 2))
  const { stdout, stderr } = await installation.run(['users', 'import', file])
  const written = ['journal', 'result.csv', 'rejects.csv']
    .map((name) => readFileSync(join(installation.folder, `${file}.${name}`), 'utf8'))
    .join('')
  for (const secret of ['swordfish', BCRYPT, installation.key]) {
    expect(written + stdout + stderr).not.toContain(secret)
  }
  expect(await allUsers(installation)).toHaveLength(2)
})

test('users whose common request a proxy refuses are sent one by one', async () => {
  await using installation = await startInstallation()
  // The first POST asks whether the service takes many users in a request.
  await using proxy = await startProxy(installation.url, (path, n) =>
    path.startsWith('/x/') && n > 0 ? 'refuse' : 'pass',
  )
  const file = write(installation, 'users.csv', oldTable(5))
  const child = installation.start(['users', 'import', file], { LATCHKEY_URL: proxy.url })
  expect(await once(child, 'exit')).toEqual([0, null])
  await expectMapped(installation, 5)
})

test.each([
  ['one by one', oldTable(5), 1],
  ['in a request of each', legacyTable(3), 2],
])(
  'users of a request without a response, which are then sent %s, are taken for their own',
  async (_, table, lost) => {
    await using installation = await startInstallation()
    // The first POST asks whether the service takes many users, the next one whether it takes
    // hashes of other systems.
    await using proxy = await startProxy(installation.url, (path, n) => {
      if (n === lost) return 'lose'
      return n === lost + 1 || (lost === 1 && n > lost && path.startsWith('/x/'))
        ? 'refuse'
        : 'pass'
    })
    const file = write(installation, 'users.csv', table)
    const child = installation.start(['users', 'import', file], { LATCHKEY_URL: proxy.url })
    expect(await once(child, 'exit')).toEqual([0, null])
    await expectMapped(installation, table.trim().split('\n').length - 1)
    expect(rowsOf(installation, `${file}.rejects.csv`)).toEqual([])
  },
)

test.each([
  ['one by one', oldTable(3), 1],
  ['in a request of each', legacyTable(3), 2],
])(
  'a user of a request without a response who is refused by a proxy, sent %s, may have been created, as the file of rejected rows says',
  async (_, table, lost) => {
    await using installation = await startInstallation()
    await using proxy = await startProxy(installation.url, (__, n) => {
      if (n === lost) return 'lose'
      return n > lost ? 'refuse' : 'pass'
    })
    const file = write(installation, 'users.csv', table)
    const child = installation.start(['users', 'import', file], { LATCHKEY_URL: proxy.url })
    expect(await once(child, 'exit')).toEqual([3, null])
    const rejects = rowsOf(installation, `${file}.rejects.csv`)
    expect(rejects).toHaveLength(3)
    for (const reject of rejects) {
      expect(reject.at(-1)).toMatch(
        /unknown: 413; an earlier request without a response may have created it$/,
      )
    }
  },
)

test('no output file of an import overwrites its input', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', oldTable(2))
  const { code, stderr } = await installation.run([
    'users',
    'import',
    file,
    '--result',
    './users.csv',
  ])
  expect(code).toBe(2)
  expect(stderr).toBe(
    '--result must be a file of its own: ./users.csv is the same file as users.csv (FILE).\n',
  )
  expect(readFileSync(join(installation.folder, file), 'utf8')).toBe(oldTable(2))
})

test('links are followed before two paths of an import are taken for two files', async () => {
  await using installation = await startInstallation()
  const { folder, run } = installation
  const at = (name: string) => join(folder, name)
  const known = ['old_id,new_id,line,email', 'old-0,usr_0,2,user-0@example.com', ''].join('\n')
  const texts = { 'users.csv': oldTable(2), 'users.csv.journal': '', 'known.csv': known }
  for (const [name, text] of Object.entries(texts)) write(installation, name, text)
  symlinkSync('users.csv', at('to-file'))
  symlinkSync(at('users.csv.journal'), at('to-journal'))
  symlinkSync('known.csv', at('to-known'))
  symlinkSync('folder/users.csv.result.csv', at('to-new'))
  symlinkSync('.', at('folder'))
  linkSync(at('users.csv'), at('hard'))
  const names = readdirSync(folder).sort()
  const update = ['--update', 'known.csv']

  for (const [options, sentence] of [
    [['--rejects', 'to-file'], '--rejects must be a file of its own: to-file is the same file as'],
    [['--rejects', 'hard'], 'hard is the same file as users.csv (FILE).'],
    [['--rejects', 'folder/users.csv'], 'folder/users.csv is the same file as users.csv (FILE).'],
    [['--journal', 'to-file'], 'to-file is the same file as users.csv (FILE).'],
    [['--result', 'to-journal'], 'is the same file as users.csv.journal (--journal).'],
    // The file that this link names does not exist yet.
    [['--rejects', 'to-new'], 'to-new is the same file as users.csv.result.csv (--result).'],
    [[...update, '--review', 'to-file'], 'to-file is the same file as users.csv (FILE).'],
    [[...update, '--rejects', 'to-known'], 'to-known is the same file as known.csv (--update).'],
    [[...update, '--result', 'to-known'], 'to-known is the same file as known.csv (--update).'],
    [[...update, '--review', 'x', '--rejects', './x'], 'x is the same file as ./x (--rejects).'],
  ] as const) {
    const { code, stderr } = await run(['users', 'import', 'users.csv', ...options])
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
  }
  expect(readdirSync(folder).sort()).toEqual(names)
  for (const [name, text] of Object.entries(texts)) {
    expect([name, readFileSync(at(name), 'utf8')]).toEqual([name, text])
  }
  expect(await allUsers(installation)).toEqual([])
})

test('no lock or temporary file of an import takes the place of its input', async () => {
  await using installation = await startInstallation()
  const { folder, run } = installation
  for (const name of ['x.part', 'x.lock']) write(installation, name, oldTable(2))
  write(installation, 'y.lock', 'a note\n')
  const names = readdirSync(folder).sort()
  for (const [file, options, sentence] of [
    [
      'x.part',
      ['--result', 'x'],
      'The temporary file of --result must be a file of its own: x.part',
    ],
    ['x.lock', ['--result', 'x'], 'x.lock is the same file as x.lock (FILE).'],
    ['x.lock', ['--journal', 'x'], 'The lock of --journal must be a file of its own: x.lock is'],
    ['x.lock', ['--journal', '/dev/null'], '--journal must be a file, from which an import'],
  ] as const) {
    const { code, stderr } = await run(['users', 'import', file, ...options])
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
  }
  const { code, stderr } = await run(['users', 'import', 'x.part', '--rejects', 'y'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('y.lock is not a lock of an import; rename it, or name other files.'),
  ])
  expect(readdirSync(folder).sort()).toEqual(names)
  expect(readFileSync(join(folder, 'x.part'), 'utf8')).toBe(oldTable(2))
  expect(readFileSync(join(folder, 'x.lock'), 'utf8')).toBe(oldTable(2))
  expect(readFileSync(join(folder, 'y.lock'), 'utf8')).toBe('a note\n')
})

test('an import whose results cannot be written says how many users it has imported', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', oldTable(2))
  const { code, stdout, stderr } = await installation.run([
    ...['users', 'import', file, '--result', '/dev/full'],
  ])
  expect(code).toBe(4)
  expect(stdout).toBe('2 imported, 0 rejected, 2 rows.\n')
  expect(stderr).toMatch(/\/dev\/full.*\nInterrupted; the same command continues\.\n$/)
  expect(await installation.run(['users', 'import', file])).toMatchObject({
    code: 0,
    stdout: '2 imported, 0 rejected, 2 rows.\nNew ids: users.csv.result.csv\n',
  })
})

test('an import can write several results to one device', async () => {
  await using installation = await startInstallation()
  const file = write(installation, 'users.csv', oldTable(2))
  const results = ['--result', '/dev/null', '--rejects', '/dev/null']
  const imported = ['users', 'import', file, ...results]
  expect(await installation.run(imported)).toMatchObject({ code: 0 })
  const updated = await installation.run([...imported, '--update', '--review', '/dev/null'])
  expect(updated).toMatchObject({ code: 0, stdout: expect.stringContaining('2 unchanged') })
  expect(await allUsers(installation)).toHaveLength(2)
})
