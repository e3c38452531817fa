import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { deleteUser } from '../../src/domain/users/users.ts'
import type { ProtocolEntry, ProtocolStore } from '../../src/store/protocol-store.ts'
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
  webCallback,
} from './support/agent.ts'
import { ada, claimsOf, notes, prices } from './support/apis.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { allStoreKinds } from './support/issuer.ts'
import { moveTime } from './support/token-endpoint.ts'

trustsAgents()

afterEach(() => {
  vi.useRealTimers()
})

/** Bounds and the cache of documents are those of a process. */
const oneProcess = { store: 'memory' } as const

const any = { latchkey_client_documents: 'any' }
const offline = { scope: 'offline_access notes:read' }

describe.each(allStoreKinds)('on %s', (store) => {
  test('A1: a document that changes its redirect URIs after consent gets no code without another one', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const { browser } = await connect(issuer, agent.id)
    const evil = 'https://evil.example/callback'
    agent.document.redirect_uris = [evil]
    moveTime(61)
    const page = await browser.get(ask(issuer, agent.id, { redirect_uri: evil }).url)
    expect(page.location).toBeUndefined()
    expect(page.html).toContain('evil.example')
    expect(page.html).toContain('name="answer"')
    const before = await browser.get(ask(issuer, agent.id).url)
    expect([before.status, before.location]).toEqual([400, undefined])
  })

  test.each([
    ['answers with 503', (response: ServerResponse) => response.writeHead(503).end()],
    ['limits requests', (response: ServerResponse) => response.writeHead(429).end()],
    ['breaks the connection off', (response: ServerResponse) => response.destroy()],
  ])('an agent whose host %s is asked to try again, and goes on afterwards', async (_, fail) => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const first = await connect(issuer, agent.id, offline)
    agent.answer = (_, response) => void fail(response)
    // The document is still cached.
    const second = await refresh(issuer, agent.id, first.tokens.refresh_token)
    expect(second.status).toBe(200)

    moveTime(3_601)
    const failed = await refresh(issuer, agent.id, second.body.refresh_token)
    expect([failed.status, failed.body.error]).toEqual([503, 'temporarily_unavailable'])
    const seconds = Number(failed.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    const page = await createBrowser(issuer).get(ask(issuer, agent.id).url)
    expect([page.status, page.html]).toEqual([503, expect.stringContaining(agent.id)])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)

    agent.answer = undefined
    moveTime(seconds + 1)
    const third = await refresh(issuer, agent.id, second.body.refresh_token)
    expect(third.status).toBe(200)
    // The log has the reason, and no token.
    expect(JSON.stringify(issuer.problems)).not.toContain(second.body.refresh_token)
  })

  test('A5: a consent is given only by the form of its own page, once, and for what it showed', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const browser = createBrowser(issuer)
    const narrow = await open(issuer, ask(issuer, agent.id), browser)
    expect(narrow.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const forged = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      browser.send(narrow.url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ answer: 'allow', ...fields }).toString(),
      })
    expect((await forged({})).status).toBe(403)
    expect((await forged({ csrf: 'guessed' })).status).toBe(403)
    const csrf = /name="csrf" value="([^"]+)"/.exec(narrow.html)?.[1] ?? ''
    expect((await forged({ csrf }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await browser.get(`${narrow.url}&answer=allow`)).html).toContain('name="answer"')

    const wide = { scope: 'notes:read notes:write' }
    const wider = await browser.get(ask(issuer, agent.id, wide).url)
    await consent(browser, narrow)
    expect((await browser.get(ask(issuer, agent.id, wide).url)).html).toContain('name="answer"')
    const replayed = await browser.submit(narrow, { answer: 'allow' })
    expect(replayed.location).toBeUndefined()
    expect((await consent(browser, wider)).searchParams.get('code')).toBeTruthy()
  })

  test('A7: the token is for the API that was asked for, named in the token request or not', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    await issuer.addApplication({
      metadata: {
        latchkey_api: prices,
        latchkey_api_scopes: '{"prices:read":"See what things cost"}',
        latchkey_api_clients: 'documents',
      },
    })
    const browser = createBrowser(issuer)
    const asked = ask(issuer, agent.id)
    const callback = await consent(browser, await open(issuer, asked, browser))
    const other = await redeem(issuer, asked, callback, { resource: prices })
    expect(other.body.error).toBe('invalid_target')
    const next = ask(issuer, agent.id)
    const { location = '' } = await browser.get(next.url)
    const { body } = await redeem(issuer, next, new URL(location))
    expect(claimsOf(body.access_token ?? '').aud).toBe(notes)
    const unnamed = await browser.get(ask(issuer, agent.id, { resource: undefined }).url)
    expect(unnamed.location).toContain('error=invalid_target')
  })

  test('a link to the issuer leads to no website of a stranger before the visitor has agreed there', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const traps = [
      { code_challenge: undefined, code_challenge_method: undefined },
      { prompt: 'none' },
      { resource: 'https://unknown.example' },
      { prompt: 'none', response_mode: 'form_post' },
    ]
    const { browser } = await connect(issuer, agent.id)
    for (const trap of traps) {
      const { url } = ask(issuer, agent.id, trap)
      const page = await createBrowser(issuer).get(url)
      expect(page.status).toBeGreaterThanOrEqual(400)
      expect(page.location).toBeUndefined()
      expect(page.html).not.toContain('<form')
      const href = trap.response_mode ? undefined : expect.stringContaining(`${webCallback}?error=`)
      expect(linkOn(page, 'agent.example')).toEqual(href)
    }
    const elsewhere = { redirect_uri: 'https://evil.example/callback', prompt: 'none' }
    const unregistered = await createBrowser(issuer).get(ask(issuer, agent.id, elsewhere).url)
    expect(unregistered.html).not.toContain('evil.example/callback')
    // An agent to which the user has agreed gets the error itself.
    const silent = { prompt: 'none', resource: 'https://unknown.example' }
    const answered = await browser.get(ask(issuer, agent.id, silent).url)
    expect(answered.location).toContain(`${webCallback}?error=`)
  })

  test('A9: a withdrawn consent ends refreshes at once, and is asked for again', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const { browser, tokens } = await connect(issuer, agent.id, offline)
    const elsewhere = await connect(issuer, agent.id, { ...offline, prompt: 'consent' })
    const asked = ask(issuer, agent.id)
    const { location = '' } = await browser.get(asked.url)
    const page = await browser.get('/account/access')
    expect(page.html).toContain(new URL(agent.id).host)
    expect(page.html).toContain('Read your notes')
    const id = /name="withdraw" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const done = await browser.submit(page, { withdraw: id })
    expect(done.html).toContain('up to five minutes')
    expect(done.html).not.toContain(new URL(agent.id).host)
    for (const { refresh_token: token } of [tokens, elsewhere.tokens]) {
      expect((await refresh(issuer, agent.id, token)).body.error).toBe('invalid_grant')
    }
    const late = await redeem(issuer, asked, new URL(location))
    expect(late.body.error).toBe('invalid_grant')
    expect((await browser.get(ask(issuer, agent.id).url)).html).toContain('name="answer"')
    const [entry] = (await issuer.audit()).filter(({ action }) => action === 'consent.withdrawn')
    expect(entry).toMatchObject({ target: issuer.user.id, applicationId: agent.id })
  })

  test('A9: a consent that is given while an earlier one is withdrawn does not keep the earlier scopes', async () => {
    await using agent = await startAgent()
    let isWithdrawn = false
    // Between the look at the earlier consent and the write of the next one.
    async function before(protocol: ProtocolStore, entry: ProtocolEntry): Promise<void> {
      if (entry.kind === 'Consent' && isWithdrawn) await protocol.delete(entry)
      if (entry.kind === 'Consent') isWithdrawn = false
    }
    const wrap = (protocol: ProtocolStore): ProtocolStore => ({
      ...protocol,
      async put(entry) {
        await before(protocol, entry)
        await protocol.put(entry)
      },
      async replace(entry, payload) {
        await before(protocol, entry)
        return protocol.replace(entry, payload)
      },
    })
    await using issuer = await startOpenIssuer({ store, wrap })
    const { browser } = await connect(issuer, agent.id)
    const page = await browser.get(ask(issuer, agent.id, { scope: 'notes:write' }).url)
    isWithdrawn = true
    expect((await consent(browser, page)).searchParams.get('code')).toBeTruthy()
    const [client] = (await issuer.support.stateOf(issuer.tenant, issuer.user, [])).clients
    expect(client?.scopes).toEqual(['notes:write'])
    expect((await browser.get(ask(issuer, agent.id).url)).html).toContain('name="answer"')
  })

  test('A10: the agents of a disabled user get nothing more', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const { tokens, browser } = await connect(issuer, agent.id, offline)
    await issuer.changeUser(issuer.user, { disabled: true })
    const { body } = await refresh(issuer, agent.id, tokens.refresh_token)
    expect(body.error).toBe('invalid_grant')
    const silent = await browser.get(ask(issuer, agent.id, { prompt: 'none' }).url)
    // Until the session is removed in the background, the agent gets the error itself.
    const answered = silent.location ?? linkOn(silent, 'agent.example')
    expect(answered).toContain('error=login_required')
  })

  test('an operator sees the agents of a user, and withdraws the access of one', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const { tokens } = await connect(issuer, agent.id, offline)
    const { scope, support, user, tenant } = issuer
    const clients = async () => (await support.stateOf(tenant, user, [])).clients
    const [client] = await clients()
    expect(client).toMatchObject({
      ...{ clientId: agent.id, name: 'Note Taker', scopes: ['offline_access', 'notes:read'] },
    })
    await support.withdrawAccess(scope, user.id, client?.id ?? '')
    expect(await clients()).toEqual([])
    expect((await refresh(issuer, agent.id, tokens.refresh_token)).body.error).toBe('invalid_grant')
    const again = support.withdrawAccess(scope, user.id, client?.id ?? '')
    await expect(again).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a deleted user leaves no consent behind', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    await connect(issuer, agent.id, offline)
    const kept = () => issuer.protocol.listByAccount(issuer.tenant.id, 'Consent', issuer.user.id)
    expect(await kept()).toHaveLength(1)
    await deleteUser(issuer.scope, issuer.user.id)
    await issuer.idle()
    expect(await kept()).toEqual([])
  })

  test('A11: an agent whose host is not listed any more gets no code for a consent under way', async () => {
    await using agent = await startAgent()
    await using issuer = await startOpenIssuer({ store })
    const { tokens } = await connect(issuer, agent.id, offline)
    const browser = createBrowser(issuer)
    const page = await open(issuer, ask(issuer, agent.id, { prompt: 'consent' }), browser)
    const listed = { ...any, latchkey_client_documents: 'listed' }
    await issuer.changeSettings({}, listed)
    const answer = await browser.submit(page, { answer: 'allow' })
    expect([answer.status, answer.location]).toEqual([400, undefined])
    expect((await refresh(issuer, agent.id, tokens.refresh_token)).body.error).toBe(
      'invalid_client',
    )
  })
})

test('a host that was blocked and is not any more leaves its agents without what they had', async () => {
  await using agent = await startAgent()
  await using issuer = await startOpenIssuer()
  const { host } = new URL(agent.id)
  const { tokens, browser } = await connect(issuer, agent.id, offline)
  const clients = async () =>
    (await issuer.support.stateOf((await issuer.tenantNow()) as never, issuer.user, [])).clients
  await issuer.changeSettings({}, { ...any, latchkey_client_documents_blocked: host })
  await issuer.changeSettings({}, any)
  expect((await refresh(issuer, agent.id, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect(await clients()).toEqual([])
  expect((await browser.get(ask(issuer, agent.id).url)).html).toContain('name="answer"')
  const again = await connect(issuer, agent.id, {}, browser)
  expect((await refresh(issuer, agent.id, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect(await clients()).toMatchObject([{ scopes: ['notes:read'] }])
  const next = await refresh(issuer, agent.id, again.tokens.refresh_token)
  expect(next.status).toBe(200)
})

test('A2: an id counts in one writing alone, and no other is asked for', async () => {
  await using agent = await startAgent()
  await using issuer = await startOpenIssuer()
  const { host } = new URL(agent.id)
  const others = [
    `https://user@${host}/client.json`,
    `https://user:secret@${host}/client.json`,
    `https://${host}/x/../client.json`,
    `https://${host}/%2e/client.json`,
    `https://${host}/client%2ejson`,
    `https://${host.toUpperCase()}/client.json`,
    `HTTPS://${host}/client.json`,
    `https://${host}/client.json?one`,
    `https://${host}/client.json#one`,
    `https://${host}\\client.json`,
    `https://${host}`,
    `https://${host}/`,
    `https://аgent.localhost/client.json`,
    `http://${host}/client.json`,
    `https://${host}/${'a'.repeat(400)}`,
  ]
  for (const id of others) {
    const { status, location } = await createBrowser(issuer).get(ask(issuer, id).url)
    expect([id, status, location]).toEqual([id, 400, undefined])
  }
  expect(agent.reads).toEqual([])
  const slash = await createBrowser(issuer).get(ask(issuer, `${agent.id}/`).url)
  expect(slash.html).toContain('not its own address')
})

test('A2: an id sets no attributes of a cookie', async () => {
  await using agent = await startAgent()
  await using issuer = await startOpenIssuer()
  const id = `${agent.url}/a; domain=evil; path=/client.json`.replaceAll(' ', '')
  agent.document.client_id = id
  const { browser, tokens } = await connect(issuer, id)
  expect(tokens.access_token).toBeTruthy()
  expect(browser.setCookies.length).toBeGreaterThan(3)
  for (const line of browser.setCookies) expect(line).not.toMatch(/evil|client\.json/)
})

test('A3: what is no small JSON document at a public address is refused, with the reason on the page', async () => {
  await using agent = await startAgent()
  await using issuer = await startOpenIssuer(oneProcess)
  for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '[::ffff:a9fe:a9fe]']) {
    const page = await createBrowser(issuer).get(ask(issuer, `https://${host}/client.json`).url)
    expect([page.status, page.html]).toEqual([400, expect.stringContaining('public internet')])
  }
  const chunk = 'x'.repeat(4_096)
  agent.answer = ({ url }, response) => {
    if (url === '/moved') return void response.writeHead(302, { location: '/client.json' }).end()
    if (url === '/page') return void response.setHeader('content-type', 'text/html').end('<p>')
    response.setHeader('content-type', 'application/json')
    if (url === '/list') return void response.end('[]')
    if (url === '/large') return void response.end(`"${chunk.repeat(100)}"`)
    if (url !== '/endless') return void response.end('{')
    const more = () => !response.destroyed && response.write(chunk) && setImmediate(more)
    response.on('drain', more)
    more()
  }
  const reasons = {
    '/moved': 'answered with 302',
    '/page': 'content type',
    '/list': 'not a JSON object',
    '/broken': 'not a JSON object',
    '/large': 'too much',
    '/endless': 'too much',
  }
  for (const [path, reason] of Object.entries(reasons)) {
    const page = await createBrowser(issuer).get(ask(issuer, agent.url + path).url)
    expect([path, page.status, page.html]).toEqual([path, 400, expect.stringContaining(reason)])
  }
  const reads = agent.reads.length
  await createBrowser(issuer).get(ask(issuer, `${agent.url}/page`).url)
  expect(agent.reads).toHaveLength(reads)
  expect(agent.reads).not.toContain('/client.json')
})

test('an agent whose host has no address is asked to try again', async () => {
  await using issuer = await startOpenIssuer(oneProcess)
  const page = await createBrowser(issuer).get(ask(issuer, 'https://agent.invalid/client.json').url)
  expect([page.status, page.html]).toEqual([503, expect.stringContaining('agent.invalid')])
})

test('A4: of many ids from one network few are read, nothing is written, and others log in', async () => {
  await using agent = await startAgent()
  await using issuer = await startOpenIssuer(oneProcess)
  const before = (await issuer.audit()).length
  const app = await createClient(issuer)
  const ids = Array.from({ length: 60 }, (_, at) => `${agent.url}/${at}.json`)
  const pages = await Promise.all(ids.map((id) => createBrowser(issuer).get(ask(issuer, id).url)))
  expect(agent.reads.length).toBeLessThanOrEqual(30)
  const refused = pages.filter(({ html }) => /too many metadata documents/i.test(html))
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers } of refused) {
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(await issuer.audit()).toHaveLength(before)
  const { callback } = await logIn(issuer, app, ada)
  expect(callback.location).toContain('code=')
})

test('A4: hosts that do not answer hold five places of a tenant, and one more is refused at once', async () => {
  await using agent = await startAgent()
  await using issuer = await startOpenIssuer(oneProcess)
  const held: ServerResponse[] = []
  agent.answer = (_, response) => void held.push(response)
  const open = (at: number) => createBrowser(issuer).get(ask(issuer, `${agent.url}/${at}.json`).url)
  const waiting = [1, 2, 3, 4, 5].map(open)
  await vi.waitUntil(() => held.length === 5)
  const sixth = await open(6)
  expect([sixth.status, sixth.html]).toEqual([503, expect.stringContaining('Too many documents')])
  for (const response of held) response.setHeader('content-type', 'application/json').end('[]')
  for (const { html } of await Promise.all(waiting)) expect(html).toContain('not a JSON object')
  agent.answer = undefined
  agent.document.client_id = `${agent.url}/6.json`
  expect((await open(6)).status).toBeLessThan(400)
})

test('A8: a document makes no confidential client, and its name shows nothing but itself', async () => {
  await using agent = await startAgent()
  await using issuer = await startOpenIssuer()
  const confidential = [
    { client_secret: 'a secret' },
    { token_endpoint_auth_method: 'client_secret_post' },
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } },
  ]
  for (const [at, more] of confidential.entries()) {
    const id = `${agent.url}/${at}.json`
    agent.document = { client_id: id, redirect_uris: [webCallback], ...more }
    const { status, html } = await createBrowser(issuer).get(ask(issuer, id).url)
    expect([status, html]).toEqual([400, expect.stringMatching(/client_secret|public clients/)])
  }
  agent.document = {
    ...{ client_id: agent.id, redirect_uris: [webCallback, 'javascript:alert(1)'] },
    client_name: `Acme\u202e\n\n<b>login</b>${'!'.repeat(5_000)}`,
    logo_uri: `${agent.url}/logo.png`,
    scope: 'notes:write',
    grant_types: ['client_credentials'],
    [String('latchkey_profile')]: 'fapi2',
  }
  const page = await open(issuer, ask(issuer, agent.id))
  expect(page.html).toContain('“Acme &lt;b&gt;login&lt;/b&gt;!!!')
  expect(page.html).not.toMatch(/\u202e|!{60}|logo\.png|<b>/)
  const evil = await createBrowser(issuer).get(
    ask(issuer, agent.id, { redirect_uri: 'javascript:alert(1)' }).url,
  )
  expect([evil.status, evil.location]).toEqual([400, undefined])
})
