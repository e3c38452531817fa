import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { resealSecrets } from '../../src/domain/keys/reseal.ts'
import { createPasswordEngine } from '../../src/domain/users/password-engine.ts'
import {
  findPassword,
  type Verification,
  verifyPassword,
} from '../../src/domain/users/passwords.ts'
import { claimAccount, confirmByOperator } from '../../src/domain/ways/account-changes.ts'
import { createVault, fixedKeys } from '../../src/domain/writes/vault.ts'
import { stores } from '../support/api.ts'
import { type OpenApi, openApi } from '../support/context.ts'
import { bcryptOf, PASSWORD } from '../support/hashes.ts'
import { LEGACY_PASSWORD, legacyHashes } from '../support/legacy-hashes.ts'

const argon2 = (costs: string) => ({
  scheme: 'argon2',
  hash: `$argon2id$v=19$${costs}$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`,
})

type Sample = (typeof legacyHashes)[keyof typeof legacyHashes]

const django = legacyHashes['django, PBKDF2 with SHA-1']
const { Firebase: firebase } = legacyHashes

const passwordOf = (sample: Sample) => ('password' in sample ? sample.password : LEGACY_PASSWORD)

function bodyOf(sample: Sample, more: object = {}) {
  const { scheme, hash } = sample
  const parameters = 'parameters' in sample ? sample.parameters : undefined
  const email = `u${randomBytes(6).toString('hex')}@example.com`
  return {
    profile: { email, email_verified: true },
    ...more,
    legacy_password: { scheme, hash, parameters },
  }
}

const send = (api: OpenApi, users: object[]) => api.post(`/x${api.users}/import`, { users })

async function bring(api: OpenApi, sample: Sample, more: object = {}): Promise<string> {
  const { body } = await send(api, [bodyOf(sample, more)])
  expect(body).toMatchObject({ created: 1, refused: 0 })
  return body.data[0].id
}

async function logIn(api: OpenApi, id: string, password: string): Promise<Verification> {
  const user = await api.context.store.users.get(api.tenantId, id)
  return verifyPassword(api.scope, user, password)
}

const legacyOf = (api: OpenApi, id: string) =>
  api.context.store.legacyPasswords.get(api.tenantId, id)
const refused = (reason: string) => ({ kind: 'refused', reason })

describe.each(stores)('on %s', (store) => {
  test('an operator who marks the address as verified ends it, as the first proof does', async () => {
    await using api = await openApi(store, { passwords: createPasswordEngine() })
    const id = await bring(api, django, {
      profile: { email: 'unproven@example.com', email_verified: false },
    })
    await confirmByOperator(api.scope, id)
    expect(await legacyOf(api, id)).toBeUndefined()
    expect(await logIn(api, id, passwordOf(django))).toEqual(refused('no_password'))
  })

  test('a newer export replaces the hash, until its user has logged in here', async () => {
    await using api = await openApi(store, { passwords: createPasswordEngine() })
    const body = bodyOf(django)
    const id = (await send(api, [body])).body.data[0].id
    const update = async (legacy_password: object) => {
      const users = [{ ...body, id, legacy_password }]
      return (await api.post(`/x${api.users}/import/update`, { users })).body.data[0]
    }
    expect(await update(body.legacy_password)).toMatchObject({ status: 'unchanged' })
    const newer = bodyOf(firebase).legacy_password
    const written = { status: 'updated', id, members: ['password'], conflicts: [] }
    expect(await update(newer)).toEqual(written)
    expect(await update(newer)).toMatchObject({ status: 'unchanged' })
    // The other way round, a password takes the place of a legacy one, and goes for it.
    expect(await update(body.legacy_password)).toEqual(written)
    const users = [{ profile: body.profile, id, password: { alg: 'bcrypt', hash: bcryptOf[10] } }]
    const { body: plain } = await api.post(`/x${api.users}/import/update`, { users })
    expect(plain.data[0]).toEqual(written)
    expect(await update(newer)).toEqual(written)

    const login = await logIn(api, id, passwordOf(firebase))
    expect(login).toMatchObject({ kind: 'verified', upgraded: true })
    expect(await update(newer)).toMatchObject({ status: 'unchanged' })
    expect(await update(body.legacy_password)).toMatchObject({
      status: 'conflict',
      conflicts: [{ member: 'password' }],
    })
    expect(await logIn(api, id, passwordOf(firebase))).toMatchObject({ kind: 'verified' })
  })

  test.each(Object.entries(legacyHashes))(
    '%s: the old password logs in, and is bcrypt from then on',
    async (_, sample) => {
      await using api = await openApi(store, { passwords: createPasswordEngine() })
      const id = await bring(api, sample)
      const path = `${api.users}/${id}/credentials`
      expect((await api.get(path)).body.total).toBe(0)

      expect(await logIn(api, id, 'wrong')).toEqual(refused('wrong_password'))
      expect(await logIn(api, id, '')).toEqual(refused('wrong_password'))
      expect(await legacyOf(api, id)).toBeDefined()
      const first = await logIn(api, id, passwordOf(sample))
      expect(first).toMatchObject({
        kind: 'verified',
        upgraded: true,
        credentials: [{ kind: 'password' }],
      })
      expect(await legacyOf(api, id)).toBeUndefined()
      expect((await findPassword(api.scope, id))?.password.alg).toBe('bcrypt')
      expect((await api.get(`${path}/password`)).body.password).toMatchObject({
        alg: 'bcrypt',
        cost: 10,
      })
      expect(await logIn(api, id, passwordOf(sample))).toMatchObject({
        kind: 'verified',
        upgraded: false,
      })
      expect(await logIn(api, id, 'wrong')).toEqual(refused('wrong_password'))
    },
  )

  test('of many logins at once with a legacy hash, one writes bcrypt, and all get in', async () => {
    await using api = await openApi(store)
    for (let round = 0; round < 5; round++) {
      const id = await bring(api, django)
      const entered = [LEGACY_PASSWORD, LEGACY_PASSWORD, 'wrong', LEGACY_PASSWORD, LEGACY_PASSWORD]
      const all = await Promise.all(entered.map((one) => logIn(api, id, one)))
      expect(all.map(({ kind }) => kind)).toEqual(
        entered.map((one) => (one === 'wrong' ? 'refused' : 'verified')),
      )
      expect(all.filter((one) => one.kind === 'verified' && one.upgraded)).toHaveLength(1)
      expect(await legacyOf(api, id)).toBeUndefined()
    }
  })

  test('a password that is set while a login verifies the legacy hash stays, and the old one is refused', async () => {
    const engine = createPasswordEngine()
    let meanwhile = async (): Promise<unknown> => undefined
    const passwords: typeof engine = {
      ...engine,
      async hash(...given) {
        await meanwhile()
        meanwhile = async () => undefined
        return engine.hash(...given)
      },
    }
    await using api = await openApi(store, { passwords })
    const id = await bring(api, django)
    const credential = { password: { alg: 'bcrypt', hash: bcryptOf[10] } }
    meanwhile = () => api.create(`${api.users}/${id}/credentials`, credential)
    expect(await logIn(api, id, LEGACY_PASSWORD)).toEqual(refused('wrong_password'))
    expect(await legacyOf(api, id)).toBeUndefined()
    expect(await logIn(api, id, PASSWORD)).toMatchObject({ kind: 'verified' })
  })

  test('a disabled user stays out, and keeps the legacy hash until enabled', async () => {
    await using api = await openApi(store)
    const id = await bring(api, django, { disabled: true })
    expect(await logIn(api, id, LEGACY_PASSWORD)).toEqual(refused('user_disabled'))
    expect(await logIn(api, id, 'wrong')).toEqual(refused('wrong_password'))
    const { body } = await api.get(`${api.users}/${id}`)
    await api.post(`${api.users}/${id}`, { ...body, disabled: false })
    expect(await logIn(api, id, LEGACY_PASSWORD)).toMatchObject({ kind: 'verified' })
  })

  test('a password from elsewhere, the first proof of the address by another and a deletion end the legacy hash', async () => {
    await using api = await openApi(store)
    const [set, claimed, deleted] = [
      await bring(api, django),
      await bring(api, django, { profile: { email: 'unproven@example.com' } }),
      await bring(api, firebase),
    ]
    await api.create(`${api.users}/${set}/credentials`, {
      password: { alg: 'plain', hash: 'another one' },
    })
    expect(await legacyOf(api, set)).toBeUndefined()
    await api.delete(`${api.users}/${set}/credentials/password`)
    expect(await logIn(api, set, LEGACY_PASSWORD)).toEqual(refused('no_password'))

    await claimAccount(api.scope, { id: claimed, emailKey: 'unproven@example.com' })
    expect(await legacyOf(api, claimed)).toBeUndefined()
    expect(await logIn(api, claimed, LEGACY_PASSWORD)).toEqual(refused('no_password'))

    await api.delete(`${api.users}/${deleted}`)
    expect(await legacyOf(api, deleted)).toBeUndefined()
  })

  test('the key of Firebase is stored sealed, and sealed again under a new master key', async () => {
    await using api = await openApi(store)
    const id = await bring(api, firebase)
    const before = await legacyOf(api, id)
    expect(JSON.stringify(before)).not.toContain(firebase.parameters.signer_key)
    const [next, last] = [randomBytes(32), new Uint8Array(32)]
    const context = { ...api.context, vault: createVault(fixedKeys([next, last])) }
    await resealSecrets(context)
    const after = await legacyOf(api, id)
    expect(after?.sealedKey).not.toBe(before?.sealedKey)
    const scope = { ...api.scope, context: { ...context, vault: createVault(next) } }
    const user = await context.store.users.get(api.tenantId, id)
    expect(await verifyPassword(scope, user, LEGACY_PASSWORD)).toMatchObject({ kind: 'verified' })
  })
})

test('a password that bcrypt would not read to its end logs in, before and after', async () => {
  await using api = await openApi()
  const { pbkdf2Sync } = await import('node:crypto')
  const long = 'x'.repeat(100)
  const key = pbkdf2Sync(long, 'salt', 10, 32, 'sha256').toString('base64')
  const sample = { scheme: 'django', hash: `pbkdf2_sha256$10$salt$${key}` } as unknown as Sample
  const id = await bring(api, sample)
  expect(await logIn(api, id, long.slice(1))).toEqual(refused('wrong_password'))
  expect(await logIn(api, id, long)).toMatchObject({ kind: 'verified', upgraded: true })
  expect(await logIn(api, id, long)).toMatchObject({ kind: 'verified' })
  expect(await logIn(api, id, long.slice(0, 72))).toEqual(refused('wrong_password'))
})

test('an unknown user, and one with bcrypt, cost as much as the most expensive legacy hash of each kind in the tenant', async () => {
  const engine = createPasswordEngine()
  const ran: string[] = []
  const passwords: typeof engine = {
    ...engine,
    verify(...given) {
      ran.push('bcrypt')
      return engine.verify(...given)
    },
    run(...given) {
      ran.push('legacy')
      return engine.run(...given)
    },
  }
  await using api = await openApi('memory', { passwords })
  const none = await api.createUser()
  expect(await logIn(api, none.id, 'wrong')).toEqual(refused('no_password'))
  expect(ran.splice(0)).toEqual(['bcrypt'])

  const costly = await bring(api, legacyHashes['django, PBKDF2 with SHA-256'])
  const cheap = await bring(api, django)
  for (const id of [costly, none.id, 'usr_0', cheap]) {
    expect(await logIn(api, id, 'wrong')).toMatchObject({ kind: 'refused' })
    expect(ran.splice(0)).toEqual(['bcrypt', 'legacy', 'legacy'])
  }
})

test('each verification of Argon2 waits for its memory, that for an unknown user as well', async () => {
  const engine = createPasswordEngine()
  const taken: (number | undefined)[] = []
  const passwords: typeof engine = {
    ...engine,
    run(work, tenantId, memoryKib) {
      taken.push(memoryKib)
      return engine.run(work, tenantId, memoryKib)
    },
  }
  await using api = await openApi('memory', { passwords })
  const own = await bring(api, legacyHashes['Argon2d with a key of 16 bytes'])
  for (const id of [own, 'usr_0']) {
    expect(await logIn(api, id, 'wrong')).toMatchObject({ kind: 'refused' })
    expect(taken.splice(0)).toEqual([1024])
  }
})

test.each<[string, object, string, RegExp]>([
  [
    'an unknown scheme',
    { scheme: 'djngo', hash: django.hash },
    'unsupported_algorithm',
    /Did you mean "django"/,
  ],
  [
    'no Argon2',
    { scheme: 'argon2', hash: 'x' },
    'invalid_hash',
    /is not of Argon2: \$argon2id\$v=19/,
  ],
  [
    'too much memory of Argon2',
    argon2('m=262145,t=1,p=1'),
    'invalid_hash',
    /asks Argon2 for 262145 KiB of memory; accepted are at most 262144, 8 for each lane/,
  ],
  [
    'too many passes of Argon2',
    argon2('m=65536,t=17,p=1'),
    'invalid_hash',
    /asks Argon2 for 17 passes over 65536 KiB, 1114112 KiB in all; accepted are 1 to 1048576/,
  ],
  [
    'too many lanes of Argon2',
    argon2('m=65536,t=1,p=129'),
    'invalid_hash',
    /asks Argon2 for 129 lanes; accepted are 1 to 128/,
  ],
  ['too little memory of Argon2', argon2('m=8,t=1,p=2'), 'invalid_hash', /8 for each lane/],
  ['no pass of Argon2', argon2('m=64,t=0,p=1'), 'invalid_hash', /accepted are 1 to/],
  [
    'an Argon2 hash with a secret',
    argon2('m=64,t=1,p=1,keyid=AQ'),
    'invalid_hash',
    /is not of Argon2/,
  ],
  [
    'an unknown type of Argon2 in Keycloak',
    {
      ...legacyHashes['keycloak, Argon2'],
      parameters: { ...legacyHashes['keycloak, Argon2'].parameters, type: 'x' },
    },
    'invalid_hash',
    /"parameters.type": d, i or id/,
  ],
  [
    'too many rounds',
    { scheme: 'django', hash: django.hash.replace('$1000$', '$2000001$') },
    'invalid_hash',
    /has 2000001 rounds .* accepted are 1 to 2000000/,
  ],
  ['another form', { scheme: 'django', hash: 'pbkdf2' }, 'invalid_hash', /is not of Django/],
  [
    'too much memory',
    { ...firebase, parameters: { ...firebase.parameters, mem_cost: 20 } },
    'invalid_hash',
    /has 20 as "parameters.mem_cost"; accepted are whole numbers from 1 to 14/,
  ],
  [
    'a misspelt parameter',
    { ...firebase, parameters: { ...firebase.parameters, memcost: 14 } },
    'invalid_hash',
    /Did you mean "mem_cost"/,
  ],
  [
    'no key',
    { ...firebase, parameters: { ...firebase.parameters, signer_key: '' } },
    'invalid_hash',
    /needs "parameters.signer_key"/,
  ],
  [
    'too many rounds of phpass',
    { scheme: 'phpass', hash: '$P$Rk2mVxT4sX/SzdBIMrfwZzcvRoswHD.' },
    'invalid_hash',
    /has 2\^29 rounds/,
  ],
  [
    'a cost of bcrypt',
    { scheme: 'wordpress', hash: legacyHashes['WordPress since 6.8'].hash.replace('$10$', '$14$') },
    'invalid_hash',
    /cost 14; accepted are 8 to 12/,
  ],
  ['no base64', { scheme: 'aspnet', hash: 'AQ!' }, 'invalid_hash', /is not of ASP.NET/],
])(
  '%s is refused with its reason, and the user is not created',
  async (_, legacy_password, code, detail) => {
    await using api = await openApi('memory')
    const { body } = await send(api, [{ profile: { email: 'ada@example.com' }, legacy_password }])
    expect(body.data[0]).toMatchObject({
      status: 'refused',
      code,
      detail: expect.stringMatching(detail),
    })
    expect((await api.get(api.users)).body.total).toBe(0)
    const both = { ...bodyOf(django), password: { alg: 'plain', hash: 'x' } }
    expect((await send(api, [both])).body.data[0].detail).toMatch(/send one of them/)
  },
)
