import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import {
  createMapping,
  createStates,
  faultsInWords,
  type RowOptions,
  toRow,
} from '@latchkey/management/import'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'
import { createLogIn } from './support/log-in.ts'

const DJANGO = 'pbkdf2_sha1$1000$salt$um5PLH8ivEcrRJVasTZXh8+vxX0='
const ARGON2 =
  '$argon2id$v=19$m=65536,t=3,p=4$AAECAwQFBgcICQoLDA0ODw$V38f836aPlLJfTn46DiRwbc7Dof/4EKc7o7eL7AF/kQ'

let installation: Installation

beforeAll(async () => {
  installation = await startInstallation()
})

afterAll(() => installation[Symbol.asyncDispose]())

const clientOf = (fetch: typeof globalThis.fetch = globalThis.fetch) =>
  createManagementClient({ baseUrl: installation.url, apiKey: installation.key, fetch })

function rowOf(members: Record<string, string>, more: Partial<RowOptions> = {}) {
  const named = new Map()
  const options = { mapping: createMapping(named), named, hashAlgorithm: undefined, ...more }
  const record = { line: 2, fault: undefined, members: new Map(Object.entries(members)) }
  return toRow(0, record, { ...options, states: createStates({ now: Date.now() }) })
}

test.each([
  ['django', DJANGO],
  ['phpass', '$P$Bk2mVxT4sX/SzdBIMrfwZzcvRoswHD.'],
  ['phpass', '$H$9k2mVxT4sDNUI/9j4KtSHnBUo9Cs5U.'],
  ['argon2', ARGON2],
  ['argon2', ARGON2.replace('argon2id', 'argon2i')],
  ['django', `argon2${ARGON2}`],
  ['wordpress', '$wp$2y$10$abcdefghijklmnopqrstuuA.NtWkdu8VmWC3ClnWUEHy4fqZrKNuK'],
])('a hash of %s is recognized', (scheme, hash) => {
  const { legacy, faults, password } = rowOf({ email: 'ada@example.com', hash })
  expect([legacy, faults, password]).toEqual([{ scheme, hash }, [], undefined])
})

test('a hash of Argon2 that is none, one of Firebase without a salt and one that is not of the named system are faults', () => {
  const email = 'ada@example.com'
  const faultsOf = (...given: Parameters<typeof rowOf>) => faultsInWords(rowOf(...given).faults)
  expect(faultsOf({ email, hash: 'argon2', alg: 'Argon2' })).toBe(
    'has a hash that is not of argon2',
  )
  expect(faultsOf({ email, hash: 'x' }, { firebase: {} })).toBe(
    'has a hash of Firebase without a salt',
  )
  expect(faultsOf({ email, hash: 'x', alg: 'aspnet' })).toBe('has a hash that is not of aspnet')
  expect(rowOf({ email, hash: DJANGO }, { withoutPasswords: true }).legacy).toBeUndefined()
})

describe('by the command', () => {
  const write = (name: string, text: string) => writeFileSync(join(installation.folder, name), text)

  test('users of Keycloak with an Argon2 hash log in with it, and one of too high a cost is rejected with the bound', async () => {
    const userOf = (name: string, memory: string) => ({
      email: `${name}@argon2.example`,
      emailVerified: true,
      credentials: [
        {
          type: 'password',
          secretData: JSON.stringify({
            value: 'I9aBicNnH49yuiIjQJC85giAQWszITIjdobXf3FdYMg=',
            salt: 'AAECAwQFBgcICQoLDA0ODw==',
            additionalParameters: {},
          }),
          credentialData: JSON.stringify({
            hashIterations: 5,
            algorithm: 'argon2',
            additionalParameters: {
              ...{ hashLength: ['32'], memory: [memory], type: ['id'], version: ['1.3'] },
              parallelism: ['1'],
            },
          }),
        },
      ],
    })
    const users = [userOf('ada', '7168'), userOf('costly', '300000')]
    write('argon2.json', JSON.stringify({ users }))
    const { code, stdout } = await installation.run(['users', 'import', 'argon2.json'])
    expect([code, stdout]).toEqual([3, expect.stringContaining('1 imported, 1 rejected, 2 rows.')])
    const rejects = readFileSync(join(installation.folder, 'argon2.json.rejects.csv'), 'utf8')
    expect(rejects).toContain('300000')
    expect(rejects).toContain('262144')
    const logIn = await createLogIn(installation)
    expect(await logIn('ada@argon2.example', 'wrong horse')).not.toContain('code=')
    for (const _ of [1, 2]) {
      expect(await logIn('ada@argon2.example', 'correct horse')).toContain('code=')
    }
  })

  test('the parameters of Firebase come from a file; one without the key is refused, and nothing is quoted', async () => {
    write('hash.txt', 'hash_config { algorithm: SCRYPT, base64_salt_separator: Bw== }')
    write('firebase.json', JSON.stringify({ users: [{ email: 'ada@example.com' }] }))
    const args = ['users', 'import', 'firebase.json', '--firebase-hash']
    const { code, stderr } = await installation.run([...args, 'hash.txt'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('--firebase-hash has no base64_signer_key')
    expect(stderr).not.toContain('Bw==')
    expect((await installation.run([...args, 'missing.txt'])).stderr).toContain('there is no file')
    const both = await installation.run([...args, 'hash.txt', '--no-passwords'])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('exclude each other')])
  })

  test('no hash is in the files that the command writes, nor in an answer or the audit log', async () => {
    write('django.csv', `email,password_hash\ndjango@example.com,${DJANGO}\n`)
    const { code, stdout, stderr } = await installation.run(['users', 'import', 'django.csv'])
    expect(code).toBe(0)
    const files = ['result.csv', 'rejects.csv', 'journal'].map((name) =>
      readFileSync(join(installation.folder, `django.csv.${name}`), 'utf8'),
    )
    const users = await Array.fromAsync(clientOf().users(installation.tenantId).list())
    const audit = await Array.fromAsync(clientOf().audit(installation.tenantId).list())
    const exported = await installation.run(['users', 'export'])
    const all = JSON.stringify([files, stdout, stderr, users, audit, exported])
    expect(all).toContain('django@example.com')
    expect(all).not.toContain('um5PLH8')
  })
})

test('a service before this release is not sent such a hash: it would create the user without a password', async () => {
  const sent: string[] = []
  // It does not know the member, and so does not say that there are two passwords.
  const earlier: typeof fetch = async (input, init) => {
    const body = String(init?.body ?? '')
    if (body.includes('legacy_password')) sent.push(body)
    const unknown = body.replaceAll('"legacy_password"', '"unknown_member"')
    return fetch(input, init?.body ? { ...init, body: unknown } : init)
  }
  const legacy_password = { scheme: 'django', hash: DJANGO } as const
  const inputs = [
    { profile: { email: 'plain@example.com' } },
    { profile: { email: 'legacy@example.com' }, legacy_password },
  ]
  const users = clientOf(earlier).users(installation.tenantId)
  const results = await Array.fromAsync(users.import(inputs))
  expect(results).toMatchObject([
    { status: 'created' },
    { status: 'refused', code: 'unsupported_algorithm', detail: expect.stringContaining('Update') },
  ])
  expect(sent).toHaveLength(1)
  expect(sent[0]).not.toContain('um5PLH8')
  const again = clientOf().users(installation.tenantId).import(inputs.slice(1))
  expect(await Array.fromAsync(again)).toMatchObject([{ status: 'created' }])
})
