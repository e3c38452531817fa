import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'
import { createLogIn } from './support/log-in.ts'

const guides = join(import.meta.dirname, '../../../examples/guides')

const commands = readFileSync(join(guides, 'shell/import-from.sh'), 'utf8').trim().split('\n')

/** An installation with the sample exports. Each has counted no failed login yet. */
async function startWithSamples() {
  const installation = await startInstallation()
  cpSync(join(guides, 'import'), installation.folder, { recursive: true })
  return installation
}

/** Runs the command of the guide for this provider. */
function runCommand(installation: Installation, provider: string) {
  const command = commands.find((one) => one.includes(` ${provider}.`)) ?? ''
  const args = command.replaceAll("'", '').split(' ').slice(1)
  return installation.run(args)
}

/** The users of this provider, by the first part of their addresses. */
async function usersOf(installation: Installation, provider: string) {
  const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
  const users = await Array.fromAsync(client.users(installation.tenantId).list())
  return Object.fromEntries(
    users
      .filter(({ profile }) => profile.email.endsWith(`@${provider}.example`))
      .map((user) => [user.profile.email.split('@')[0] ?? '', user] as const),
  )
}

test('there is a recipe for each provider that the guide names', () => {
  expect(commands.map((command) => command.split(' ')[3]?.split('.')[0])).toEqual([
    'aspnet',
    'auth0',
    'clerk',
    'cognito',
    'django',
    'firebase',
    'keycloak',
    'kratos',
    'logto',
    'supabase',
    'wordpress',
  ])
})

const names = { given_name: 'Ada', family_name: 'Lovelace' }

/** The fate of a user: imported disabled, or unverified and free, or not imported at all. */
type Fate = 'disabled' | 'unverified' | 'rejected'

/** The states that an old system may have. Where an export has no user in one, a sentence says why. */
interface People {
  blocked: Fate | Missing
  deleted: Fate | Missing
  locked: Fate | Missing
  unverified: Fate | Missing
  /** Users in states that this provider alone has, by the first part of their addresses. */
  [own: string]: Fate | Missing
}

interface Missing {
  missing: string
}

const gone: Missing = { missing: 'Deleting a user removes them, so no export has them.' }

const people: Record<string, People> = {
  aspnet: {
    blocked: 'disabled',
    deleted: gone,
    locked: 'disabled',
    unverified: 'unverified',
  },
  auth0: {
    blocked: 'disabled',
    deleted: gone,
    locked: { missing: 'Brute-force protection blocks an address together with an IP, elsewhere.' },
    unverified: 'unverified',
  },
  clerk: {
    blocked: 'disabled',
    deleted: gone,
    locked: 'disabled',
    unverified: 'unverified',
  },
  cognito: {
    blocked: 'disabled',
    deleted: gone,
    locked: {
      missing: 'After failed attempts it waits up to 15 minutes, and ListUsers has no word of it.',
    },
    unverified: 'unverified',
    unconfirmed: 'unverified',
    compromised: 'disabled',
    archived: 'disabled',
  },
  django: {
    blocked: 'disabled',
    deleted: gone,
    locked: {
      missing: 'django counts no failed attempts; packages that do have tables of their own.',
    },
    unverified: { missing: 'auth.user does not say which addresses are verified.' },
  },
  firebase: {
    blocked: 'disabled',
    deleted: gone,
    locked: {
      missing: 'Too many attempts are refused for a while, and the export has no word of it.',
    },
    unverified: 'unverified',
    grace: 'unverified',
  },
  keycloak: {
    blocked: 'disabled',
    deleted: gone,
    // A lock for good is `enabled: false`. One for a while is in a cache, and in no export.
    locked: 'disabled',
    unverified: 'unverified',
  },
  kratos: {
    blocked: 'disabled',
    deleted: gone,
    locked: { missing: 'Kratos has no locks; an identity is active or inactive.' },
    unverified: 'unverified',
  },
  logto: {
    blocked: 'disabled',
    deleted: gone,
    locked: { missing: 'Its lock after failed attempts is for a while, and in another table.' },
    unverified: { missing: 'The table users does not say which addresses are verified.' },
  },
  supabase: {
    blocked: 'disabled',
    deleted: 'disabled',
    locked: { missing: 'Auth limits rates and has no locks; a ban with an end is `banned_until`.' },
    unverified: 'unverified',
    // Deleted softly by Auth itself, which replaces the address by a hash.
    '6S1nJ0iTqk3n8kQm1o0hVqJmJ2yL0m2m5Yf9o3c1XyU': 'rejected',
  },
  wordpress: {
    blocked: 'disabled',
    deleted: 'disabled',
    locked: { missing: 'WordPress has no locks; plugins that add them have tables of their own.' },
    unverified: { missing: 'wp_users does not say which addresses are verified.' },
    grace: 'unverified',
    // By the plugins BuddyPress and bbPress.
    spammer: 'disabled',
    pending: 'disabled',
  },
}

test.each([
  // provider, id, Ada's profile, whether passwords come over
  ['auth0', '60425dc43519d90068f82973', { email_verified: true }, true],
  ['clerk', 'user_1', { ...names, email_verified: true }, true],
  ['cognito', 'd16b4aa8-8633-4abd-93b3-5062a8e1b5f8', { ...names, email_verified: true }, false],
  ['django', '1', names, true],
  [
    'firebase',
    'A1b2C3d4E5f6G7h8I9j0K1l2M3n4',
    { name: 'Ada Lovelace', email_verified: true },
    true,
  ],
  ['keycloak', '0a1b2c3d-0000-4000-8000-000000000001', { ...names, email_verified: true }, true],
  ['kratos', '7d2c3b4a-0000-4000-8000-000000000001', { email_verified: true }, true],
  ['logto', 'x1y2z3a4b5c6', { name: 'Ada Lovelace' }, true],
  ['supabase', '0a1b2c3d-0000-4000-8000-000000000001', { email_verified: true }, true],
  ['aspnet', '5a1b2c3d-0000-4000-8000-000000000001', { email_verified: true }, true],
  ['wordpress', '1', { name: 'Ada Lovelace' }, true],
] as const)(
  'an export of %s comes over as the guide says, and lets in only whom it should',
  async (provider, id, profile, hasPassword) => {
    await using installation = await startWithSamples()
    const fates = Object.entries(people[provider] ?? {})
    const count = (...some: Fate[]) =>
      fates.filter(([, fate]) => some.includes(fate as Fate)).length
    const [imported, rejected] = [1 + count('disabled', 'unverified'), count('rejected')]

    const { code, stdout, stderr } = await runCommand(installation, provider)
    expect([code, stdout, stderr]).toEqual([
      rejected === 0 ? 0 : 3,
      expect.stringContaining(
        `${imported} imported, ${rejected} rejected, ${imported + rejected} rows.`,
      ),
      expect.any(String),
    ])
    expect(stdout + stderr).toContain(
      `To be imported disabled: ${count('disabled', 'rejected')} row`,
    )

    const { ada, ...others } = await usersOf(installation, provider)
    expect(ada?.profile).toMatchObject({ email: `ada@${provider}.example`, ...profile })
    expect(ada?.disabled).toBe(false)
    const file = stdout.match(/New ids: (.*)/)?.[1] ?? ''
    expect(readFileSync(join(installation.folder, file), 'utf8')).toContain(`${id},${ada?.id}`)
    const states = Object.entries(others).map(([name, user]) => [
      name,
      user.disabled ? 'disabled' : user.profile.email_verified ? 'verified' : 'unverified',
    ])
    expect(Object.fromEntries(states)).toEqual(
      Object.fromEntries(fates.filter(([, fate]) => fate === 'disabled' || fate === 'unverified')),
    )

    const logIn = await createLogIn(installation)
    const isIn = async (password: string, name = 'ada') =>
      (await logIn(`${name}@${provider}.example`, password)).includes('code=')
    for (const [name, fate] of fates) {
      // Grace logs in at Firebase through Google, and has no password.
      const isFree = fate === 'unverified' && hasPassword && `${name} of ${provider}` !== GOOGLE
      expect([name, await isIn('correct horse', name)]).toEqual([name, isFree])
    }
    // Ada comes last: that she gets in shows that the others were not refused for the failures before them.
    expect(await isIn('wrong horse')).toBe(false)
    // The second time with bcrypt, whatever the hash was.
    for (const _ of [1, 2]) expect(await isIn('correct horse')).toBe(hasPassword)
    expect(await isIn('wrong horse')).toBe(false)

    const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
    const users = client.users(installation.tenantId)
    for (const [name, user] of Object.entries(others)) {
      if (!user.disabled) continue
      // Only the block has kept them out: their old password came over.
      await users.update(user.id, { disabled: false })
      expect([name, await isIn('correct horse', name)]).toEqual([name, hasPassword])
    }
    await client.tenants.update(installation.tenantId, ({ settings }) => {
      settings.allow_unverified = false
    })
    for (const [name, fate] of fates) {
      if (fate === 'unverified')
        expect([name, await isIn('correct horse', name)]).toEqual([name, false])
    }

    const credentials = client.credentials(installation.tenantId, ada?.id ?? '')
    const { data } = await credentials.page()
    expect(JSON.stringify(data)).toContain(hasPassword ? '"bcrypt"' : '[]')
  },
)

/** The user who has no password, in an export that has passwords. */
const GOOGLE = 'grace of firebase'
