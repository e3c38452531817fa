import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import {
  checkRecords,
  createMapping,
  createStates,
  type FileFormat,
  type RowOptions,
  readSource,
  toRow,
} from '@latchkey/management/import'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StateOptions } from '../src/import/states.ts'
import { type Installation, startInstallation } from './support/command.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')

function options(flags: Partial<StateOptions> = {}): RowOptions {
  const named = new Map()
  const states = createStates({ now: NOW, ...flags })
  return { mapping: createMapping(named), named, hashAlgorithm: undefined, states }
}

function recordsOf(format: FileFormat, text: string) {
  const read = async function* () {
    yield Buffer.from(text)
  }
  return readSource({ name: 'users', format, encoding: 'utf8', read })
}

/** The state of each user of a file after its import. */
async function statesOf(format: FileFormat, text: string, flags: Partial<StateOptions> = {}) {
  const records = recordsOf(format, text)
  const rowOptions = options(flags)
  const states: Record<string, string> = {}
  for await (const record of records) {
    const { user, unclear } = toRow(0, record, rowOptions)
    const name = user.profile.email.split('@')[0] ?? ''
    states[name] = user.disabled ? 'disabled' : unclear.length > 0 ? 'unclear' : 'free'
  }
  return states
}

const csv = (columns: string, free: string, denied: string, sep = ',') =>
  `email${sep}${columns}\nfree@example.com${sep}${free}\ndenied@example.com${sep}${denied}\n`

const json = (free: object, denied: object) =>
  JSON.stringify([
    { email: 'free@example.com', ...free },
    { email: 'denied@example.com', ...denied },
  ])

const FUTURE = '2099-01-01 00:00:00+00'
const PAST = '2025-01-01 00:00:00+00'

describe('a user whom the old system has shut out is imported disabled, and the others are not:', () => {
  test.each<[shape: string, format: FileFormat, text: string]>([
    ['Auth0, blocked', 'json', json({ blocked: false }, { blocked: true })],
    [
      'ASP.NET Identity, LockoutEnd',
      'csv',
      csv('LockoutEnabled,LockoutEnd', `1,${PAST}`, `1,${FUTURE}`),
    ],
    [
      'Better Auth, banned with a reason',
      'csv',
      csv('banned,ban_reason,ban_expires', 'false,,', 'true,spam,'),
    ],
    ['Clerk, locked', 'csv', csv('banned,locked', 'false,false', 'false,true')],
    ['Clerk, banned', 'csv', csv('banned,locked', 'false,false', 'true,false')],
    [
      'Cognito, Enabled and UserStatus',
      'json',
      json({ Enabled: true, UserStatus: 'CONFIRMED' }, { Enabled: false, UserStatus: 'CONFIRMED' }),
    ],
    [
      'Cognito, a compromised user',
      'json',
      json(
        { Enabled: true, UserStatus: 'FORCE_CHANGE_PASSWORD' },
        { Enabled: true, UserStatus: 'COMPROMISED' },
      ),
    ],
    ['Devise, locked_at', 'csv', csv('locked_at,failed_attempts', ',0', `${PAST},5`)],
    ['Discourse, suspended_till', 'csv', csv('suspended_till', '', FUTURE)],
    [
      'django, is_active',
      'json',
      json({ fields: { is_active: true } }, { fields: { is_active: false } }),
    ],
    ['Drupal and others, blocked in capitals', 'csv', csv('Is Blocked', 'No', 'Yes')],
    ['Entra ID, accountEnabled', 'csv', csv('accountEnabled', 'True', 'False')],
    ['Excel in German, Gesperrt', 'csv', csv('Gesperrt', 'FALSCH', 'WAHR', ';')],
    ['Excel in German, Status', 'csv', csv('Status', 'aktiv', 'gelöscht', ';')],
    ['Excel in German, Aktiv', 'csv', csv('Aktiv', 'ja', 'nein', ';')],
    ['Excel in German, a day', 'csv', csv('Gesperrt bis', '05.01.2026', '05.12.2026', ';')],
    ['a day whose order is not known', 'csv', csv('locked_until', '01/05/2026', '05/12/2026')],
    ['Firebase, disabled', 'json', json({ disabled: false }, { disabled: true })],
    [
      'Google Workspace, suspended',
      'json',
      json({ suspended: false, archived: false }, { suspended: true, archived: false }),
    ],
    [
      'Google Workspace, archived',
      'json',
      json({ suspended: false, archived: false }, { suspended: false, archived: true }),
    ],
    ['JHipster, activated', 'csv', csv('activated', 't', 'f')],
    [
      'Keycloak, enabled',
      'json',
      json({ enabled: true, totp: false }, { enabled: false, totp: false }),
    ],
    ['Kratos, state', 'json', json({ state: 'active' }, { state: 'inactive' })],
    ['Laravel, soft deletes', 'csv', csv('deleted_at', '', PAST)],
    ['Logto, isSuspended', 'json', json({ isSuspended: false }, { isSuspended: true })],
    ['Moodle, suspended and deleted', 'csv', csv('suspended;deleted', '0;0', '0;1', ';')],
    ['MySQL, a date of zeros', 'csv', csv('banned_at', '0000-00-00 00:00:00', PAST)],
    ['Okta, SUSPENDED', 'csv', csv('status', 'ACTIVE', 'SUSPENDED')],
    ['Okta, DEPROVISIONED', 'csv', csv('status', 'PASSWORD_EXPIRED', 'DEPROVISIONED')],
    ['Okta, LOCKED_OUT', 'csv', csv('status', 'STAGED', 'LOCKED_OUT')],
    [
      'Ping, account status',
      'json',
      json({ account: { status: 'OK' } }, { account: { status: 'LOCKED' } }),
    ],
    ['Supabase, banned_until', 'csv', csv('banned_until,deleted_at', `${PAST},`, `${FUTURE},`)],
    ['Supabase, banned for ever', 'csv', csv('banned_until,deleted_at', ',', 'infinity,')],
    ['Supabase, deleted_at', 'csv', csv('banned_until,deleted_at', ',', `,${PAST}`)],
    [
      'Zitadel, state',
      'json',
      json({ state: 'USER_STATE_ACTIVE' }, { state: 'USER_STATE_LOCKED' }),
    ],
    [
      'Active Directory, userAccountControl',
      'csv',
      csv('userAccountControl,accountExpires', '66048,9223372036854775807', '66050,0'),
    ],
    [
      'Active Directory, accountExpires',
      'csv',
      csv('userAccountControl,accountExpires', '512,140000000000000000', '512,132537600000000000'),
    ],
    ['389 Directory Server, nsAccountLock', 'csv', csv('nsAccountLock', '', 'TRUE')],
    ['OpenLDAP, pwdAccountLockedTime', 'csv', csv('pwdAccountLockedTime', '', '000001010000Z')],
    ['eDirectory, loginDisabled', 'csv', csv('loginDisabled', 'FALSE', 'TRUE')],
    [
      'Spring Security, accountNonLocked',
      'json',
      json(
        { enabled: true, accountNonExpired: true, accountNonLocked: true },
        { enabled: true, accountNonExpired: true, accountNonLocked: false },
      ),
    ],
    ['Spring Security, account_non_expired', 'csv', csv('account_non_expired', '1', '0')],
    ['Joomla, block', 'csv', csv('block', '0', '1')],
    ['GitLab, state', 'json', json({ state: 'active' }, { state: 'banned' })],
    ['Mattermost, delete_at', 'json', json({ delete_at: 0 }, { delete_at: 1_600_000_000_000 })],
    ['Mastodon, suspended_at', 'csv', csv('suspended_at', '', PAST)],
    ['SCIM, active', 'json', json({ active: true }, { active: false })],
    ['WordPress of several sites, spam', 'csv', csv('spam,deleted', '0,0', '1,0')],
    ['WSO2, accountLocked', 'csv', csv('accountLocked', 'false', 'true')],
    ['Magento, lock_expires', 'csv', csv('is_active,lock_expires', `1,${PAST}`, `1,${FUTURE}`)],
    ['ServiceNow, locked_out', 'csv', csv('locked_out', 'false', 'true')],
    ['Slack, deleted', 'json', json({ deleted: false }, { deleted: true })],
    ['an object of a ban', 'json', json({ ban: { until: PAST } }, { ban: { until: FUTURE } })],
    [
      'a list of bans',
      'json',
      json({ bans: [{ ends_at: PAST }] }, { bans: [{ ends_at: PAST }, { ends_at: FUTURE }] }),
    ],
    ['a list of states', 'json', json({ status: ['ACTIVE'] }, { status: ['ACTIVE', 'SUSPENDED'] })],
    [
      'JSON in a cell, as Supabase has it',
      'csv',
      csv('raw_app_meta_data', '"{""banned"":false}"', '"{""a"":[],""banned"":true}"'),
    ],
    [
      'a date after which a user cannot log in',
      'csv',
      csv('valid_until', '2099-01-01', '2020-01-01'),
    ],
    ['days of Excel', 'csv', csv('banned until', '45000', '72000.5')],
    ['milliseconds since 1970', 'csv', csv('banned_until', '1700000000000', '4070908800000')],
    ['microseconds since 1970', 'csv', csv('banned_until', '1700000000000000', '4070908800000000')],
    ['words for nothing', 'csv', csv('status,deleted_at', '\\N,(null)', 'closed,\\N')],
    ['not locked', 'csv', csv('is_not_locked,unlocked', 'true,1', 'true,0')],
    ['on and off', 'csv', csv('Blocked', 'OFF', 'On')],
    ['an account in Spanish', 'csv', csv('Bloqueado', 'no', 'sí')],
    [
      'two columns, of which one denies',
      'csv',
      csv('disabled,blocked', 'false,false', 'true,false'),
    ],
    ['an account that is switched off in German', 'csv', csv('Gesperrt', 'no', 'yes')],
    ['a date without a time', 'csv', csv('blocked until', '2025-01-01', '2099-01-01')],
    ['seconds since 1970', 'csv', csv('lockedUntil', '1700000000', '4070908800')],
  ])('%s', async (_shape, format, text) => {
    expect(await statesOf(format, text)).toEqual({ free: 'free', denied: 'disabled' })
  })
})

test.each([
  ['a status of words that are not known', csv('status', '', 'pending')],
  ['a status of numbers', csv('user_status', '', '1')],
  ['a date until which something lasts', csv('premium_until', '', FUTURE)],
  ['a flag with another value', csv('suspended', '0', 'maybe')],
  ['the name of who blocked the user', csv('blocked_by', '', 'admin')],
  ['a time of a lock in another form', csv('locked_until', '', 'tomorrow')],
  ['a status of true and false', csv('status', '', 'false')],
  ['the state of something', csv('kyc_status', 'pending', 'rejected')],
  ['the number of a status', csv('status_id', '', '3')],
  ['a word that only says it', csv('notes', 'friendly', 'Banned')],
  ['an account that a list of roles denies', csv('roles', '"[""staff""]"', '"[""suspended""]"')],
])('%s may deny, so that it is unclear', async (_name, text) => {
  expect(await statesOf('csv', text)).toEqual({ free: 'free', denied: 'unclear' })
})

test.each<[flags: Partial<StateOptions>, denied: string, other: string]>([
  [{ blocks: [['role', 'banned']] }, 'disabled', 'unclear'],
  [{ allows: [['role', 'banned']] }, 'free', 'unclear'],
  [{ allows: [['role', 'admin']] }, 'unclear', 'unclear'],
  [{ blocks: [['role', 'banned']], allows: [['role', undefined]] }, 'disabled', 'free'],
  [{ blocks: ['banned', 'suspended'].map((word) => ['role', word]) }, 'disabled', 'disabled'],
])('a meaning of one hidden value is not one of another: %j', async (flags, denied, other) => {
  const text = `${csv('role', 'admin', 'banned')}other@example.com,suspended\n`
  expect(await statesOf('csv', text, flags)).toEqual({ free: 'free', denied, other })
})

test.each<[column: string, flags: Partial<StateOptions>, denied: string]>([
  ['role', { blocks: [['role', 'ghost']] }, 'disabled'],
  ['status', { blocks: [['status', 'ghost']] }, 'disabled'],
  ['role', { blocks: [['role', 'ghost']], allows: [['role', undefined]] }, 'disabled'],
  ['role', { blocks: [['role', 'ghost']], allows: [['role', 'GHOST']] }, 'free'],
  ['status', { allows: [['status', 'ghost']] }, 'unclear'],
])('a value that blocks does so in capitals, too: %s, %j', async (column, flags, denied) => {
  const states = await statesOf('csv', csv(column, '', 'GHOST'), flags)
  expect(states).toEqual({ free: 'free', denied })
})

test.each<[column: string, flags: Pick<StateOptions, 'blocks' | 'allows'>, says: boolean]>([
  ['locked', {}, true],
  ['locked', { allows: [['locked', undefined]] }, false],
  ['locked', { allows: [['locked', 'x']] }, true],
  ['status', { allows: [['status', undefined]], blocks: [['status', 'x']] }, true],
  ['premium_until', { allows: [['premium_until', undefined]] }, false],
  ['premium_until', { allows: [['premium_until', 'x']] }, false],
  ['premium_until', { blocks: [['premium_until', undefined]] }, true],
  ['kyc_status', { allows: [['kyc_status', 'x']] }, false],
  ['notes', { allows: [['notes', 'x']] }, false],
  ['notes', { blocks: [['notes', 'x']] }, true],
])('a column %s with the flags %j says who may log in: %s', async (column, flags, says) => {
  const states = createStates({ ...flags, now: NOW })
  async function* records() {
    for (const [n, value] of ['', flags.allows || flags.blocks ? 'x' : 'no'].entries()) {
      const members = new Map([
        ['email', `user-${n}@example.com`],
        [column, value],
      ])
      yield { line: n + 2, members, fault: undefined }
    }
  }
  const checked = await checkRecords('users', records(), { ...options(), states }, () => {})
  expect(checked.saysStates).toBe(says)
})

/** Columns that say who may log in, and texts for a missing value. */
const ENABLING = ['active', 'enabled', 'canLogin']
const MISSING = ['null', 'NULL', '\\N', '(null)', 'n/a']

describe.each([
  ...['blocked', 'disabled', 'active', 'enabled', 'locked', 'isSuspended', 'banned_until'],
  ...['status', 'canLogin', 'blocked_by', 'deleted_at', 'valid_until', 'userAccountControl'],
])('a column %s', (column) => {
  test.each([...(ENABLING.includes(column) ? [] : MISSING), ...['', ' ', undefined]])(
    'whose cells are all %j neither blocks nor says who may log in',
    async (value) => {
      const users = ['ada', 'bob'].map((name) => ({
        email: `${name}@example.com`,
        [column]: value,
      }))
      const cell = value ?? ''
      const table = ['ada', 'bob'].map((name) => `${name}@example.com,${cell}\n`).join('')
      for (const [format, text] of [
        ['json', JSON.stringify(users)],
        ['csv', `email,${column}\n${table}`],
      ] as const) {
        expect(await statesOf(format, text)).toEqual({ ada: 'free', bob: 'free' })
        const checked = await checkRecords('users', recordsOf(format, text), options(), () => {})
        expect(checked).toMatchObject({ faulty: 0, disabled: 0, saysStates: false })
      }
    },
  )

  test('with one cell that is not empty says who may log in', async () => {
    const value = column === 'status' ? 'ok' : '0'
    const text = `email,${column}\nada@example.com,\nbob@example.com,${value}\n`
    const checked = await checkRecords('users', recordsOf('csv', text), options(), () => {})
    expect(checked).toMatchObject({ faulty: 0, saysStates: true })
  })
})

describe.each(ENABLING)('a column %s', (column) => {
  test.each(MISSING)(
    'with a cell %j lets this user not in, whatever the other cells are',
    async (value) => {
      for (const other of ['true', value]) {
        const text = `email,${column}\nada@example.com,${other}\nbob@example.com,${value}\n`
        const { bob } = await statesOf('csv', text)
        const checked = await checkRecords('users', recordsOf('csv', text), options(), () => {})
        expect([bob, checked.saysStates]).toEqual(['disabled', true])
      }
    },
  )
})

test.each(['password', 'passwordHash', 'alg', 'login_key'])(
  'the values of a column %s are left out with the passwords, and never judged',
  async (column) => {
    const named = new Map([['hash', 'login_key']])
    async function* records() {
      const members = new Map([
        ['email', 'ada@example.com'],
        [column, 'Locked1!'],
      ])
      yield { line: 2, members, fault: undefined }
    }
    const checked = await checkRecords(
      'users',
      records(),
      {
        ...{ ...options(), named: new Map(), withoutPasswords: true },
        mapping: createMapping(column === 'login_key' ? named : new Map()),
      },
      () => {},
    )
    expect(checked).toMatchObject({ rows: 1, faulty: 0, ignored: [column], saysStates: false })
  },
)

test.each([
  ['the state of an address', json({}, { address: { state: 'CA' } })],
  ['settings of factors', json({}, { two_factor_enabled: false, password_enabled: false })],
  ['a bank', json({}, { bank_account: 'x', banner: 'y' })],
  [
    'a state of something that denies nothing',
    json({}, { address: { status: 'valid' }, mfa: { enabled: false } }),
  ],
  ['the expiry of a token', json({}, { token: { expires_at: PAST } })],
  ['the last activity', json({}, { last_active_at: PAST, lockout_enabled: true })],
])('%s denies nothing', async (_name, text) => {
  expect(await statesOf('json', text)).toEqual({ free: 'free', denied: 'free' })
})

describe('the command', () => {
  let installation: Installation
  beforeAll(async () => {
    installation = await startInstallation()
  })
  afterAll(() => installation[Symbol.asyncDispose]())

  const file = 'states.csv'
  const text = [
    'email,status,role',
    'ada@example.com,ACTIVE,staff',
    'bob@example.com,SUSPENDED,staff',
    'carol@example.com,pending,staff',
    'dave@example.com,pending,ghost',
  ].join('\n')

  const run = (...flags: string[]) => {
    writeFileSync(join(installation.folder, file), text)
    return installation.run(['users', 'import', file, ...flags])
  }

  async function users() {
    const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
    const all = await Array.fromAsync(client.users(installation.tenantId).list())
    return Object.fromEntries(
      all.map(({ profile, disabled }) => [profile.email.split('@')[0], disabled]),
    )
  }

  test('imports nothing while a value may deny, and names it with its rows and the flags', async () => {
    const { code, stderr } = await run()
    expect(code).toBe(1)
    expect(stderr).toContain('status: pending (2 rows)')
    expect(stderr).toContain("--blocks 'status=pending'")
    expect((await run('--dry-run')).code).toBe(1)
    expect(await users()).toEqual({})
  })

  test('shows long values that begin alike around the places where they differ', async () => {
    const note = '-'.repeat(99)
    const stateOf = (phase: string, by: string) =>
      JSON.stringify({ source: 'crm', synced: '2026-01-31T09:30:00Z', phase, note, by })
    const states = [stateOf('trial', 'sales'), stateOf('trial', 'staff'), stateOf('left', 'staff')]
    const rows = [...states, `unknown ${note}`].map((status, n) =>
      JSON.stringify({ email: `user-${n}@example.com`, status }),
    )
    writeFileSync(join(installation.folder, 'alike.ndjson'), rows.join('\n'))
    const { code, stderr } = await installation.run(['users', 'import', 'alike.ndjson'])
    expect(code).toBe(1)
    const start = 'status: {"source":"crm","synced":"2026-01-31T09:30:00Z","phase"'
    const [, shown] = /log in\. (status: .*)\. For each value/.exec(stderr) ?? []
    expect(shown?.split(', ')).toEqual([
      `${start}:"trial","note":"-----…-----------","by":"sales"} (1 row)`,
      `${start.slice(8)}:"trial","note":"-----…-----------","by":"staff"} (1 row)`,
      `${start.slice(8)}:"left","note":"------…----------","by":"staff"} (1 row)`,
      `unknown ${'-'.repeat(32)}… (1 row)`,
    ])
  })

  test('refuses a flag that no row has', async () => {
    const { code, stderr } = await run('--allows', 'status=pending', '--blocks', 'role=gost')
    expect(code).toBe(1)
    expect(stderr).toContain('role=gost')
    expect(await users()).toEqual({})
  })

  test('warns of a file without a column that says who may log in', async () => {
    writeFileSync(join(installation.folder, 'silent.csv'), 'email,name\neve@example.com,Eve\n')
    const { code, stderr } = await installation.run(['users', 'import', 'silent.csv', '--dry-run'])
    expect(code).toBe(0)
    expect(stderr).toContain('No column says who may log in: all users are imported enabled.')
  })

  test('imports each user as the flags say, after a line with all values', async () => {
    const { code, stderr } = await run('--allows', 'status=pending', '--blocks', 'role=ghost')
    expect(code).toBe(0)
    expect(stderr).toContain('status: ACTIVE (1 row), SUSPENDED (1 row), pending (2 rows)')
    expect(stderr).toContain('To be imported disabled: 2 rows.')
    expect(stderr).not.toContain('No column says')
    expect(await users()).toEqual({ ada: false, bob: true, carol: false, dave: true })
  })

  test.each(['pw', 'metadata.pw', 'deleted_pw', 'profile.pw'])(
    'prints no value of a column %s, whose name is not known',
    async (column) => {
      const table = `email,${column}\nfay@example.com,Locked1!\ngus@example.com,hunter2\n`
      writeFileSync(join(installation.folder, 'plain.csv'), table)
      const dryRun = (...flags: string[]) =>
        installation.run(['users', 'import', 'plain.csv', '--dry-run', ...flags])
      const refused = await dryRun()
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(new RegExp(`${column}: … \\(\\d rows?\\)`))
      expect(refused.stderr).toContain(`--blocks '${column}=VALUE'`)
      const allowed = await dryRun('--allows', column)
      expect(allowed.code).toBe(0)
      const mapped = await dryRun('--map', `disabled=${column}`)
      for (const { stdout, stderr } of [refused, allowed, mapped]) {
        expect(stdout + stderr).not.toMatch(/locked1|hunter/i)
      }
    },
  )

  test('prints the values of a column of an unknown name that a flag names', async () => {
    const { code, stderr } = await run('--allows', 'status=pending', '--blocks', 'role=ghost')
    expect(code).toBe(0)
    expect(stderr).toContain('role: … (3 rows), ghost (1 row)')
  })

  test('asks for each word of a hidden column, and takes both', async () => {
    const table =
      'email,role\nann@example.com,admin\nben@example.com,banned\ncid@example.com,suspended\n'
    writeFileSync(join(installation.folder, 'roles.csv'), table)
    const runRoles = (...flags: string[]) =>
      installation.run(['users', 'import', 'roles.csv', ...flags])
    const one = await runRoles('--blocks', 'role=Banned')
    expect(one.code).toBe(1)
    expect(one.stderr).toContain('role: … (1 row)')
    const both = await runRoles('--blocks', 'role=Banned', '--blocks', 'role=suspended')
    expect(both.code).toBe(0)
    expect(both.stderr).toContain('role: … (1 row), banned (1 row), suspended (1 row)')
    expect(await users()).toMatchObject({ ann: false, ben: true, cid: true })
  })

  test('prints no password with --no-passwords, whatever it is like', async () => {
    const table = 'email,password\nfay@example.com,Locked1!\n'
    writeFileSync(join(installation.folder, 'plain.csv'), table)
    const args = ['users', 'import', 'plain.csv', '--no-passwords']
    const { code, stdout, stderr } = await installation.run(args)
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain('Locked1!')
    expect(stderr).toContain('Left out: password')
    expect(await users()).toMatchObject({ fay: false })
  })
})
