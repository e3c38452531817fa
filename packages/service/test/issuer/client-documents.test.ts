import { describe, expect, test } from 'vitest'
import {
  ask,
  connect,
  consent,
  linkOn,
  open,
  redeem,
  refresh,
  startAgent,
  startOpenIssuer,
  trustsAgents,
} from './support/agent.ts'
import { claimsOf, notes } from './support/apis.ts'
import { createBrowser } from './support/browser.ts'
import { allStoreKinds, startIssuer } from './support/issuer.ts'

trustsAgents()

const discovery = async (issuer: { url: string; fetch: typeof fetch }, name: string) =>
  (await (await issuer.fetch(`${issuer.url}/.well-known/${name}`)).json()) as object

describe.each(allStoreKinds)('on %s', (store) => {
  test('an unregistered agent gets a token for the API that the user has agreed to', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const asked = ask(issuer, agent.id)
    const browser = createBrowser(issuer)
    const page = await open(issuer, asked, browser)
    expect(page.html).toContain(new URL(agent.id).host)
    expect(page.html).toContain('Note Taker')
    expect(page.html).toContain('Read your notes')
    expect(page.html).not.toContain('Change your notes')
    expect(page.html).toContain('agent.example')
    const callback = await consent(browser, page)
    expect(callback.searchParams.get('iss')).toBe(issuer.url)
    const { body } = await redeem(issuer, asked, callback)
    expect(body).toMatchObject({ token_type: 'Bearer', scope: 'notes:read' })
    expect(claimsOf(body.access_token ?? '')).toMatchObject({
      ...{ aud: notes, sub: issuer.user.id, scope: 'notes:read', client_id: agent.id },
    })
    expect(new Set(agent.reads)).toEqual(new Set(['/client.json']))
    // Each process reads it once.
    expect(agent.reads.length).toBeLessThanOrEqual(store === 'cluster' ? 5 : 1)
    expect(issuer.problems).toEqual([])
  })

  test('the consent is remembered for the same scopes, and wider ones are asked for again', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const { browser } = await connect(issuer, agent.id)
    const again = await browser.get(ask(issuer, agent.id).url)
    expect(again.location).toContain('code=')
    const wider = await browser.get(ask(issuer, agent.id, { scope: 'notes:read notes:write' }).url)
    expect(wider.html).toContain('Change your notes')
    const callback = await consent(browser, wider)
    expect(callback.searchParams.get('code')).toBeTruthy()
    const silent = await browser.get(ask(issuer, agent.id, { prompt: 'none' }).url)
    expect(silent.location).toContain('code=')
    const asked = await browser.get(ask(issuer, agent.id, { prompt: 'consent' }).url)
    expect(asked.html).toContain('name="answer"')
  })

  test('a user who denies sends the agent back without a code, and is asked again', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const browser = createBrowser(issuer)
    const page = await open(issuer, ask(issuer, agent.id), browser)
    const callback = await consent(browser, page, 'deny')
    expect(callback.searchParams.get('error')).toBe('access_denied')
    expect(callback.searchParams.has('code')).toBe(false)
    const again = await browser.get(ask(issuer, agent.id).url)
    expect(again.html).toContain('name="answer"')
    const silent = await browser.get(ask(issuer, agent.id, { prompt: 'none' }).url)
    expect(silent.location).toBeUndefined()
    expect(linkOn(silent, 'agent.example')).toContain('error=consent_required')
    expect(await issuer.actions()).toContain('consent.denied')
  })

  test('with offline_access it is refreshed, and says so on the page', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const scope = 'offline_access notes:read'
    const page = await open(issuer, ask(issuer, agent.id, { scope }))
    expect(page.html).toContain('while you are away')
    const { tokens } = await connect(issuer, agent.id, { scope })
    const next = await refresh(issuer, agent.id, tokens.refresh_token)
    expect(claimsOf(next.body.access_token ?? '')).toMatchObject({ aud: notes })
  })

  test('a refresh token of an agent that is used again ends its access, even within 30 seconds', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const { tokens } = await connect(issuer, agent.id, { scope: 'offline_access notes:read' })
    const first = await refresh(issuer, agent.id, tokens.refresh_token)
    expect(first.status).toBe(200)
    for (const token of [tokens.refresh_token, first.body.refresh_token]) {
      expect(await refresh(issuer, agent.id, token)).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      })
    }
  })
})

test('an agent on the device is asked for each time, on any port, with a warning', async () => {
  await using agent = await startAgent({ redirect_uris: ['http://127.0.0.1/callback'] })
  await using issuer = await startOpenIssuer()
  const here = { redirect_uri: 'http://127.0.0.1:4711/callback' }
  const { browser, tokens } = await connect(issuer, agent.id, here)
  expect(tokens.access_token).toBeTruthy()
  const again = await browser.get(
    ask(issuer, agent.id, { redirect_uri: 'http://127.0.0.1:4712/callback' }).url,
  )
  expect(again.html).toContain('A program on this device')
})

test('a tenant accepts no metadata documents unless it says so, and discovery tells', async () => {
  await using agent = await startAgent()
  await using issuer = await startIssuer()
  for (const name of ['openid-configuration', 'oauth-authorization-server']) {
    const off = await discovery(issuer as never, name)
    expect(off).not.toHaveProperty('client_id_metadata_document_supported')
    await issuer.changeSettings({}, { latchkey_client_documents: 'any' })
    expect(await discovery(issuer as never, name)).toMatchObject({
      client_id_metadata_document_supported: true,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
    })
    await issuer.changeSettings({}, {})
  }
  const refused = await createBrowser(issuer).get(ask(issuer, agent.id).url)
  expect(refused.status).toBe(400)
  expect(refused.location).toBeUndefined()
  expect(agent.reads).toEqual([])
})

test('an API is open to such agents only if its application says so', async () => {
  await using agent = await startAgent()
  await using issuer = await startIssuer()
  await issuer.changeSettings({}, { latchkey_client_documents: 'any' })
  await issuer.addApplication({
    metadata: { latchkey_api: notes, latchkey_api_scopes: '{"notes:read":"Read your notes"}' },
  })
  const page = await createBrowser(issuer).get(ask(issuer, agent.id).url)
  expect(page.location).toBeUndefined()
  expect(linkOn(page, 'agent.example')).toContain('error=invalid_target')
})

test('under "listed", hosts that are not listed are refused, and a blocked one loses its refreshes at once', async () => {
  await using agent = await startAgent()
  const { host } = new URL(agent.id)
  const listed = { latchkey_client_documents: 'listed', latchkey_client_document_hosts: host }
  await using issuer = await startOpenIssuer({}, listed)
  const { tokens } = await connect(issuer, agent.id, { scope: 'offline_access notes:read' })
  await issuer.changeSettings({}, { ...listed, latchkey_client_documents_blocked: host })
  expect((await refresh(issuer, agent.id, tokens.refresh_token)).body.error).toBe('invalid_client')
  const { status, html } = await createBrowser(issuer).get(ask(issuer, agent.id).url)
  expect([status, html]).toEqual([400, expect.stringContaining('blocked')])
  await issuer.changeSettings({}, { ...listed, latchkey_client_document_hosts: 'agent.example' })
  const other = await createBrowser(issuer).get(ask(issuer, agent.id).url)
  expect(other.html).toContain('does not list')
})

test('a logout goes on without the host of an agent', async () => {
  await using issuer = await startOpenIssuer()
  const agent = await startAgent()
  const { browser } = await connect(issuer, agent.id)
  await agent[Symbol.asyncDispose]()
  const page = await browser.get('/oidc/logout')
  const done = await browser.submit(page, { logout: 'yes' })
  expect(done.status).toBeLessThan(400)
  await issuer.idle()
  expect(issuer.problems).toEqual([])
})
