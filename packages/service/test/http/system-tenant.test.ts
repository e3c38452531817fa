import { expect, test } from 'vitest'
import { routes } from '../../src/http/app.ts'
import { methodOf } from '../../src/http/method.ts'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import { type Api, startApi, stores } from '../support/api.ts'
import { withoutRequest } from '../support/errors.ts'

/** A service with an operator, and a key that reaches all tenants. */
async function startWithOperator(store: (typeof stores)[number]) {
  const api = await startApi(store, { consoleUrl: 'https://console.example' })
  const { admin } = api.service
  const { operator } = await admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  const { secret } = await admin.createApiKey({ name: 'all', reach: 'all' })
  const headers = { authorization: `Bearer ${secret}` }
  const call = (method: string, path: string, body?: object) =>
    api.call(method, path, body, headers)
  return { api, admin, operator, call }
}

function pathOf(path: string, tenantId: string, userId: string): string {
  return path
    .replace(':tenant_id', tenantId)
    .replace(':user_id', userId)
    .replace(':application_id', 'app_x')
    .replace(':credential_id', 'password')
}

const ofTenants = routes.filter(({ path }) => path.includes(':tenant_id'))

for (const store of stores) {
  test(`no route of the API reads or writes the system tenant: a key of all tenants gets 404, as a key that reaches one tenant gets for others (${store})`, async () => {
    const { api, operator, call } = await startWithOperator(store)
    await using _: Api = api
    expect(ofTenants.length).toBeGreaterThan(15)
    for (const { kind, path } of ofTenants) {
      const method = methodOf(kind)
      const body = method === 'POST' ? {} : undefined
      // With a key that reaches the tenant, the body is judged before the tenant is looked up.
      const answer = await call(method, pathOf(path, SYSTEM_TENANT_ID, operator.id), body)
      const outside = await api.call(method, pathOf(path, 'ten_x', operator.id), body)
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} 404`)
      expect(withoutRequest(answer)).toEqual(withoutRequest(outside))
    }
    expect(await api.service.admin.listOperators()).toHaveLength(1)
  })

  test(`the list of tenants and its total are without the system tenant (${store})`, async () => {
    const { api, admin, call } = await startWithOperator(store)
    await using _: Api = api
    const { body } = await call('GET', '/v1/tenants')
    expect(body).toMatchObject({ total: 1, count: 1 })
    expect(JSON.stringify(body)).not.toContain(SYSTEM_TENANT_ID)
    expect(await admin.listTenants()).toHaveLength(1)
    expect(await admin.findTenant('system')).toBeUndefined()
    expect(await admin.findTenant('console.example')).toBeUndefined()
  })

  test(`no key names the system tenant, and no command deletes it (${store})`, async () => {
    const { api, admin } = await startWithOperator(store)
    await using _: Api = api
    const key = admin.createApiKey({ name: 'x', reach: [SYSTEM_TENANT_ID] })
    await expect(key).rejects.toMatchObject({ code: 'not_found' })
    await expect(admin.deleteTenant(SYSTEM_TENANT_ID)).rejects.toMatchObject({ code: 'not_found' })
  })

  test(`no tenant takes the host of the console as its domain (${store})`, async () => {
    const { api, admin, call } = await startWithOperator(store)
    await using _: Api = api
    const taken = admin.createTenant({ domain: 'console.example' })
    await expect(taken).rejects.toMatchObject({ code: 'invalid_request' })
    const tenant = (await call('GET', api.tenant)).body
    const moved = { ...tenant, settings: { ...tenant.settings, domain: 'console.example' } }
    expect((await call('POST', api.tenant, moved)).status).toBe(400)
  })
}
