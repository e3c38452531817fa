import { describe, expect, test } from 'vitest'
import { type Verification, verifyPassword } from '../../src/domain/users/passwords.ts'
import { stores } from '../support/api.ts'
import { type OpenApi, openApi } from '../support/context.ts'
import { expectError } from '../support/errors.ts'
import { bcryptOf, type Digest, digestOf, digests, PASSWORD } from '../support/hashes.ts'

/** What a login of the user decides. */
async function logIn(api: OpenApi, id: string, password = PASSWORD): Promise<Verification> {
  const user = await api.context.store.users.get(api.tenantId, id)
  return verifyPassword(api.scope, user, password)
}

/** A user with a password; answers with the addresses. */
async function userWith(
  api: OpenApi,
  password: object = { alg: 'bcrypt', hash: bcryptOf[10] },
): Promise<{ id: string; user: string; credential: string }> {
  const { id } = await api.createUser()
  const user = `${api.users}/${id}`
  await api.create(`${user}/credentials`, { password })
  return { id, user, credential: `${user}/credentials/password` }
}

const verified = expect.objectContaining({ kind: 'verified', upgraded: false })

/** Logs in twice, and expects the first login to have upgraded the hash. */
async function expectUpgrade(api: OpenApi, alg: Digest): Promise<void> {
  const { id, credential } = await userWith(api, { alg, hash: digestOf[alg] })
  const before = (await api.get(credential)).body

  expect(await logIn(api, id)).toMatchObject({ kind: 'verified', upgraded: true })

  const after = (await api.get(credential)).body
  expect(after).toEqual({
    ...before,
    password: { alg: 'bcrypt', hash: expect.any(String), cost: 10 },
    updated_at: expect.any(String),
  })
  expect(after.updated_at > before.updated_at).toBe(true)
  expect(after.password.hash).not.toBe(before.password.hash)
  expect(await logIn(api, id)).toEqual(verified)
  expect((await api.get(credential)).body).toEqual(after)
}

describe.each(stores)('on %s', (store) => {
  test('POST with disabled true disables a user, whose login is blocked, and false enables it', async () => {
    await using api = await openApi(store)
    const { id, user } = await userWith(api)
    const before = (await api.get(user)).body
    expect(await logIn(api, id)).toEqual(verified)

    const disabled = await api.post(user, { ...before, disabled: true })
    expect(disabled.body).toEqual({
      ...before,
      disabled: true,
      updated_at: disabled.body.updated_at,
    })
    expect((await api.get(user)).body.disabled).toBe(true)
    expect(await logIn(api, id)).toEqual({ kind: 'refused', reason: 'user_disabled' })

    const enabled = await api.post(user, { ...before, disabled: false })
    expect(enabled.body).not.toHaveProperty('disabled')
    expect(await logIn(api, id)).toEqual(verified)
  })

  test('the first login upgrades a wrapped hash and the next finds it upgraded', async () => {
    await using api = await openApi(store)

    await expectUpgrade(api, 'md5')
  })

  test.each([
    ['a wrapped hash', { alg: 'sha256', hash: digestOf.sha256 }],
    ['a hash of another cost', { alg: 'bcrypt', hash: bcryptOf[8] }],
  ])('a copy from before a login upgraded %s is refused with conflict', async (_, password) => {
    await using api = await openApi(store)
    const { id, credential } = await userWith(api, password)
    const copy = (await api.get(credential)).body
    await logIn(api, id)
    const upgraded = (await api.get(credential)).body

    expectError(await api.post(credential, { ...copy, disabled: true }), 409, 'conflict')

    expect((await api.get(credential)).body).toEqual(upgraded)
    const fresh = await api.post(credential, { ...upgraded, metadata: { a: 'b' } })
    expect(fresh.body.password).toEqual(upgraded.password)
    expectError(await api.post(credential, copy), 409, 'conflict')
  })
})

test('a POST that omits disabled enables', async () => {
  await using api = await openApi()
  const { id, user, credential } = await userWith(api)
  const [before, password] = [(await api.get(user)).body, (await api.get(credential)).body]
  await api.post(user, { ...before, disabled: true })
  await api.post(credential, { ...password, disabled: true })

  expect((await api.post(user, before)).body).not.toHaveProperty('disabled')
  expect((await api.post(credential, password)).body).not.toHaveProperty('disabled')

  expect(await logIn(api, id)).toEqual(verified)
})

test('POST with disabled true disables a credential, and false enables it', async () => {
  await using api = await openApi()
  const { id, credential } = await userWith(api)
  const before = (await api.get(credential)).body

  const disabled = await api.post(credential, { ...before, disabled: true })
  expect(disabled.body).toEqual({
    ...before,
    disabled: true,
    updated_at: disabled.body.updated_at,
  })
  expect(await logIn(api, id)).toEqual({ kind: 'refused', reason: 'credential_disabled' })

  const enabled = await api.post(credential, { ...before, disabled: false })
  expect(enabled.body).not.toHaveProperty('disabled')
  expect(await logIn(api, id)).toEqual(verified)
})

test('a user without credentials cannot log in, neither before the first nor after the last', async () => {
  await using api = await openApi()
  const { id } = await api.createUser()
  const credentials = `${api.users}/${id}/credentials`
  const none = { kind: 'refused', reason: 'no_password' }
  expect(await logIn(api, id)).toEqual(none)

  await api.create(credentials, { password: { alg: 'bcrypt', hash: bcryptOf[10] } })
  expect(await logIn(api, id)).toEqual(verified)

  await api.delete(`${credentials}/password`)
  expect(await logIn(api, id)).toEqual(none)
})

test.each(digests)(
  'the first login turns %s|bcrypt into bcrypt; hash and updated_at change',
  async (alg) => {
    await using api = await openApi()

    await expectUpgrade(api, alg)
  },
)

test.each([8, 12] as const)(
  'the first login turns bcrypt of cost %i into the standard cost',
  async (cost) => {
    await using api = await openApi()
    const { id, credential } = await userWith(api, { alg: 'bcrypt', hash: bcryptOf[cost] })

    expect(await logIn(api, id)).toMatchObject({ kind: 'verified', upgraded: true })

    const { password } = (await api.get(credential)).body
    expect(password).toMatchObject({ alg: 'bcrypt', cost: 10 })
    expect(await logIn(api, id)).toEqual(verified)
  },
)

test('a wrong password upgrades nothing', async () => {
  await using api = await openApi()
  const { id, credential } = await userWith(api, { alg: 'md5', hash: digestOf.md5 })
  const before = (await api.get(credential)).body

  for (const attempt of [digestOf.md5, '']) {
    expect(await logIn(api, id, attempt)).toEqual({ kind: 'refused', reason: 'wrong_password' })
  }
  expect((await api.get(credential)).body).toEqual(before)
})
