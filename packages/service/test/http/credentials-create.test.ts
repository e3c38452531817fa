import { verify } from '@node-rs/bcrypt'
import { describe, expect, test } from 'vitest'
import { type Answer, type Api, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'
import { bcryptOf, digestOf, digests, PASSWORD, toBase64 } from '../support/hashes.ts'

/** Creates a user and then the credential. */
async function create(api: Api, alg: unknown, hash: unknown): Promise<Answer> {
  const { id } = await api.createUser()
  return api.post(`${api.users}/${id}/credentials`, {
    type: 'PasswordCredential',
    password: { alg, hash },
  })
}

describe.each(stores)('on %s', (store) => {
  test('a created credential has the id password, and GET one and GET list return it', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser()
    const path = `${api.users}/${id}/credentials`

    const { status, body } = await api.post(path, {
      type: 'PasswordCredential',
      id: 'mine',
      metadata: { from: 'old shop' },
      password: { alg: 'bcrypt', hash: bcryptOf[10] },
    })

    expect(status).toBe(200)
    expect(body).toEqual({
      type: 'PasswordCredential',
      id: 'password',
      created_at: expect.any(String),
      updated_at: body.created_at,
      metadata: { from: 'old shop' },
      password: { alg: 'bcrypt', hash: bcryptOf[10], cost: 10 },
    })
    expect((await api.get(`${path}/password`)).body).toEqual(body)
    expect((await api.get(path)).body).toEqual({
      type: 'List',
      total: 1,
      count: 1,
      limit: 100,
      data: [body],
    })
  })

  test('a second password credential of a user is refused with already_exists, and the first stays', async () => {
    await using api = await startApi(store)
    const { id } = await api.createUser()
    const path = `${api.users}/${id}/credentials`
    const first = await api.create(path, { password: { alg: 'bcrypt', hash: bcryptOf[10] } })

    for (const password of [
      { alg: 'bcrypt', hash: bcryptOf[10] },
      { alg: 'bcrypt', hash: bcryptOf[12] },
      { alg: 'plain', hash: 'another' },
    ]) {
      expectError(await api.post(path, { password }), 409, 'already_exists')
    }

    expect((await api.get(path)).body.data).toEqual([first])
  })

  test('every user has a password credential of their own', async () => {
    await using api = await startApi(store)

    await create(api, 'bcrypt', bcryptOf[10])
    await create(api, 'bcrypt', bcryptOf[12])

    const users = (await api.get(api.users)).body.data
    const hashes = await Promise.all(
      users.map(async ({ id }: { id: string }) => {
        const { body } = await api.get(`${api.users}/${id}/credentials/password`)
        return body.password.hash
      }),
    )
    expect(hashes).toEqual([bcryptOf[10], bcryptOf[12]])
  })

  test('a plain password is stored as bcrypt at the standard cost', async () => {
    await using api = await startApi(store)

    const { body } = await create(api, 'plain', PASSWORD)

    expect(body.password).toEqual({
      alg: 'bcrypt',
      hash: expect.stringMatching(/^\$2[aby]\$10\$.{53}$/),
      cost: 10,
    })
    expect(await verify(PASSWORD, body.password.hash)).toBe(true)
  })

  test.each(digests)('a %s hash is stored wrapped in bcrypt', async (alg) => {
    await using api = await startApi(store)

    const { body } = await create(api, alg, digestOf[alg])

    expect(body.password).toEqual({
      alg: `${alg}|bcrypt`,
      hash: expect.stringMatching(/^\$2[aby]\$10\$.{53}$/),
      cost: 10,
    })
    expect(await verify(digestOf[alg], body.password.hash)).toBe(true)
  })
})

test.each(digests)(
  'a %s hash may be upper-case hexadecimal or base64, and is the same',
  async (alg) => {
    await using api = await startApi()
    const hex = digestOf[alg]

    for (const text of [hex.toUpperCase(), toBase64(hex)]) {
      const { body } = await create(api, alg, text)
      expect(body.password.alg).toBe(`${alg}|bcrypt`)
      expect(await verify(hex, body.password.hash)).toBe(true)
    }
  },
)

test.each(digests)(
  'a %s hash of another length or alphabet is refused with invalid_hash',
  async (alg) => {
    await using api = await startApi()
    const hex = digestOf[alg]
    const base64 = toBase64(hex)

    for (const text of [
      '',
      hex.slice(1),
      `${hex}0`,
      `${hex.slice(0, -1)}g`,
      ` ${hex}`,
      `0x${hex}`,
      base64.slice(4),
      `${base64}AAAA`,
      `${base64.slice(0, -4)}!!!!`,
      bcryptOf[10],
    ]) {
      expectError(await create(api, alg, text), 400, 'invalid_hash')
    }
  },
)

test.each([8, 9, 10, 11, 12])(
  'a bcrypt hash of cost %i is within the limits and stored unchanged',
  async (cost) => {
    await using api = await startApi()
    const hash = bcryptOf[10].replace('$10$', `$${String(cost).padStart(2, '0')}$`)

    expect((await create(api, 'bcrypt', hash)).body.password).toEqual({ alg: 'bcrypt', hash, cost })
  },
)

test.each([4, 5, 6, 7, 13, 14, 31])(
  'a bcrypt hash of cost %i is refused with bcrypt_cost_out_of_range',
  async (cost) => {
    await using api = await startApi()
    const hash = bcryptOf[10].replace('$10$', `$${String(cost).padStart(2, '0')}$`)

    expectError(await create(api, 'bcrypt', hash), 400, 'bcrypt_cost_out_of_range')
  },
)

test.each(['$2a$', '$2b$', '$2y$'])('a bcrypt hash may begin with %s', async (prefix) => {
  await using api = await startApi()
  const hash = bcryptOf[10].replace('$2b$', prefix)

  expect((await create(api, 'bcrypt', hash)).body.password.hash).toBe(hash)
})

test.each([
  ['empty', ''],
  ['of the broken version 2x', bcryptOf[10].replace('$2b$', '$2x$')],
  ['of the first version', bcryptOf[10].replace('$2b$', '$2$')],
  ['a character short', bcryptOf[10].slice(0, -1)],
  ['a character long', `${bcryptOf[10]}a`],
  ['followed by a line break', `${bcryptOf[10]}\n`],
  ['without a cost', bcryptOf[10].replace('$10$', '$$')],
  ['with a cost of one digit', bcryptOf[10].replace('$10$', '$8$')],
  ['of another alphabet', `${bcryptOf[10].slice(0, -1)}-`],
  ['of Argon2', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$c29tZWhhc2g'],
  ['no hash', PASSWORD],
])('a bcrypt hash that is %s is refused with invalid_hash', async (_, hash) => {
  await using api = await startApi()

  expectError(await create(api, 'bcrypt', hash), 400, 'invalid_hash')
})

test.each([
  'md4',
  'MD5',
  'Bcrypt',
  'sha-256',
  'sha224',
  'scrypt',
  'argon2id',
  '',
  'md5|bcrypt',
  'sha512|bcrypt',
  'plain|bcrypt',
  'constructor',
])('alg "%s" is refused on create with unsupported_algorithm', async (alg) => {
  await using api = await startApi()

  expectError(await create(api, alg, digestOf.md5), 400, 'unsupported_algorithm')
})

test.each([
  ['an alg that is no string', { password: { alg: 17, hash: 'x' } }],
  ['a hash that is no string', { password: { alg: 'plain', hash: 17 } }],
  ['no alg', { password: { hash: 'x' } }],
  ['no hash', { password: { alg: 'plain' } }],
  ['no password', {}],
  ['a password that is a string', { password: PASSWORD }],
  ['another type', { type: 'TotpCredential', password: { alg: 'plain', hash: 'x' } }],
  ['disabled as a string', { disabled: 'no', password: { alg: 'plain', hash: 'x' } }],
])('a credential with %s is refused with invalid_request', async (_, body) => {
  await using api = await startApi()
  const { id } = await api.createUser()
  const path = `${api.users}/${id}/credentials`

  expectError(await api.post(path, body), 400, 'invalid_request')
  expect((await api.get(path)).body.total).toBe(0)
})

test('a plain password has 1 to 72 bytes of UTF-8', async () => {
  await using api = await startApi()

  for (const password of ['x', 'x'.repeat(72), 'é'.repeat(36)]) {
    const { body } = await create(api, 'plain', password)
    expect(await verify(password, body.password.hash)).toBe(true)
  }
  for (const password of ['', 'x'.repeat(73), `${'é'.repeat(36)}x`, 'a\0b', 'a\ud800b', '\udc00']) {
    expectError(await create(api, 'plain', password), 400, 'password_policy')
  }
})

test('a plain password is measured and hashed in NFC', async () => {
  await using api = await startApi()
  const decomposed = 'e\u0301'.repeat(36)
  expect(Buffer.byteLength(decomposed)).toBe(108)

  const { status, body } = await create(api, 'plain', decomposed)

  expect(status).toBe(200)
  expect(await verify('é'.repeat(36), body.password.hash)).toBe(true)
})

test('a credential may be created disabled', async () => {
  await using api = await startApi()
  const { id } = await api.createUser()

  const credential = await api.create(`${api.users}/${id}/credentials`, {
    disabled: true,
    password: { alg: 'bcrypt', hash: bcryptOf[10] },
  })

  expect(credential.disabled).toBe(true)
})
