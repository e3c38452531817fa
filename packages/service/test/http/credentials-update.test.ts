import { verify } from '@node-rs/bcrypt'
import { describe, expect, test } from 'vitest'
import { type Api, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'
import { bcryptOf, digestOf, PASSWORD } from '../support/hashes.ts'

/** A user with a credential; answers with its address and what GET returns. */
async function credential(
  api: Api,
  password: object = { alg: 'bcrypt', hash: bcryptOf[10] },
): Promise<{ path: string; before: Awaited<ReturnType<Api['create']>> }> {
  const { id } = await api.createUser()
  const before = await api.create(`${api.users}/${id}/credentials`, { password })
  return { path: `${api.users}/${id}/credentials/password`, before }
}

describe.each(stores)('on %s', (store) => {
  test('posting the stored alg and hash leaves the password as it is', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api)

    const { body } = await api.post(path, { ...before, metadata: { a: 'b' } })

    expect(body).toEqual({ ...before, metadata: { a: 'b' }, updated_at: body.updated_at })
    expect((await api.get(path)).body).toEqual(body)
  })

  test('a wrapped hash that is posted back stays as well', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api, { alg: 'md5', hash: digestOf.md5 })
    expect(before.password.alg).toBe('md5|bcrypt')

    const { body } = await api.post(path, { ...before, disabled: true })

    expect(body).toEqual({ ...before, disabled: true, updated_at: body.updated_at })
  })

  test('a new hash of an algorithm for creates is handled as on create', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api)

    const bcrypt = await api.post(path, { password: { alg: 'bcrypt', hash: bcryptOf[12] } })
    expect(bcrypt.body.password).toEqual({ alg: 'bcrypt', hash: bcryptOf[12], cost: 12 })

    const wrapped = await api.post(path, { password: { alg: 'sha1', hash: digestOf.sha1 } })
    expect(wrapped.body.password).toMatchObject({ alg: 'sha1|bcrypt', cost: 10 })
    expect(await verify(digestOf.sha1, wrapped.body.password.hash)).toBe(true)

    const plain = await api.post(path, { password: { alg: 'plain', hash: 'battery staple' } })
    expect(plain.body.password).toMatchObject({ alg: 'bcrypt', cost: 10 })
    expect(await verify('battery staple', plain.body.password.hash)).toBe(true)
    expect(plain.body).toMatchObject({ id: 'password', created_at: before.created_at })
    expect((await api.get(path)).body).toEqual(plain.body)
  })

  test('the stored hash under another algorithm is refused with conflict, and its password still works', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api, { alg: 'sha1', hash: digestOf.sha1 })

    const { hash } = before.password
    expectError(await api.post(path, { password: { alg: 'bcrypt', hash } }), 409, 'conflict')

    expect((await api.get(path)).body).toEqual(before)
  })

  test('a wrapped hash other than the stored one is a stale copy, refused with conflict', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api, { alg: 'md5', hash: digestOf.md5 })

    for (const password of [
      { alg: 'md5|bcrypt', hash: bcryptOf[10] },
      { alg: 'sha1|bcrypt', hash: before.password.hash },
      { alg: 'sha512|bcrypt', hash: '' },
    ]) {
      const answer = await api.post(path, { disabled: true, password })
      expectError(answer, 409, 'conflict')
    }
    expect((await api.get(path)).body).toEqual(before)
  })

  test('an update with a value that create would refuse is refused, and changes nothing', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api)
    const refusals: [code: string, password: object][] = [
      ['unsupported_algorithm', { alg: 'md4', hash: 'x' }],
      ['unsupported_algorithm', { alg: 'bcrypt|bcrypt', hash: bcryptOf[10] }],
      ['invalid_hash', { alg: 'md5', hash: 'x' }],
      ['invalid_hash', { alg: 'bcrypt', hash: 'x' }],
      ['bcrypt_cost_out_of_range', { alg: 'bcrypt', hash: bcryptOf[4] }],
      ['password_policy', { alg: 'plain', hash: '' }],
      ['password_policy', { alg: 'plain', hash: 'x'.repeat(73) }],
      ['invalid_request', { alg: 'plain' }],
    ]
    for (const [code, password] of refusals) {
      expectError(await api.post(path, { disabled: true, password }), 400, code)
    }
    expect((await api.get(path)).body).toEqual(before)
  })

  test('cost in a body is ignored', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api)

    for (const cost of [12, 0, 'high', undefined]) {
      const { body } = await api.post(path, { ...before, password: { ...before.password, cost } })
      expect(body.password).toEqual(before.password)
    }
  })

  test('DELETE returns the last version, and the credential is gone', async () => {
    await using api = await startApi(store)
    const { path, before } = await credential(api)
    const last = (await api.post(path, { ...before, disabled: true })).body

    const deleted = await api.delete(path)

    expect([deleted.status, deleted.body]).toEqual([200, last])
    expectError(await api.get(path), 404, 'not_found')
    expectError(await api.post(path, before), 404, 'not_found')
    expectError(await api.delete(path), 404, 'not_found')
    const collection = path.replace('/password', '')
    expect((await api.get(collection)).body).toMatchObject({ total: 0, count: 0, data: [] })
    expect((await api.create(collection, { password: before.password })).disabled).toBeUndefined()
  })

  test('a change of credentials leaves the user as it is', async () => {
    await using api = await startApi(store)
    const user = await api.createUser()
    const path = `${api.users}/${user.id}`

    await api.create(`${path}/credentials`, { password: { alg: 'bcrypt', hash: bcryptOf[10] } })
    await api.post(`${path}/credentials/password`, { password: { alg: 'plain', hash: PASSWORD } })
    await api.delete(`${path}/credentials/password`)

    expect((await api.get(path)).body).toEqual(user)
  })
})

test('an update needs the password: the body is the full credential', async () => {
  await using api = await startApi()
  const { path } = await credential(api)

  expectError(await api.post(path, { disabled: true }), 400, 'invalid_request')
})

test('only the id password names a credential', async () => {
  await using api = await startApi()
  const { path, before } = await credential(api)
  const other = path.replace(/password$/, 'totp')

  expectError(await api.get(other), 404, 'not_found')
  expectError(await api.post(other, before), 404, 'not_found')
  expectError(await api.delete(other), 404, 'not_found')
})
