import { describe, expect, test } from 'vitest'
import { anAudit } from '../store/records.ts'
import { type Answer, type Api, startApi, stores } from '../support/api.ts'
import { openApi } from '../support/context.ts'
import { expectError } from '../support/errors.ts'

/** A body in which `url` stands where each of the three members has URLs. */
const members: [name: string, bodyOf: (url: unknown) => object][] = [
  ['login_url', (url) => ({ login_url: url })],
  ['logout_urls', (url) => ({ logout_urls: ['https://a.example/', url] })],
  ['redirect_urls', (url) => ({ redirect_urls: ['https://a.example/', url] })],
]

async function setDeveloperMode(api: Api, isOn: boolean): Promise<Answer> {
  const { body } = await api.get(api.tenant)
  const settings = { ...body.settings, developer_mode: isOn }
  const answer = await api.post(api.tenant, { settings })
  expect(answer.status).toBe(200)
  return answer
}

describe.each(members)('%s', (_, bodyOf) => {
  test.each([
    'https://app.example.com/callback',
    'https://app.example.com:8443/callback?tenant=a&b=c',
    'HTTPS://App.Example.com/',
    'http://localhost/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1:3000/callback',
    'http://[::1]:3000/callback',
    'http://acme.localhost:4400/callback',
    `https://app.example.com/${'x'.repeat(1_976)}`,
  ])('may be %s, and is given back as it was sent', async (url) => {
    await using api = await startApi()

    expect(await api.create(api.applications, bodyOf(url))).toMatchObject(bodyOf(url))
  })

  test.each([
    ['relative', '/callback'],
    ['a host alone', 'app.example.com'],
    ['plain http on a public host', 'http://app.example.com/callback'],
    ['http on a host that only looks like loopback', 'http://localhost.example.com/'],
    ['http on a private network', 'http://192.168.0.1/'],
    ['of another scheme', 'com.example.app:/callback'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['with a fragment', 'https://app.example.com/#home'],
    ['with an empty fragment', 'https://app.example.com/#'],
    ['with a user name', 'https://ada@app.example.com/'],
    ['with a password', 'https://:secret@app.example.com/'],
    ['with a space', 'https://app.example.com/a b'],
    ['surrounded by spaces', ' https://app.example.com/ '],
    ['without a host', 'https://'],
    ['longer than 2,000 characters', `https://app.example.com/${'x'.repeat(1_977)}`],
    ['with U+0000', 'https://app.example.com/\0'],
  ])('that is %s is refused with invalid_url', async (_, url) => {
    await using api = await startApi()

    expectError(await api.post(api.applications, bodyOf(url)), 400, 'invalid_url')
    const { id } = await api.create(api.applications, {})
    expectError(await api.post(`${api.applications}/${id}`, bodyOf(url)), 400, 'invalid_url')
  })

  test('that is no string is refused with invalid_url', async () => {
    await using api = await startApi()

    for (const url of [17, null, { url: 'https://app.example.com' }]) {
      const answer = await api.post(api.applications, bodyOf(url))
      expectError(answer, 400, 'invalid_url')
    }
  })

  test('may be http on any host in developer mode, and no longer when it is switched off', async () => {
    await using api = await startApi()
    const body = bodyOf('http://app.internal:8080/callback')

    await setDeveloperMode(api, true)
    const { id } = await api.create(api.applications, body)
    expectError(await api.post(api.applications, bodyOf('ftp://app.internal/')), 400, 'invalid_url')
    await setDeveloperMode(api, false)

    expectError(await api.post(api.applications, body), 400, 'invalid_url')
    expect((await api.get(`${api.applications}/${id}`)).body).toMatchObject(body)
  })

  test('that developer mode allowed is accepted when it is posted back, and no other', async () => {
    await using api = await startApi()
    await setDeveloperMode(api, true)
    const url = 'http://app.internal:8080/callback'
    const { id } = await api.create(api.applications, bodyOf(url))
    await setDeveloperMode(api, false)
    const path = `${api.applications}/${id}`
    const { body } = await api.get(path)

    const answer = await api.post(path, { ...body, name: 'New' })

    expect(answer.body).toEqual({ ...body, name: 'New', updated_at: answer.body.updated_at })
    const other = { ...body, ...bodyOf('http://other.internal/') }
    expectError(await api.post(path, other), 400, 'invalid_url')
    await api.post(path, {})
    expectError(await api.post(path, bodyOf(url)), 400, 'invalid_url')
  })
})

describe.each(stores)('on %s, when developer mode is switched off', (store) => {
  test('plain-http redirect URLs stop working, and a warning names their applications', async () => {
    await using api = await startApi(store, { allowDeveloperMode: true })
    await setDeveloperMode(api, true)
    const redirect = 'http://app.internal:8080/callback'
    const shop = await api.create(api.applications, { name: 'Shop', redirect_urls: [redirect] })
    const safe = await api.create(api.applications, {
      redirect_urls: ['https://app.example.com/', 'http://localhost:3000/'],
    })
    const authorize = async () => {
      const query = new URLSearchParams({
        client_id: shop.id,
        response_type: 'code',
        redirect_uri: redirect,
        scope: 'openid',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      })
      const url = `https://acme.example/oidc/auth?${query}`
      return (await api.service.fetch(url, { redirect: 'manual' })).status
    }
    expect(await authorize()).toBe(303)

    const off = await setDeveloperMode(api, false)

    expect(off.status).toBe(200)
    expect(off.body.settings).not.toHaveProperty('developer_mode')
    expect(off.headers.get('latchkey-warning')).toContain(`${shop.id} "Shop"`)
    expect(off.headers.get('latchkey-warning')).not.toContain(safe.id)
    expect(await authorize()).toBe(400)

    const on = await setDeveloperMode(api, true)
    expect(on.headers.has('latchkey-warning')).toBe(false)
    expect(await authorize()).toBe(303)
  })
})

test.each(['logout_urls', 'redirect_urls'])('%s hold at most 50 URLs', async (name) => {
  await using api = await startApi()
  const urls = Array.from({ length: 51 }, (_, i) => `https://app.example.com/${i}`)

  const full = await api.create(api.applications, { [name]: urls.slice(1) })
  expect(full[name]).toEqual(urls.slice(1))
  expectError(await api.post(api.applications, { [name]: urls }), 400, 'invalid_url')
})

test.each(['logout_urls', 'redirect_urls'])('%s must be an array', async (name) => {
  await using api = await startApi()

  for (const urls of ['https://app.example.com/', { 0: 'https://app.example.com/' }, null]) {
    expectError(await api.post(api.applications, { [name]: urls }), 400, 'invalid_url')
  }
})

test('the detail of a refusal names the URL by its place', async () => {
  await using api = await startApi()

  const { headers } = await api.post(api.applications, {
    redirect_urls: ['https://app.example.com/', 'app.example.com'],
  })

  expect(headers.get('latchkey-error-detail')).toContain('redirect_urls[1]')
})

describe.each(stores)('on %s', (store) => {
  test.each(['logout_urls', 'redirect_urls'])('%s hold no wildcards', async (name) => {
    await using api = await startApi(store)

    for (const url of ['https://*.example.com/', 'https://app.example.com/*']) {
      const answer = await api.post(api.applications, { [name]: [url] })
      expectError(answer, 400, 'invalid_url')
      expect(answer.headers.get('latchkey-error-detail')).toContain(`"${name}[0]"`)
    }
  })

  test.each([
    'app.example.com/logout',
    'not a url',
    'http://app.example.com/logout',
    'https://app.example.com/logout#now',
    'https://user@app.example.com/logout',
    'ftp://app.example.com/logout',
  ])('backchannel_logout_uri cannot be %s', async (uri) => {
    await using api = await startApi(store)
    const metadata = { backchannel_logout_uri: uri }

    const answer = await api.post(api.applications, { name: 'Shop', metadata })

    expectError(answer, 400, 'invalid_url')
    expect(answer.headers.get('latchkey-error-detail')).toContain('backchannel_logout_uri')
    const application = await api.create(api.applications, { name: 'Shop' })
    const path = `${api.applications}/${application.id}`
    expectError(await api.post(path, { ...application, metadata }), 400, 'invalid_url')
  })
})

test('stored URLs that a newer rule forbids are accepted when they are posted back, and returned as stored', async () => {
  await using api = await openApi()
  const { id } = await api.create(api.applications, { name: 'Shop' })
  await api.context.store.applications.update(
    api.tenantId,
    id,
    (current) => ({
      ...current,
      redirectUrls: ['https://*.example.com/'],
      logoutUrls: ['https://app.example.com/*'],
      metadata: { backchannel_logout_uri: 'nowhere' },
    }),
    anAudit('x', { tenantId: api.tenantId, target: id }),
  )
  const path = `${api.applications}/${id}`
  const { body } = await api.get(path)

  const answer = await api.post(path, { ...body, name: 'New' })

  expect(answer.body).toEqual({ ...body, name: 'New', updated_at: answer.body.updated_at })
  const added = { ...body, redirect_urls: [...body.redirect_urls, 'https://*.example.org/'] }
  expectError(await api.post(path, added), 400, 'invalid_url')
})
