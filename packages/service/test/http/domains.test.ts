import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectApi, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const DAY = 24 * 60 * 60 * 1_000

describe.each(stores)('on %s', (store) => {
  test('a domain that a tenant gave up is held for it for 30 days', async () => {
    let now = Date.now()
    await using api = await startApi(store, { clock: { now: () => now } })
    const { admin } = api.service
    await api.post(api.tenant, { settings: { domain: 'new.example' } })

    now += 30 * DAY - 1_000
    await expect(admin.createTenant({ domain: 'acme.example' })).rejects.toMatchObject({
      code: 'already_exists',
      message: expect.stringContaining('30 days'),
    })
    now += 2_000
    const other = await admin.createTenant({ domain: 'acme.example' })
    expect(other.settings.domain).toBe('acme.example')
  })

  test('no other tenant can move to a domain that is held', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const other = await admin.createTenant({ domain: 'other.example' })
    const { secret } = await admin.createApiKey({ name: 'other', reach: [other.id] })
    await api.post(api.tenant, { settings: { domain: 'new.example' } })

    const answer = await api.post(
      `/v1/tenants/${other.id}`,
      { settings: { domain: 'acme.example' } },
      { authorization: `Bearer ${secret}` },
    )

    expectError(answer, 409, 'already_exists')
  })

  test('a tenant can go back to the domain that it gave up', async () => {
    await using api = await startApi(store)
    await api.post(api.tenant, { settings: { domain: 'new.example' } })

    const { body } = await api.post(api.tenant, { settings: { domain: 'acme.example' } })

    expect(body.settings.domain).toBe('acme.example')
    await expect(api.service.admin.createTenant({ domain: 'new.example' })).rejects.toMatchObject({
      code: 'already_exists',
    })
  })

  test('the operator can free a domain that is held', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    await api.post(api.tenant, { settings: { domain: 'new.example' } })

    await admin.freeDomain('ACME.example')

    expect((await admin.createTenant({ domain: 'acme.example' })).settings.domain).toBe(
      'acme.example',
    )
    expect(await admin.audit({ target: 'acme.example' })).toMatchObject([
      { action: 'tenant.free_domain', actor: 'admin' },
    ])
    await expect(admin.freeDomain('acme.example')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('the domain of a deleted tenant is available to a new tenant, but not to an existing one', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const { id } = await admin.createTenant({ domain: 'gone.example' })
    await admin.deleteTenant(id)

    const moved = await api.post(api.tenant, { settings: { domain: 'gone.example' } })
    expectError(moved, 409, 'already_exists')
    const created = await admin.createTenant({ domain: 'gone.example' })
    expect(created.settings.domain).toBe('gone.example')
  })

  test('at most ten domains are reserved for a tenant: the one it gave up first is free again', async () => {
    await using api = await startApi(store)
    for (let i = 0; i <= 10; i++) {
      await api.post(api.tenant, { settings: { domain: `d${i}.example` } })
    }

    const { admin } = api.service
    expect((await admin.createTenant({ domain: 'acme.example' })).settings.domain).toBe(
      'acme.example',
    )
    await expect(admin.createTenant({ domain: 'd0.example' })).rejects.toMatchObject({
      code: 'already_exists',
    })
  })
})

test.each([
  ['an IPv4 address', '203.0.113.7'],
  ['an IPv4 address in another notation', '0xcb.0.113.7'],
  ['an IPv4 address with a port', '203.0.113.7:8443'],
  ['an IPv6 address', '[2001:db8::7]'],
  ['a single label', 'intranet'],
  ['a top-level domain', 'com'],
  ['a public suffix', 'co.uk'],
  ['a public suffix in capitals', 'Co.Uk'],
  ['a public suffix with a port', 'co.uk:8443'],
  ['a public suffix in another script', '公司.cn'],
  ['a wildcard', '*.example.com'],
  ['a wildcard in percent-encoding', '%2A.example.com'],
  ['an underscore', 'my_login.example.com'],
  ['a dot at the end', 'login.example.com.'],
  ['a hyphen at the end of a label', 'login-.example.com'],
  ['a character that no host name has', 'log!n.example.com'],
  ['a label of 64 characters', `${'x'.repeat(64)}.example.com`],
  ['the host of the API', 'api.example.com'],
  ['the host of the API with a port', 'API.example.com:8443'],
])('a tenant cannot move to %s', async (_, domain) => {
  await using api = await startApi('memory', { apiHosts: ['api.example.com'] })

  const answer = await api.post(api.tenant, { settings: { domain } })

  expectError(answer, 400, 'invalid_request')
  expect(answer.headers.get('latchkey-error-detail')).toContain('settings.domain')
  await expect(api.service.admin.createTenant({ domain })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test.each([
  ['localhost', 'localhost'],
  ['a name below localhost', 'acme.localhost'],
  ['a loopback address', '127.0.0.1:4400'],
  ['another loopback address', '127.8.8.8'],
  ['the IPv6 loopback address', '[::1]:4400'],
])('a tenant cannot move to %s, but the operator may create one there', async (_, domain) => {
  await using api = await startApi()

  expectError(await api.post(api.tenant, { settings: { domain } }), 400, 'invalid_request')

  const tenant = await api.service.admin.createTenant({ domain })
  expect(tenant.settings.domain).toBe(domain)
})

test.each([
  ['a reserved domain', 'acme.test', 'acme.test'],
  ['a private domain', 'corp.internal', 'corp.internal'],
  ['a domain with a port', 'login.example.com:8443', 'login.example.com:8443'],
  ['a domain below the host of the API', 'acme.api.example.com', 'acme.api.example.com'],
  ['a name that its company gives to others', 'github.io', 'github.io'],
  ['a domain in another script', '例子.广告', 'xn--fsqu00a.xn--4rr70v'],
])('a tenant can move to %s', async (_, domain, stored) => {
  await using api = await startApi('memory', { apiHosts: ['api.example.com'] })

  const { body } = await api.post(api.tenant, { settings: { domain } })

  expect(body.settings.domain).toBe(stored)
})

test.each(['localhost', 'Acme.LocalHost:4400', '127.0.0.1:4400', '127.8.8.8', '[::1]:4400'])(
  'with allowHttpOnLoopback, a tenant can move to %s, but not to the host of the API',
  async (domain) => {
    const options = { allowHttpOnLoopback: true, apiHosts: ['api.localhost:4400'] }
    await using api = await startApi('memory', options)

    const { body } = await api.post(api.tenant, { settings: { domain } })

    expect(body.settings.domain).toBe(domain.toLowerCase())
    const taken = await api.post(api.tenant, { settings: { domain: 'api.localhost:4400' } })
    expectError(taken, 400, 'invalid_request')
  },
)

test.each([['https://api.example.com'], ['api.example.com/v1'], ['']])(
  'the option apiHosts refuses %o, which is no host',
  async (host) => {
    await expect(startApi('memory', { apiHosts: [host] })).rejects.toThrow(/"apiHosts"/)
  },
)

test('a stored domain that a newer rule forbids is accepted when it is posted back, and returned as stored', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-service-test-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  const before = await createIdentityService({ data, allowHttpOnLoopback: true })
  const { id } = await before.admin.createTenant({ domain: 'acme.localhost' })
  const { secret } = await before.admin.createApiKey({ name: 'tests', reach: [id] })
  await before.close()
  await using service = await createIdentityService({ data, domainVerification: 'dns' })
  const api = connectApi(service.fetch, secret, id)

  const { body } = await api.get(api.tenant)
  const answer = await api.post(api.tenant, { ...body, name: 'New' })

  expect(answer.body).toEqual({ ...body, name: 'New', updated_at: answer.body.updated_at })
})
