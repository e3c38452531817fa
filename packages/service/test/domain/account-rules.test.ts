import { describe, expect, test } from 'vitest'
import {
  mailCredential,
  renewRecoveryCodes,
  totpCredential,
} from '../../src/domain/factors/factors.ts'
import { keyCredential } from '../../src/domain/factors/keys.ts'
import { connectAccount } from '../../src/domain/factors/social.ts'
import { newSeed } from '../../src/domain/factors/totp.ts'
import { changeAddress } from '../../src/domain/users/accounts.ts'
import { createCredential } from '../../src/domain/users/credentials.ts'
import { createUser } from '../../src/domain/users/users.ts'
import {
  addCredential,
  claimAccount,
  isOnlyWay,
  removeOwnCredential,
} from '../../src/domain/ways/account-changes.ts'
import type { Credential, HardwareCredential, User } from '../../src/store/records.ts'
import { instantPasswords } from '../issuer/support/instant-passwords.ts'
import { allStoreKinds, startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'

/** How often each race is run: SQLite and PostgreSQL decide it differently each time. */
const ROUNDS = 20

let count = 0

async function newUser({ scope }: TestIssuer): Promise<User> {
  const email = `user-${++count}@example.com`
  const input = { email, emailVerified: true, disabled: false, metadata: {}, profile: {} }
  return createUser(scope, input)
}

function aKey({ scope }: TestIssuer, user: User): HardwareCredential {
  const keyId = Buffer.from(`key ${++count}`).toString('base64url')
  return keyCredential(
    scope,
    user,
    {
      rpId: 'acme.localhost',
      keyId,
      publicKey: 'pQ',
      aaguid: '',
      transports: [],
      purpose: 'passkey',
      isSyncable: true,
      counter: 0,
      isBackedUp: true,
    },
    '',
  )
}

async function credentialsOf({ domain, tenant }: TestIssuer, user: User): Promise<Credential[]> {
  const page = { after: undefined, limit: 100 }
  return (await domain.store.credentials.list(tenant.id, user.id, page))?.items ?? []
}

const anyLogin = () => ({
  login: { loggedInAt: Date.now() / 1000 + 60 },
  at: Date.now() * 1000 + 1,
})

describe.each(allStoreKinds)('on %s', (store) => {
  const start = () =>
    startIssuer({
      store,
      passwords: instantPasswords,
      settings: { allowHardware: true, allowPasswords: false, allowTotpApp: true },
    })

  test('of the last two ways to log in, removed at once, one stays', async () => {
    await using issuer = await start()
    const tenant = { settings: issuer.tenant.settings, offered: [] }
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const user = await newUser(issuer)
      const keys = [aKey(issuer, user), aKey(issuer, user)]
      for (const key of keys) await addCredential(issuer.scope, key)

      const outcomes = await Promise.all(
        keys.map(({ id }, n) => {
          const ending = { ...anyLogin(), at: Date.now() * 1000 + n + 1 }
          return removeOwnCredential(issuer.scope, tenant, { userId: user.id, id }, ending)
        }),
      )

      expect(outcomes.filter((outcome) => outcome === 'removed')).toHaveLength(1)
      const left = await credentialsOf(issuer, user)
      expect(left).toHaveLength(1)
      expect(isOnlyWay(tenant, left, left[0]?.id ?? '')).toBe(true)
    }
  })

  test('a user has at most ten passkeys and security keys, also where several are added at once', async () => {
    await using issuer = await start()
    for (let round = 0; round < 3; round++) {
      const user = await newUser(issuer)
      for (let n = 0; n < 8; n++) await addCredential(issuer.scope, aKey(issuer, user))

      const added = await Promise.all(
        Array.from({ length: 6 }, () => addCredential(issuer.scope, aKey(issuer, user))),
      )

      expect(added.filter((outcome) => outcome === 'added')).toHaveLength(2)
      expect(await credentialsOf(issuer, user)).toHaveLength(10)
    }
  })

  test('a user has at most twenty accounts at providers, also where several are connected at once', async () => {
    await using issuer = await start()
    const user = await newUser(issuer)
    const account = () => ({
      connectionId: `con_${++count}`,
      issuer: 'https://id.example',
      subject: `subject ${count}`,
      email: '',
    })
    for (let n = 0; n < 18; n++) await connectAccount(issuer.scope, user, account())

    const connected = await Promise.all(
      Array.from({ length: 6 }, () => connectAccount(issuer.scope, user, account())),
    )

    expect(connected.filter(Boolean)).toHaveLength(2)
    expect(await credentialsOf(issuer, user)).toHaveLength(20)
  })

  test('a user has at most one authenticator app and one password, also where several are added at once', async () => {
    await using issuer = await start()
    const { scope } = issuer
    for (let round = 0; round < ROUNDS; round++) {
      const user = await newUser(issuer)
      const apps = Array.from({ length: 3 }, () =>
        addCredential(scope, totpCredential(scope, user, { seed: newSeed(), step: 0 })),
      )
      const password = { alg: 'plain', hash: 'correct horse', disabled: false, metadata: {} }
      const passwords = Promise.allSettled(
        Array.from({ length: 3 }, () => createCredential(scope, user.id, password)),
      )

      const outcomes = await Promise.all(apps)
      const created = await passwords

      expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1)
      expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect((await credentialsOf(issuer, user)).map(({ kind }) => kind).sort()).toEqual([
        'password',
        'totp_app',
      ])
    }
  })

  test('of several renewals of the recovery codes at once, one shows codes', async () => {
    await using issuer = await start()
    const { scope } = issuer
    for (let round = 0; round < ROUNDS; round++) {
      const user = await newUser(issuer)
      await renewRecoveryCodes(scope, user, undefined)
      const [last] = await credentialsOf(issuer, user)

      const shown = await Promise.all(
        Array.from({ length: 3 }, () => renewRecoveryCodes(scope, user, last?.rev)),
      )

      expect(shown.filter((codes) => codes !== undefined)).toHaveLength(1)
    }
  })

  test('a passkey and an account at a provider are one user’s of the tenant, also where several take them at once', async () => {
    await using issuer = await start()
    const { scope } = issuer
    for (let round = 0; round < ROUNDS; round++) {
      const users = await Promise.all([newUser(issuer), newUser(issuer), newUser(issuer)])
      const [first] = users
      const key = aKey(issuer, first as User)
      const account = { connectionId: 'con_1', issuer: 'https://id.example', email: '' }
      const subject = `subject ${++count}`

      const added = await Promise.all(
        users.map(({ id }) => addCredential(scope, { ...key, userId: id })),
      )
      const connected = await Promise.all(
        users.map((user) => connectAccount(scope, user, { ...account, subject })),
      )

      expect(added.filter((outcome) => outcome === 'added')).toHaveLength(1)
      expect(connected.filter(Boolean)).toHaveLength(1)
    }
  })

  test('an address is one user’s of the tenant, also where several take it at once', async () => {
    await using issuer = await start()
    const { scope } = issuer
    for (let round = 0; round < ROUNDS; round++) {
      const users = await Promise.all([newUser(issuer), newUser(issuer), newUser(issuer)])
      const wanted = `wanted-${++count}@example.com`

      const changed = await Promise.allSettled(
        users.map((user) => changeAddress(scope, user, wanted, anyLogin().login)),
      )

      expect(changed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  })

  test('credentials that are added while the owner claims the account stay only if they were added after the claim', async () => {
    await using issuer = await start()
    const { scope } = issuer
    for (let round = 0; round < ROUNDS; round++) {
      const email = `claimed-${++count}@example.com`
      const input = { email, emailVerified: false, disabled: false, metadata: {}, profile: {} }
      const user = await createUser(scope, input)
      const stranger = { loggedInAt: Date.now() / 1000 - 1 }

      const [claimed] = await Promise.all([
        claimAccount(scope, user),
        addCredential(scope, aKey(issuer, user), { login: stranger }),
        addCredential(scope, mailCredential(scope, user), { login: stranger }),
      ])

      expect(claimed?.isFirstProof).toBe(true)
      expect(await credentialsOf(issuer, user)).toEqual([])
    }
  })
})
