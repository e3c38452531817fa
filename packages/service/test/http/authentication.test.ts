import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../src/domain/keys/api-keys.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { anAudit } from '../store/records.ts'
import { type Answer, type Api, startApi, stores } from '../support/api.ts'
import { openApi } from '../support/context.ts'
import { expectError, withoutRequest } from '../support/errors.ts'

const unknownKey = `latchkey_${'a'.repeat(43)}`

function as(api: Api, authorization: string): Promise<Answer> {
  return api.get('/v1/tenants', { authorization })
}

describe.each(stores)('on %s', (store) => {
  test('every kind of bad key has the same answer: 401 authentication_failure with www-authenticate: Bearer', async () => {
    let now = Date.now()
    await using api = await startApi(store, { clock: { now: () => now } })
    const { admin } = api.service
    const revoked = await admin.createApiKey({ name: 'revoked', reach: 'all' })
    await admin.revokeApiKey(revoked.key.id)
    const expiresAt = (now + 1_000) * 1_000
    const expired = await admin.createApiKey({ name: 'expired', reach: 'all', expiresAt })
    expect((await as(api, `Bearer ${expired.secret}`)).status).toBe(200)
    now += 1_000

    const answers = [
      await as(api, `Bearer ${unknownKey}`),
      await as(api, `Bearer ${revoked.secret}`),
      await as(api, `Bearer ${expired.secret}`),
      await as(api, ''),
      await as(api, 'Bearer'),
      await as(api, 'Bearer '),
      await as(api, api.key),
      await as(api, `Basic ${api.key}`),
      await as(api, `Bearer ${api.key}x`),
      await as(api, `Bearer ${api.key.slice(0, -1)}`),
      await as(api, `Bearer ${api.key.replace('latchkey_', 'lockey_')}`),
      await as(api, `Bearer ${api.key.toLowerCase()}`),
      await as(api, `Bearer ${api.key} ${api.key}`),
      await as(api, `Bearer ${'x'.repeat(5_000)}`),
    ]

    for (const answer of answers) {
      expectError(answer, 401, 'authentication_failure')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(withoutRequest(answer)).toEqual(withoutRequest(answers[0] as Answer))
    }
  })

  test('the tenants that a key may reach are what GET /v1/tenants returns for it', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const second = await admin.createTenant({ domain: 'second.example' })
    const third = await admin.createTenant({ domain: 'third.example' })
    const some = await admin.createApiKey({ name: 'two', reach: [second.id, third.id] })
    const all = await admin.createApiKey({ name: 'all', reach: 'all' })
    const ids = async (secret: string): Promise<unknown> => {
      const { body } = await as(api, `Bearer ${secret}`)
      expect([body.total, body.count]).toEqual([body.data.length, body.data.length])
      return body.data.map(({ id }: { id: string }) => id)
    }

    expect(await ids(api.key)).toEqual([api.tenantId])
    expect(await ids(some.secret)).toEqual([second.id, third.id])
    expect(await ids(all.secret)).toEqual([api.tenantId, second.id, third.id])
    const fourth = await admin.createTenant({ domain: 'fourth.example' })
    expect(await ids(all.secret)).toEqual([api.tenantId, second.id, third.id, fourth.id])

    await admin.deleteTenant(second.id)
    expect(await ids(some.secret)).toEqual([third.id])
  })
})

test('a request without an Authorization header is refused', async () => {
  await using api = await startApi()

  const response = await api.service.fetch(`https://api.example${api.users}`)

  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await response.json()).toMatchObject({ type: 'Error', code: 'authentication_failure' })
})

test('a request without a key learns nothing about routes, methods or bodies', async () => {
  await using api = await startApi()
  const nobody = { authorization: `Bearer ${unknownKey}` }

  const answers = [
    await api.get('/v1/tenants', nobody),
    await api.get('/v1/nothing', nobody),
    await api.call('PUT', api.users, undefined, nobody),
    await api.post(api.users, '{', nobody),
    await api.post(api.users, 'x', { ...nobody, 'content-type': 'text/plain' }),
    await api.post(api.users, 'x'.repeat(300_000), nobody),
  ]

  for (const answer of answers) expectError(answer, 401, 'authentication_failure')
})

test('a key is latchkey_ and 43 random characters of base62', async () => {
  await using service = await createIdentityService()

  const secrets = await Promise.all(
    Array.from({ length: 50 }, async () => {
      return (await service.admin.createApiKey({ name: 'x', reach: 'all' })).secret
    }),
  )

  for (const secret of secrets) expect(secret).toMatch(/^latchkey_[0-9A-Za-z]{43}$/)
  expect(new Set(secrets).size).toBe(50)
})

test('the service stores the hash and the last four characters of a key', async () => {
  await using service = await createIdentityService()

  const { key, secret } = await service.admin.createApiKey({ name: 'x', reach: 'all' })

  expect(key.last4).toBe(secret.slice(-4))
  expect(JSON.stringify(await service.admin.listApiKeys())).not.toContain(secret.slice(9, -4))
})

test('the scheme of the Authorization header is read in any case', async () => {
  await using api = await startApi()

  expect((await as(api, `bearer ${api.key}`)).status).toBe(200)
  expect((await as(api, `BEARER ${api.key}`)).status).toBe(200)
})

test('health, readiness and the OpenAPI document need no key', async () => {
  await using api = await startApi()

  for (const path of ['/x/health', '/x/ready', '/x/v1/openapi.json']) {
    expect((await api.get(path, { authorization: '' })).status).toBe(200)
  }
})

describe.each(['SQLite'] as const)('on %s', (store) => {
  test('a key is read once, and again after a key or a tenant was written', async () => {
    let reads = 0
    const wrap = (data: DataStore): DataStore => ({
      ...data,
      apiKeys: {
        ...data.apiKeys,
        findByHash(hash) {
          reads++
          return data.apiKeys.findByHash(hash)
        },
      },
    })
    await using api = await openApi(store, { wrap })
    const ask = async () => expect((await api.get(api.tenant)).status).toBe(200)
    for (let n = 0; n < 3; n++) await ask()
    await api.createUser()
    expect(reads).toBe(1)
    const scope = { context: api.context, actor: { name: 'admin' } }
    const { key } = await createApiKey(scope, { name: 'other', reach: 'all' })
    for (let n = 0; n < 3; n++) await ask()
    expect(reads).toBe(2)
    const [own] = await api.context.store.apiKeys.list()
    expect(own?.id).not.toBe(key.id)
    await revokeApiKey(scope, own?.id ?? '')
    expect((await api.get(api.tenant)).status).toBe(401)
  })
})

test('a key that another process revoked in the data folder is refused from then on', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-service-test-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  await using service = await createIdentityService({ data })
  const { secret, key } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const ask = () =>
    service.fetch('https://api.example/v1/tenants', {
      headers: { authorization: `Bearer ${secret}` },
    })
  for (let n = 0; n < 2; n++) expect((await ask()).status).toBe(200)

  const beside = await openSqliteDataStore(data)
  await beside.apiKeys.revoke(key.id, Date.now() * 1_000, anAudit('api_key.revoke'))
  await beside.close()

  expect((await ask()).status).toBe(401)
})
