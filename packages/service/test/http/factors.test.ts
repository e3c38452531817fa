import { describe, expect, test } from 'vitest'
import type { Credential } from '../../src/store/records.ts'
import { type Api, stores } from '../support/api.ts'
import { type OpenApi, openApi } from '../support/context.ts'
import { expectError } from '../support/errors.ts'
import { bcryptOf } from '../support/hashes.ts'

const secrets = ['v1.seed', 'hash-of-a-code']

const KEY = 'hwk_0123456789abcdefghjkmnpqrs'
const SOCIAL = 'soc_0123456789abcdefghjkmnpqrs'

/** A user with one credential of every kind; `path` is where they are. */
async function withFactors(api: OpenApi): Promise<{ id: string; path: string }> {
  const { id } = await api.createUser()
  const path = `${api.users}/${id}/credentials`
  await api.create(path, { password: { alg: 'bcrypt', hash: bcryptOf[10] } })
  const now = Date.now() * 1000 + 1_000
  const record = (name: string, age: number) => ({
    id: name,
    tenantId: api.tenantId,
    userId: id,
    createdAt: now + age,
    updatedAt: now + age,
    metadata: {},
    disabled: false,
    rev: 1,
  })
  const kinds: Credential[] = [
    {
      ...record('totp_app', 1),
      kind: 'totp_app',
      sealedSeed: 'v1.seed',
      state: { lastStep: 7, usedAt: 1_700_000_000_000_000 },
    },
    { ...record('totp_email', 2), kind: 'totp_email', state: {} },
    {
      ...record('recovery_codes', 3),
      kind: 'recovery_codes',
      sealedKey: 'v1.key',
      hashes: [...secrets],
      state: {},
    },
    {
      ...record(KEY, 4),
      kind: 'hardware',
      name: 'Laptop',
      rpId: 'acme.example',
      keyId: 'id-of-the-key',
      publicKey: 'public-key',
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: ['internal'],
      purpose: 'passkey',
      isSyncable: true,
      state: { counter: 3, isBackedUp: true, usedAt: 1_700_000_000_000_000 },
    },
    {
      ...record(SOCIAL, 5),
      kind: 'social',
      connectionId: 'con_0123456789abcdefghjkmnpqrs',
      issuer: 'https://accounts.example.com',
      subject: '4711',
      email: 'ada@example.com',
      state: { usedAt: 1_700_000_000_000_000 },
    },
  ]
  for (const credential of kinds) {
    const audit = { at: now, actor: `user:${id}`, action: 'credential.create', target: id }
    await api.context.store.credentials.insert(credential, {
      ...audit,
      tenantId: api.tenantId,
      outcome: 'success',
      requestId: undefined,
      address: undefined,
      userAgent: undefined,
      applicationId: undefined,
    })
  }
  return { id, path }
}

const ids = ['totp_app', 'totp_email', 'recovery_codes', KEY, SOCIAL]

/** What an update posts back. */
async function read(api: Pick<Api, 'get'>, path: string): Promise<Record<string, unknown>> {
  return (await api.get(path)).body
}

describe.each(stores)('on %s', (store) => {
  test('the answer to a change of the domain says how many passkeys and security keys end with it', async () => {
    await using api = await openApi(store)
    await withFactors(api)
    const change = async (settings: object) => {
      const all = { allow_passwords: true, allow_hardware: true, ...settings }
      const answer = await api.post(api.tenant, { settings: all })
      expect(answer.status).toBe(200)
      return answer.headers.get('latchkey-warning')
    }
    const lost =
      'Passkeys and security keys that users added at another domain do not work at this one (1 of them). They work again when you set it back.'
    expect(await change({ domain: 'login.example' })).toBe(lost)
    expect(await change({ domain: 'login.example' })).toBeNull()
    expect(await change({ domain: 'acme.example:8443' })).toBeNull()
  })

  test('the credentials of a user are listed in the order of their creation, of every kind, without secrets', async () => {
    await using api = await openApi(store)
    const { path } = await withFactors(api)

    const { body } = await api.get(path)

    expect(body).toMatchObject({ total: 6, count: 6 })
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual([
      'PasswordCredential',
      'TotpAppCredential',
      'TotpEmailCredential',
      'RecoveryCredential',
      'HardwareCredential',
      'SocialCredential',
    ])
    expect(body.data[1]).toMatchObject({
      id: 'totp_app',
      totp_app: { digits: 6, period: 30, last_used_at: expect.stringMatching(/^2023-/) },
    })
    expect(body.data[3].recovery).toEqual({ remaining: 2 })
    expect(body.data[4].hardware).toEqual({
      name: 'Laptop',
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: ['internal'],
      discoverable: true,
      backed_up: true,
      last_used_at: expect.stringMatching(/^2023-/),
    })
    expect(body.data[5].social).toEqual({
      connection: 'con_0123456789abcdefghjkmnpqrs',
      issuer: 'https://accounts.example.com',
      subject: '4711',
      email: 'ada@example.com',
      last_used_at: expect.stringMatching(/^2023-/),
    })
    for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret)
    expect(JSON.stringify(body)).not.toContain('lastStep')
  })

  test('the pages of the list follow one another in the order of creation', async () => {
    await using api = await openApi(store)
    const { path } = await withFactors(api)

    const first = await api.get(`${path}?limit=2`)
    const second = await api.get(`${path}?limit=4&after=totp_app`)

    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual(['password', 'totp_app'])
    expect(first.headers.get('link')).toContain('after=totp_app')
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1))
    expect(second.headers.get('link')).toBeNull()
  })

  test('a list cannot go on after a credential that was deleted, and says so', async () => {
    await using api = await openApi(store)
    const { path } = await withFactors(api)
    await api.delete(`${path}/totp_app`)

    const answer = await api.get(`${path}?limit=4&after=totp_app`)

    expectError(answer, 400, 'invalid_request')
    expect(answer.headers.get('latchkey-error-detail')).toContain('Begin the list again')
    expect((await api.get(`${path}?after=${SOCIAL}`)).body).toMatchObject({ total: 5, count: 0 })
  })

  test.each(ids)('only the flag disabled and the metadata of %s can be changed', async (id) => {
    await using api = await openApi(store)
    const { path } = await withFactors(api)
    const before = await read(api, `${path}/${id}`)

    const { status, body, headers } = await api.post(`${path}/${id}`, {
      ...before,
      disabled: true,
      metadata: { note: 'lost' },
      totp_app: { digits: 8 },
    })

    expect(status).toBe(200)
    expect(body).toEqual({
      ...before,
      disabled: true,
      metadata: { note: 'lost' },
      updated_at: body.updated_at,
    })
    expect(body.updated_at).not.toBe(before.updated_at)
    expect(headers.get('latchkey-ignored-fields')).toContain('totp_app')
    expect(await read(api, `${path}/${id}`)).toEqual(body)
    const enabled = await api.post(`${path}/${id}`, { ...body, disabled: false, metadata: {} })
    expect(enabled.body).toEqual({ ...before, updated_at: enabled.body.updated_at })
  })

  test.each(ids)('%s can be deleted, which answers with its last version', async (id) => {
    await using api = await openApi(store)
    const { path } = await withFactors(api)
    const last = await read(api, `${path}/${id}`)

    expect((await api.delete(`${path}/${id}`)).body).toEqual(last)

    expectError(await api.get(`${path}/${id}`), 404, 'not_found')
    expectError(await api.post(`${path}/${id}`, last), 404, 'not_found')
    expect((await api.get(path)).body.total).toBe(5)
  })

  test('a factor of another user is not found under a user', async () => {
    await using api = await openApi(store)
    const { path } = await withFactors(api)
    const other = await api.createUser()
    const theirs = `${api.users}/${other.id}/credentials/totp_app`
    const body = await read(api, `${path}/totp_app`)

    expectError(await api.get(theirs), 404, 'not_found')
    expectError(await api.post(theirs, { ...body, disabled: true }), 404, 'not_found')
    expectError(await api.delete(theirs), 404, 'not_found')

    expect(await read(api, `${path}/totp_app`)).toEqual(body)
  })
})

test('only passwords can be created through the API', async () => {
  await using api = await openApi()
  const { id } = await api.createUser()
  const path = `${api.users}/${id}/credentials`

  for (const type of ['TotpAppCredential', 'TotpEmailCredential', 'SocialCredential', 'Other']) {
    const answer = await api.post(path, { type, totp_app: { digits: 6 } })
    expectError(answer, 400, 'invalid_request')
    expect(answer.headers.get('latchkey-error-detail')).toContain(
      'Only password credentials can be created here; users enrol the others themselves.',
    )
  }
  expect((await api.get(path)).body.total).toBe(0)
})

test('an update names the type of the stored credential, and no other', async () => {
  await using api = await openApi()
  const { path } = await withFactors(api)

  const answer = await api.post(`${path}/totp_app`, { type: 'PasswordCredential', disabled: true })

  expectError(answer, 400, 'invalid_request')
  expect(answer.headers.get('latchkey-error-detail')).toBe('"type" must be "TotpAppCredential".')
  expect(await read(api, `${path}/totp_app`)).not.toHaveProperty('disabled')
})
