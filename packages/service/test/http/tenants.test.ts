import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const allSettings = {
  domain: 'login.acme.example',
  company_name: 'Acme',
  logo_image_text: 'ACME',
  support_email: 'help@acme.example',
  allow_social: true,
  allow_hardware: true,
  allow_passwords: true,
  allow_totp_app: true,
  allow_totp_email: true,
  allow_unverified: true,
  remember_device: true,
  remember_device_seconds: 86_400,
  remember_login_seconds: 3_600,
  allow_signups: true,
  developer_mode: true,
}

describe.each(stores)('on %s', (store) => {
  test('a new tenant allows passwords and sign-ups, remembers a login 14 and a device 30 days, and all else is off', async () => {
    await using api = await startApi(store)

    const { body } = await api.get(api.tenant)

    expect(body).toEqual({
      type: 'Tenant',
      id: expect.stringMatching(/^ten_[0-9a-hjkmnp-tv-z]{26}$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      settings: {
        domain: 'acme.example',
        allow_passwords: true,
        allow_signups: true,
        remember_login_seconds: 1_209_600,
        remember_device_seconds: 2_592_000,
      },
    })
  })

  test('every setting round-trips, and the update echoes the new values', async () => {
    await using api = await startApi(store)

    const { body } = await api.post(api.tenant, {
      name: 'Acme Ltd',
      metadata: { plan: 'gold' },
      settings: allSettings,
    })

    expect(body).toMatchObject({
      id: api.tenantId,
      name: 'Acme Ltd',
      metadata: { plan: 'gold' },
      settings: allSettings,
    })
    expect((await api.get(api.tenant)).body).toEqual(body)
    expect((await api.get('/v1/tenants')).body.data).toEqual([body])
  })

  test('an update is a full replacement: an omitted setting is off, zero or empty', async () => {
    await using api = await startApi(store)
    await api.post(api.tenant, { name: 'Acme', metadata: { a: 'b' }, settings: allSettings })

    const { body } = await api.post(api.tenant, { settings: { domain: 'acme.example' } })

    expect(body.settings).toEqual({ domain: 'acme.example' })
    expect(body).not.toHaveProperty('name')
    expect(body).not.toHaveProperty('metadata')
    expect((await api.get(api.tenant)).body).toEqual(body)
  })

  test.each(Object.keys(allSettings).filter((name) => name !== 'domain'))(
    'changing %s changes nothing else but updated_at',
    async (name) => {
      await using api = await startApi(store)
      const { body: before } = await api.post(api.tenant, { settings: allSettings })
      const { [name as 'allow_social']: _, ...rest } = before.settings

      const { body } = await api.post(api.tenant, { ...before, settings: rest })

      expect(body).toEqual({ ...before, settings: rest, updated_at: body.updated_at })
    },
  )

  test('a domain belongs to one tenant of the service', async () => {
    await using api = await startApi(store)
    await api.service.admin.createTenant({ domain: 'other.example' })
    const { body: before } = await api.get(api.tenant)

    for (const domain of ['other.example', 'OTHER.example']) {
      const answer = await api.post(api.tenant, { settings: { domain } })
      expectError(answer, 409, 'already_exists')
    }

    expect((await api.get(api.tenant)).body).toEqual(before)
  })

  test('deleting a tenant deletes everything in it', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const { secret } = await admin.createApiKey({ name: 'all', reach: 'all' })
    const headers = { authorization: `Bearer ${secret}` }
    const user = await api.createUser('ada@example.com')
    const application = await api.create(api.applications, { name: 'Shop' })

    await admin.deleteTenant(api.tenantId)

    for (const path of [
      api.tenant,
      api.users,
      api.applications,
      `${api.users}/${user.id}`,
      `${api.users}/${user.id}/credentials`,
      `${api.applications}/${application.id}`,
    ]) {
      expectError(await api.get(path, headers), 404, 'not_found')
    }
    expect((await api.get('/v1/tenants', headers)).body.total).toBe(0)
  })
})

test('a tenant is neither created nor deleted over /v1', async () => {
  await using api = await startApi()

  expectError(
    await api.post('/v1/tenants', { settings: { domain: 'b.example' } }),
    405,
    'method_not_allowed',
  )
  expectError(await api.delete(api.tenant), 405, 'method_not_allowed')
})

test.each([
  ['no settings', undefined],
  ['no domain', {}],
  ['an empty domain', { domain: '' }],
  ['a URL as domain', { domain: 'https://acme.example' }],
  ['a domain with a path', { domain: 'acme.example/login' }],
  ['a domain with a user', { domain: 'ada@acme.example' }],
  ['a domain with a space', { domain: 'acme .example' }],
  ['a domain that is no string', { domain: 17 }],
  ['a flag that is a string', { domain: 'acme.example', allow_social: 'true' }],
  ['a flag that is a number', { domain: 'acme.example', allow_signups: 1 }],
  ['a flag that is null', { domain: 'acme.example', allow_signups: null }],
  ['negative seconds', { domain: 'acme.example', remember_login_seconds: -1 }],
  ['a fraction of seconds', { domain: 'acme.example', remember_device_seconds: 1.5 }],
  ['seconds as a string', { domain: 'acme.example', remember_device_seconds: '60' }],
  ['seconds beyond all measure', { domain: 'acme.example', remember_login_seconds: 1e300 }],
  ['a company that is a list', { domain: 'acme.example', company_name: ['Acme'] }],
])('a tenant with %s is refused with invalid_request and stays as it was', async (_, settings) => {
  await using api = await startApi()
  const { body: before } = await api.get(api.tenant)

  const answer = await api.post(api.tenant, { settings })

  expectError(answer, 400, 'invalid_request')
  expect((await api.get(api.tenant)).body).toEqual(before)
})

test('support_email must be an email address', async () => {
  await using api = await startApi()

  const answer = await api.post(api.tenant, {
    settings: { domain: 'acme.example', support_email: 'help' },
  })

  expectError(answer, 400, 'invalid_email')
})

test.each([
  ['support_email', 'invalid_email'],
  ['allow_totp_email', 'invalid_request'],
])('%s of a wrong type is refused with %s', async (name, code) => {
  await using api = await startApi()

  const answer = await api.post(api.tenant, { settings: { domain: 'acme.example', [name]: 7 } })

  expectError(answer, 400, code)
})

test('a domain may have a port and is kept in lower case', async () => {
  await using api = await startApi()

  const { body } = await api.post(api.tenant, { settings: { domain: 'Login.Example.com:8443' } })

  expect(body.settings.domain).toBe('login.example.com:8443')
})
