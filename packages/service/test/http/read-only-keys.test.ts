import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

describe.each(stores)('on %s', (store) => {
  test('a read-only key reads everything, and every write with it is refused with 403', async () => {
    await using api = await startApi(store)
    const { admin } = api.service
    const user = await api.createUser()
    const application = await api.create(api.applications, { name: 'Shop' })
    const reach = [api.tenantId]
    const { key, secret } = await admin.createApiKey({ name: 'report', reach, readOnly: true })
    const headers = { authorization: `Bearer ${secret}` }
    const read = (path: string) => api.get(path, headers)
    const write = (method: string, path: string) =>
      api.call(method, path, method === 'POST' ? {} : undefined, headers)

    const own = [`${api.users}/${user.id}`, `${api.applications}/${application.id}`]
    const lists = [api.users, api.applications, `${api.users}/${user.id}/credentials`]
    for (const path of ['/v1/tenants', api.tenant, ...own, ...lists]) {
      expect((await read(path)).status).toBe(200)
    }
    for (const path of [api.tenant, ...own, ...lists, `/x${api.users}/import`]) {
      expectError(await write('POST', path), 403, 'not_permitted')
    }
    for (const path of own) expectError(await write('DELETE', path), 403, 'not_permitted')
    expect((await read(own[0] ?? '')).body).toEqual(user)

    // What the key cannot reach stays unknown to it.
    const other = await admin.createTenant({ domain: 'other.example' })
    expectError(await write('POST', `/v1/tenants/${other.id}/users`), 404, 'not_found')
    expectError(await write('POST', '/v1/nothing'), 404, 'not_found')
    expectError(await write('POST', '/v1/tenants'), 405, 'method_not_allowed')

    const listed = await admin.listApiKeys()
    expect(listed.map(({ readOnly }) => readOnly)).toEqual([false, true])
    const refusals = async () =>
      (await admin.audit()).filter(({ action }) => action === 'not_permitted')
    await expect.poll(async () => (await refusals()).length).toBe(9)
    expect((await refusals())[0]).toMatchObject({ actor: `key:${key.id}`, outcome: 'refused' })
  })
})
