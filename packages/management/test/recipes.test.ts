import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'
import { createLogIn } from './support/log-in.ts'

const guides = join(import.meta.dirname, '../../../examples/guides')

const commands = readFileSync(join(guides, 'shell/import-from.sh'), 'utf8').trim().split('\n')

let installation: Installation

beforeAll(async () => {
  installation = await startInstallation()
  cpSync(join(guides, 'import'), installation.folder, { recursive: true })
})

afterAll(() => installation[Symbol.asyncDispose]())

/** Runs the command of the guide for this provider. */
function runCommand(provider: string) {
  const command = commands.find((one) => one.includes(` ${provider}.`)) ?? ''
  const args = command.replaceAll("'", '').split(' ').slice(1)
  return installation.run(args)
}

/** The users of this provider, by the first part of their addresses. */
async function usersOf(provider: string) {
  const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
  const users = await Array.fromAsync(client.users(installation.tenantId).list())
  return Object.fromEntries(
    users
      .filter(({ profile }) => profile.email.endsWith(`@${provider}.example`))
      .map((user) => [user.profile.email.split('@')[0], user]),
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

test.each([
  // provider, id, Ada's profile, whether Ada's password came over, whether Grace was switched off
  ['auth0', '60425dc43519d90068f82973', { email_verified: true }, true, false],
  ['clerk', 'user_1', { ...names, email_verified: true }, true, false],
  [
    'cognito',
    'd16b4aa8-8633-4abd-93b3-5062a8e1b5f8',
    { ...names, email_verified: true },
    false,
    true,
  ],
  ['django', '1', names, true, true],
  [
    'firebase',
    'A1b2C3d4E5f6G7h8I9j0K1l2M3n4',
    { name: 'Ada Lovelace', email_verified: true },
    true,
    true,
  ],
  [
    'keycloak',
    '0a1b2c3d-0000-4000-8000-000000000001',
    { ...names, email_verified: true },
    true,
    true,
  ],
  ['kratos', '7d2c3b4a-0000-4000-8000-000000000001', { email_verified: true }, true, true],
  ['logto', 'x1y2z3a4b5c6', { name: 'Ada Lovelace' }, true, true],
  ['supabase', '0a1b2c3d-0000-4000-8000-000000000001', { email_verified: true }, true, true],
  ['aspnet', '5a1b2c3d-0000-4000-8000-000000000001', { email_verified: true }, true, false],
  ['wordpress', '1', { name: 'Ada Lovelace' }, true, false],
] as const)(
  'an export of %s comes over as the guide says',
  async (provider, id, profile, hasPassword, isOff) => {
    const { code, stdout, stderr } = await runCommand(provider)
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('2 imported, 0 rejected, 2 rows.'),
      expect.any(String),
    ])
    const { ada, grace } = await usersOf(provider)
    expect(ada?.profile).toMatchObject({ email: `ada@${provider}.example`, ...profile })
    expect(ada?.disabled).toBe(false)
    expect(grace?.profile.email_verified).toBe(false)
    expect(grace?.disabled).toBe(isOff)
    const file = stdout.match(/New ids: (.*)/)?.[1] ?? ''
    expect(readFileSync(join(installation.folder, file), 'utf8')).toContain(`${id},${ada?.id}`)

    const logIn = await createLogIn(installation)
    const isIn = async (password: string, name = 'ada') =>
      (await logIn(`${name}@${provider}.example`, password)).includes('code=')
    expect(await isIn('wrong horse')).toBe(false)
    // The second time with bcrypt, whatever the hash was.
    for (const _ of [1, 2]) expect(await isIn('correct horse')).toBe(hasPassword)
    expect(await isIn('wrong horse')).toBe(false)
    if (isOff) expect(await isIn('correct horse', 'grace')).toBe(false)
    if (provider === 'wordpress') expect(await isIn('correct horse', 'grace')).toBe(true)
    const client = createManagementClient({ baseUrl: installation.url, apiKey: installation.key })
    const credentials = client.credentials(installation.tenantId, ada?.id ?? '')
    const { data } = await credentials.page()
    expect(JSON.stringify(data)).toContain(hasPassword ? '"bcrypt"' : '[]')
  },
)
