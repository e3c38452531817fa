import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { deleteUser } from '../../src/domain/users/users.ts'
import { newId } from '../../src/domain/writes/ids.ts'
import {
  addRegistered,
  dropRegistered,
  keepRegistered,
} from '../../src/issuer/provider/clients/registrations.ts'
import { keepConsent } from '../../src/issuer/provider/consents.ts'
import {
  ask,
  connect,
  consent,
  linkOn,
  open,
  redeem,
  refresh,
  register,
  startOpenIssuer,
  tokenRequest,
  webCallback,
} from './support/agent.ts'
import { ada, claimsOf, notes } from './support/apis.ts'
import { createBrowser, createVisitor, trustedProxies } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { allStoreKinds, movesTheClock, startIssuer } from './support/issuer.ts'
import { moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const on = { latchkey_client_documents: 'any', latchkey_client_registration: 'true' }
const onDevice = { redirect_uris: ['http://127.0.0.1/callback'] }
const oneProcess = { store: 'memory' } as const

describe.each(allStoreKinds)('on %s', (store) => {
  test('a client registers itself, and gets a token for the API that the user has agreed to', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const { status, body, headers } = await register(issuer, { client_name: 'Note Taker' })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toMatchObject({
      client_name: 'Note Taker',
      redirect_uris: [webCallback],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_id_issued_at: expect.any(Number),
    })
    for (const name of ['client_secret', 'registration_access_token', 'registration_client_uri']) {
      expect(body).not.toHaveProperty(name)
    }
    const id = String(body.client_id)
    const asked = ask(issuer, id)
    const browser = createBrowser(issuer)
    const page = await open(issuer, asked, browser)
    expect(page.html).toContain('A program of <strong>agent.example</strong>')
    expect(page.html).toContain('It calls itself “Note Taker”. We have not checked that name')
    expect(page.html).toContain('Read your notes')
    const callback = await consent(browser, page)
    expect(callback.searchParams.get('iss')).toBe(issuer.url)
    const { body: tokens } = await redeem(issuer, asked, callback)
    expect(claimsOf(tokens.access_token ?? '')).toMatchObject({
      ...{ aud: notes, sub: issuer.user.id, scope: 'notes:read', client_id: id },
    })
    const next = await refresh(issuer, id, tokens.refresh_token)
    expect(next.body.scope).toBe('notes:read')
    const silent = await browser.get(ask(issuer, id, { prompt: 'none' }).url)
    expect(silent.location).toContain('code=')
    const wider = await browser.get(ask(issuer, id, { scope: 'notes:read notes:write' }).url)
    expect(wider.html).toContain('Change your notes')
    expect(issuer.problems).toEqual([])
  })

  test('a used refresh token that a client sends with its scope a day later ends the access', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const { body } = await register(issuer)
    const id = String(body.client_id)
    const { tokens } = await connect(issuer, id)
    const first = await refresh(issuer, id, tokens.refresh_token)
    moveTime(86_400)

    const again = await refresh(issuer, id, tokens.refresh_token, { scope: 'notes:read' })
    expect(again.body.error).toBe('invalid_grant')
    expect((await refresh(issuer, id, first.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('its access is withdrawn on the account page and by an operator, and ends with the user', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const { body } = await register(issuer, onDevice)
    const id = String(body.client_id)
    const here = { redirect_uri: 'http://127.0.0.1:4711/callback' }
    const { browser, tokens } = await connect(issuer, id, here)
    const page = await browser.get('/account/access')
    expect(page.html).toContain('A program on your device')
    expect(page.html).toMatch(/Allowed [^<]+ Last used on \w+ \d/)
    const withdraw = /name="withdraw" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    await browser.submit(page, { withdraw })
    expect((await refresh(issuer, id, tokens.refresh_token)).body.error).toBe('invalid_grant')

    const again = await connect(issuer, id, here)
    const { scope, support, tenant, user } = issuer
    const [client] = (await support.stateOf(tenant, user, [])).clients
    expect(client).toMatchObject({ clientId: id, place: 'device', scopes: ['notes:read'] })
    await support.withdrawAccess(scope, user.id, client?.id ?? '')
    expect((await refresh(issuer, id, again.tokens.refresh_token)).body.error).toBe('invalid_grant')
    const third = await connect(issuer, id, here)
    await issuer.changeUser(user, { disabled: true })
    expect((await refresh(issuer, id, third.tokens.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a client that no user has agreed to is gone after a day, another one lives on', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const [unused, used] = [await register(issuer), await register(issuer)]
    await connect(issuer, String(used.body.client_id))
    moveTime(86_401)
    const gone = await createBrowser(issuer).get(ask(issuer, String(unused.body.client_id)).url)
    expect([gone.status, gone.location]).toEqual([400, undefined])
    const page = await createBrowser(issuer).get(ask(issuer, String(used.body.client_id)).url)
    expect(page.status).toBeLessThan(400)
  })

  test('a client that others have agreed to stays when a user is deleted, another one expires in a day', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const bob = await issuer.addUser({ ...ada, email: 'bob@example.com' })
    const browser = createBrowser(issuer)
    await browser.submit(await browser.get('/account'), {
      email: bob.email,
      password: ada.password,
    })
    const [shared, alone] = [await register(issuer), await register(issuer)].map(({ body }) =>
      String(body.client_id),
    ) as [string, string]
    const { tokens } = await connect(issuer, shared)
    // Bob is the last to agree to either.
    await connect(issuer, shared, {}, browser)
    await connect(issuer, alone, {}, browser)
    await deleteUser(issuer.scope, bob.id)
    await issuer.idle()

    const holder = { tenantId: issuer.tenant.id, kind: 'RegisteredClient' }
    const { protocol } = issuer
    expect(await protocol.listByAccount(holder.tenantId, holder.kind, bob.id)).toEqual([])
    const next = await refresh(issuer, shared, tokens.refresh_token)
    expect(next.status).toBe(200)
    moveTime(86_401)
    expect((await refresh(issuer, shared, next.body.refresh_token)).status).toBe(200)
    expect((await createBrowser(issuer).get(ask(issuer, shared).url)).status).toBeLessThan(400)
    expect((await createBrowser(issuer).get(ask(issuer, alone).url)).status).toBe(400)
  })

  test('A8: a client cannot change itself into a confidential one, and gets no other rights', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const { body } = await register(issuer, {
      client_id: issuer.application.id,
      client_secret: 'a secret of its own',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'client_credentials'],
      jwks: { keys: [] },
      scope: 'notes:write',
      post_logout_redirect_uris: [webCallback],
      backchannel_logout_uri: 'https://agent.example/logout',
      require_pushed_authorization_requests: true,
      [String('latchkey_client_credentials')]: 'allowed',
      [String('latchkey_profile')]: 'fapi2',
    })
    const id = String(body.client_id)
    expect(id).not.toBe(issuer.application.id)
    for (const name of ['client_secret', 'jwks', 'scope', 'backchannel_logout_uri']) {
      expect(body).not.toHaveProperty(name)
    }
    expect(JSON.stringify(body)).not.toMatch(/latchkey|agent\.example\/logout/)
    expect(body.post_logout_redirect_uris).toEqual([])
    expect(body.token_endpoint_auth_method).toBe('none')
    const fields = { grant_type: 'client_credentials', client_id: id, resource: notes }
    expect((await tokenRequest(issuer, fields)).body.error).toBe('unauthorized_client')
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const response = await issuer.fetch(`${issuer.url}/oidc/register/${id}`, {
        method,
        headers: { authorization: 'Bearer guessed', 'content-type': 'application/json' },
        ...(method === 'PUT' && { body: JSON.stringify({ ...body, client_secret: 'new' }) }),
      })
      expect([method, response.status >= 400]).toEqual([method, true])
    }
    const plain = ask(issuer, id, { code_challenge: undefined, code_challenge_method: undefined })
    const refused = await createBrowser(issuer).get(plain.url)
    expect(refused.location).toBeUndefined()
    expect(linkOn(refused, 'agent.example')).toContain('error=invalid_request')
    const other = ask(issuer, id, { redirect_uri: 'https://evil.example/callback' })
    expect((await createBrowser(issuer).get(other.url)).location).toBeUndefined()
  })

  test('A8: a name that is that of the tenant or an application is only a claim', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    for (const name of ['Acme', 'Shop', `Shop\u202e\n<b>login</b>${'!'.repeat(900)}`]) {
      const { body } = await register(issuer, { client_name: name, logo_uri: `${webCallback}.png` })
      const page = await open(issuer, ask(issuer, String(body.client_id)))
      expect(page.html).toContain('A program of <strong>agent.example</strong>')
      expect(page.html).toMatch(/It calls itself “(Acme|Shop[^”]*)”. We have not checked that name/)
      expect(page.html).not.toMatch(/\u202e|!{60}|\.png|<b>/)
    }
  })

  test('A11: under "listed" the hosts of all redirect URIs decide, and a change holds at once', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const { body } = await register(issuer)
    const id = String(body.client_id)
    const { tokens } = await connect(issuer, id)
    const listed = { ...on, latchkey_client_documents: 'listed' }
    await issuer.changeSettings({}, listed)
    const refused = await refresh(issuer, id, tokens.refresh_token)
    expect(refused.body.error).toBe('invalid_client')
    await issuer.changeSettings({}, { ...listed, latchkey_client_document_hosts: 'agent.example' })
    expect((await refresh(issuer, id, tokens.refresh_token)).status).toBe(200)
    const both = { redirect_uris: [webCallback, 'https://other.example/callback'] }
    for (const more of [both, onDevice, { redirect_uris: ['com.example.app:/callback'] }]) {
      const { status, body } = await register(issuer, more)
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
      expect(body.error_description).toContain('does not list')
    }
    const onlyDocuments = { latchkey_client_documents: 'any' }
    await issuer.changeSettings({}, onlyDocuments)
    expect((await createBrowser(issuer).get(ask(issuer, id).url)).status).toBe(400)
    expect((await refresh(issuer, id, tokens.refresh_token)).body.error).toBe('invalid_client')
  })

  test('a host that is blocked ends the access of its clients for good', async () => {
    await using issuer = await startOpenIssuer({ store }, on)
    const { body } = await register(issuer)
    const id = String(body.client_id)
    const { tokens, browser } = await connect(issuer, id)
    await issuer.changeSettings({}, { ...on, latchkey_client_documents_blocked: 'agent.example' })
    expect((await refresh(issuer, id, tokens.refresh_token)).body.error).toBe('invalid_client')
    expect((await register(issuer)).body.error).toBe('invalid_redirect_uri')
    await issuer.changeSettings({}, on)
    expect((await refresh(issuer, id, tokens.refresh_token)).body.error).toBe('invalid_grant')
    const again = await connect(issuer, id, {}, browser)
    expect(again.tokens.refresh_token).toBeTruthy()
    expect((await refresh(issuer, id, tokens.refresh_token)).body.error).toBe('invalid_grant')
  })
})

test('a client to which a user agrees while the last one is deleted keeps its lifetime and its user', async () => {
  // The clock stands still, so both writes are in the same millisecond.
  moveTime(0)
  await using issuer = await startOpenIssuer(oneProcess, on)
  const { protocol, domain, tenant } = issuer
  const holder = { tenant, context: { protocol, domain } }
  const id = String((await register(issuer)).body.client_id)
  await keepRegistered(holder, 'usr_1', id)
  const pageByAccount: typeof protocol.pageByAccount = async (...asked) => {
    const page = await protocol.pageByAccount(...asked)
    await keepRegistered(holder, 'usr_2', id)
    return page
  }
  const context = { domain, protocol: { ...protocol, pageByAccount } }
  await dropRegistered({ tenant, context }, 'usr_1')

  const listed = (user: string) => protocol.listByAccount(tenant.id, 'RegisteredClient', user)
  expect([(await listed('usr_1')).length, (await listed('usr_2')).length]).toEqual([0, 1])
  moveTime(86_401)
  expect(await listed('usr_2')).toHaveLength(1)
})

test('a user who agrees to a hundred more clients removes none that another one uses', async () => {
  await using issuer = await startOpenIssuer(oneProcess, on)
  const { protocol, domain, tenant } = issuer
  const holder = { tenant, context: { protocol, domain } }
  async function add(...users: string[]) {
    const clientId = newId('reg', systemClock)
    await addRegistered(holder, { client_id: clientId, redirect_uris: [webCallback] })
    const hosts = ['agent.example']
    for (const user of users) {
      await keepRegistered(holder, user, clientId)
      const asked = { clientId, name: undefined, place: webCallback, hosts, scopes: [], apis: {} }
      await keepConsent(holder, user, asked)
    }
    return clientId
  }
  const shared = await add('usr_1', 'usr_2')
  moveTime(1)
  const alone = await add('usr_2')
  moveTime(1)
  const others = []
  for (let at = 0; at < 100; at++) others.push(await add('usr_2'))

  moveTime(86_401)
  const find = async (id: string) => (await keepRegistered(holder, 'usr_3', id))?.clientId
  expect(await find(shared)).toBe(shared)
  expect(await find(alone)).toBeUndefined()
  for (const id of others) expect(await find(id)).toBe(id)
})

test('registration is off unless the tenant says so, and discovery tells', async () => {
  await using issuer = await startIssuer()
  const discovery = async (name: string) =>
    (await (await issuer.fetch(`${issuer.url}/.well-known/${name}`)).json()) as object
  const alone = issuer.changeSettings({}, { latchkey_client_registration: 'true' })
  await expect(alone).rejects.toMatchObject({ code: 'invalid_metadata' })
  for (const metadata of [{}, { latchkey_client_documents: 'any' }]) {
    await issuer.changeSettings({}, metadata)
    expect(await discovery('openid-configuration')).not.toHaveProperty('registration_endpoint')
    expect((await register(issuer)).status).toBe(404)
  }
  await issuer.changeSettings({}, on)
  for (const name of ['openid-configuration', 'oauth-authorization-server']) {
    expect(await discovery(name)).toMatchObject({
      registration_endpoint: `${issuer.url}/oidc/register`,
    })
  }
})

test('what cannot be registered is refused with the codes of RFC 7591', async () => {
  await using issuer = await startOpenIssuer(oneProcess, on)
  const refused: [object, string][] = [
    [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://agent.example/callback' }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://agent.example/callback'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [webCallback, 'javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://user@agent.example/callback'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://agent.example/callback#part'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['agent:/callback'] }, 'invalid_redirect_uri'],
    [{ ...onDevice, application_type: 'web' }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 21 }, () => webCallback) }, 'invalid_redirect_uri'],
    [{ application_type: 'other' }, 'invalid_client_metadata'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
    [{ client_name: 7 }, 'invalid_client_metadata'],
    [{ padding: 'x'.repeat(11_000) }, 'invalid_client_metadata'],
  ]
  for (const [more, error] of refused) {
    const { status, body } = await register(issuer, more)
    expect([more, status >= 400, body.error]).toEqual([more, true, error])
    expect(body).not.toHaveProperty('client_id')
  }
  const native = await register(issuer, { ...onDevice, application_type: 'native' })
  expect(native.body.application_type).toBe('native')
  const absent = { application_type: null, grant_types: null, response_types: '', client_name: '' }
  expect((await register(issuer, absent)).status).toBe(201)
})

test('A4: of a thousand registrations of one network few are kept, and others log in', async () => {
  await using issuer = await startOpenIssuer({ ...oneProcess, trustedProxies }, on)
  const before = (await issuer.audit()).length
  const app = await createClient(issuer)
  const all: Awaited<ReturnType<typeof register>>[] = []
  const since = performance.now()
  for (let at = 0; at < 20; at++) {
    all.push(...(await Promise.all(Array.from({ length: 50 }, () => register(issuer)))))
  }
  const minutes = 1 + Math.floor((performance.now() - since) / 60_000)
  const registered = all.filter(({ status }) => status === 201)
  expect(registered.length).toBeGreaterThan(0)
  expect(registered.length).toBeLessThanOrEqual(30 * minutes)
  const last = all.find(({ status }) => status !== 201)
  expect(last?.status).toBe(429)
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await issuer.audit()).toHaveLength(before)
  const { callback } = await logIn(issuer, app, ada, createVisitor(issuer))
  expect(callback.location).toContain('code=')
})
