import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const shop = {
  type: 'Application',
  name: 'Shop',
  login_url: 'https://shop.example/login',
  logout_urls: ['https://shop.example/bye', 'https://shop.example/'],
  redirect_urls: ['https://shop.example/callback'],
}

describe.each(stores)('on %s', (store) => {
  test('a created application has a generated id and no secret in the answer', async () => {
    await using api = await startApi(store)

    const { status, body } = await api.post(api.applications, shop)

    expect(status).toBe(200)
    expect(body).toEqual({
      ...shop,
      id: expect.stringMatching(/^app_[0-9a-hjkmnp-tv-z]{26}$/),
      created_at: expect.any(String),
      updated_at: body.created_at,
    })
  })

  test('secret is in the answers to GET one, GET list and update, and not in those to create and delete', async () => {
    await using api = await startApi(store)
    const created = await api.create(api.applications, shop)
    const path = `${api.applications}/${created.id}`

    const one = await api.get(path)
    const { secret } = one.body
    const list = await api.get(api.applications)
    const updated = await api.post(path, shop)
    const deleted = await api.delete(path)

    expect(created).not.toHaveProperty('secret')
    expect(secret).toMatch(/^.{32,}$/)
    expect(one.body).toEqual({ ...created, secret })
    expect(list.body.data).toEqual([one.body])
    expect(updated.body.secret).toBe(secret)
    expect(deleted.body).not.toHaveProperty('secret')
  })

  test('a secret stays, whether it is omitted, posted back or another is posted', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, shop)
    const path = `${api.applications}/${id}`
    const { secret } = (await api.get(path)).body

    for (const posted of [undefined, secret, 'mine', '', 17, null]) {
      const { status, body } = await api.post(path, { ...shop, secret: posted })
      expect([status, body.secret]).toEqual([200, secret])
    }
    expect((await api.get(path)).body.secret).toBe(secret)
  })

  test('a secret that the admin rotates is another one', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, shop)
    const path = `${api.applications}/${id}`
    const before = (await api.get(path)).body

    await api.service.admin.rotateApplicationSecret(api.tenantId, id)

    const { body } = await api.get(path)
    expect(body.secret).not.toBe(before.secret)
    expect(body).toEqual({ ...before, secret: body.secret, updated_at: body.updated_at })
    expect(body.updated_at > before.updated_at).toBe(true)
  })

  test('two applications have different secrets', async () => {
    await using api = await startApi(store)
    await api.create(api.applications, shop)
    await api.create(api.applications, shop)

    const { data } = (await api.get(api.applications)).body

    expect(data[0].secret).not.toBe(data[1].secret)
  })

  test('an update is a full replacement: what is omitted becomes empty', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, { ...shop, metadata: { a: 'b' } })
    const path = `${api.applications}/${id}`

    const { body } = await api.post(path, { redirect_urls: ['https://new.example/'] })

    expect(body).toEqual({
      type: 'Application',
      id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      secret: expect.any(String),
      logout_urls: [],
      redirect_urls: ['https://new.example/'],
    })
    expect((await api.get(path)).body).toEqual(body)
  })

  test('metadata can be set by posting the full application later', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, shop)
    const path = `${api.applications}/${id}`
    const before = (await api.get(path)).body

    const { body } = await api.post(path, { ...before, metadata: { team: 'web' } })

    expect(body).toEqual({ ...before, metadata: { team: 'web' }, updated_at: body.updated_at })
  })

  test('DELETE returns the last version, and the application is gone', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, shop)
    const kept = await api.create(api.applications, { name: 'Kept' })
    const path = `${api.applications}/${id}`
    const { secret: _, ...last } = (await api.post(path, { ...shop, name: 'Last' })).body

    const deleted = await api.delete(path)

    expect([deleted.status, deleted.body]).toEqual([200, last])
    expectError(await api.get(path), 404, 'not_found')
    expectError(await api.post(path, shop), 404, 'not_found')
    expectError(await api.delete(path), 404, 'not_found')
    const { total, data } = (await api.get(api.applications)).body
    expect([total, data.length, data[0].id]).toEqual([1, 1, kept.id])
  })
})

test('the order of URLs is kept', async () => {
  await using api = await startApi()
  const urls = ['https://z.example/', 'https://a.example/', 'https://m.example/']

  const created = await api.create(api.applications, { logout_urls: urls, redirect_urls: urls })

  expect(created).toMatchObject({ logout_urls: urls, redirect_urls: urls })
})

test.each([
  ['a name that is a number', { name: 17 }],
  ['a name of 1,001 characters', { name: 'x'.repeat(1_001) }],
  ['a name with U+0000', { name: 'a\0b' }],
  ['a name with half of a surrogate pair', { name: 'a\ud800' }],
])('an application with %s is refused with invalid_request', async (_, body) => {
  await using api = await startApi()

  expectError(await api.post(api.applications, body), 400, 'invalid_request')
  expect((await api.get(api.applications)).body.total).toBe(0)
})
