import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Browser, Page } from '../issuer/support/browser.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import {
  type ConsoleService,
  type OperatorBrowser,
  on,
  press,
  startConsole,
  stores,
  textOf,
} from './support.ts'
import { aTenant } from './tenant.ts'

const MINUTE = 60_000
const REASON = 'Ticket 4711: the invoice page is empty'
const CALLBACK = 'https://shop.example/callback'

type Store = (typeof stores)[number]

/** A tenant that allows logins of operators, with Ada, a shop, and an admin of the console. */
async function start(store: Store, mode = 'allowed', options: { role?: 'admin' | 'support' } = {}) {
  let ahead = 0
  const running = await startConsole({ ...on(store), clock: { now: () => Date.now() + ahead } })
  const tenant = await aTenant(running)
  const set = (value: string) => setMode(tenant, value)
  await set(mode)
  const ada = await tenant.addUser({ name: 'Ada' })
  const eve = await running.logIn({ role: options.role ?? 'admin' })
  const shop = await addShop(tenant)
  const path = `${tenant.path}/users/${ada.id}/log-in-as`
  const entries = () => running.service.admin.audit({ target: ada.id })
  return {
    ...{ running, tenant, ada, eve, shop, path, set, entries },
    pass(milliseconds: number) {
      ahead += milliseconds
    },
  }
}

type Started = Awaited<ReturnType<typeof start>>

async function setMode(tenant: Started['tenant'], value: string) {
  const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}`)
  const metadata = { ...body.metadata, latchkey_impersonation: value }
  const { status } = await tenant.call('POST', `/v1/tenants/${tenant.id}`, { ...body, metadata })
  expect(status).toBe(200)
}

async function addShop(tenant: Awaited<ReturnType<typeof aTenant>>, metadata: object = {}) {
  const { body } = await tenant.call('POST', `/v1/tenants/${tenant.id}/applications`, {
    name: 'Shop',
    redirect_urls: [CALLBACK],
    login_url: 'https://shop.example/login',
    logout_urls: ['https://shop.example/'],
    metadata,
  })
  return body as { id: string; secret: string }
}

/** A browser at the tenant. */
function visitor({ running: { service }, tenant }: Pick<Started, 'running' | 'tenant'>): Browser {
  return createBrowser({ url: `https://${tenant.domain}`, fetch: service.fetch as never })
}

/** The page with the ticket, after the operator has asked. */
async function ask(by: OperatorBrowser, path: string, reason = REASON): Promise<Page> {
  return press(by, await by.get(path), path, { reason })
}

const ticketIn = ({ html }: Page) => /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? ''

/** Sends the ticket from the console, which is another site. */
async function sendTicket(browser: Browser, ticket: string): Promise<Page> {
  return browser.send('/impersonate', {
    method: 'POST',
    body: new URLSearchParams({ ticket }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'cross-site',
      origin: 'https://console.example',
    },
  })
}

/** Goes from a ticket to the account page of the user. */
async function enter(browser: Browser, ticket: string): Promise<Page> {
  const taken = await sendTicket(browser, ticket)
  const question = await browser.get(taken.location ?? '/none')
  return browser.submit(question, {})
}

/** An operator who is logged in as Ada. */
async function act(at: Started): Promise<Browser> {
  const browser = visitor(at)
  await enter(browser, ticketIn(await ask(at.eve, at.path)))
  return browser
}

/** The answer to a login of the shop in a browser. */
async function openShop(
  { shop, running, tenant }: Pick<Started, 'shop' | 'running' | 'tenant'>,
  browser: Browser,
  more: Record<string, string> = {},
) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: shop.id,
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: CALLBACK,
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  })
  const page = await browser.get(`/oidc/auth?${query}`)
  const url = URL.parse(page.location ?? '')
  const code = url?.searchParams.get('code') ?? undefined
  const post = async (path: string, body: Record<string, string>) => {
    const answer = await running.service.fetch(`https://${tenant.domain}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${btoa(`${shop.id}:${shop.secret}`)}`,
      },
      body: new URLSearchParams(body).toString(),
    })
    return { status: answer.status, body: await answer.json() }
  }
  return {
    page,
    code,
    error: url?.searchParams.get('error') ?? undefined,
    redeem: () =>
      post('/oidc/token', {
        grant_type: 'authorization_code',
        code: code ?? '',
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      }),
    refresh: (token: string) =>
      post('/oidc/token', { grant_type: 'refresh_token', refresh_token: token }),
    async userinfo(token: string) {
      const url = `https://${tenant.domain}/oidc/userinfo`
      const headers = { authorization: `Bearer ${token}` }
      return (await running.service.fetch(url, { headers })).status
    },
  }
}

describe.each(stores)('on %s', (store) => {
  test('an operator logs in as a user, for a reason; the user is told, and both logs have it', async () => {
    const at = await start(store)
    await using _ = at.running
    const { eve, path, running, tenant, ada, entries } = at
    const asked = await ask(eve, path)
    expect(asked.headers.get('content-security-policy')).toContain(
      `form-action 'self' https://${tenant.domain}`,
    )
    const browser = visitor(at)
    const taken = await sendTicket(browser, ticketIn(asked))
    expect(taken.location).not.toContain(ticketIn(asked))
    const question = await browser.get(taken.location ?? '')
    expect(textOf(question.html)).toContain(`log in as ${ada.email}`)
    const account = await browser.submit(question, {})
    expect(new URL(account.url).pathname).toBe('/account')
    expect(textOf(account.html)).toContain(`you are logged in as ${ada.email}`)
    expect(account.html).not.toMatch(/\/account\/(password|security|email|profile|sessions|delete)"/)

    const shop = await openShop(at, browser)
    const { body: tokens } = await shop.redeem()
    const claims = decodeJwt(tokens.id_token)
    expect(claims).toMatchObject({ sub: ada.id, act: { sub: `operator:${eve.id}` } })
    expect(claims).not.toHaveProperty('amr')
    expect(claims).not.toHaveProperty('acr')
    expect(claims).not.toHaveProperty('auth_time')
    expect(JSON.stringify(claims)).not.toContain(eve.email)
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBeLessThanOrEqual(900)
    expect(tokens.expires_in).toBeLessThanOrEqual(900)
    expect(tokens).not.toHaveProperty('refresh_token')
    expect(await shop.userinfo(tokens.access_token)).toBe(200)

    const [mail] = (await running.service.outbox.list(tenant.id)).filter(
      ({ to }) => to === ada.email,
    )
    expect(mail?.text).toContain(`${eve.email}, of the support`)
    expect(mail?.text).not.toContain('4711')
    const ofUser = (await entries()).filter(({ action }) => /^(impersonation|login)\./.test(action))
    expect(ofUser.map(({ action, actor }) => [action, actor])).toEqual([
      ['impersonation.use', `operator:${eve.id}`],
      ['impersonation.begin', `operator:${eve.id}`],
      ['impersonation.ask', `operator:${eve.id}`],
    ])
    const ofOperator = await running.service.admin.audit({ target: eve.id })
    expect(ofOperator.map(({ action }) => action)).toContain('impersonation.begin')
    expect(textOf((await eve.get(`${tenant.path}/users/${ada.id}`)).html)).toContain(REASON)
  })

  test('whoever asks for a login of the user gets none: max_age, prompt, acr_values, offline access', async () => {
    const at = await start(store)
    await using _ = at.running
    const browser = await act(at)
    for (const more of [
      { prompt: 'login' },
      { prompt: 'create' },
      { prompt: 'select_account' },
      { max_age: '300' },
      { max_age: '100000000' },
      { acr_values: 'https://refeds.org/profile/mfa' },
      { acr_values: 'anything' },
      { prompt: 'none', max_age: '300' },
    ]) {
      const { error, code } = await openShop(at, browser, more as Record<string, string>)
      expect({ error, code }, JSON.stringify(more)).toEqual({
        error: 'access_denied',
        code: undefined,
      })
    }
    const offline = await openShop(at, browser, {
      scope: 'openid offline_access',
      prompt: 'consent',
    })
    const { body } = await offline.redeem()
    expect(body).not.toHaveProperty('refresh_token')
    expect(body.scope).not.toContain('offline_access')
  })

  test('the pages of the account and of a login are refused, with the banner; its button ends the login everywhere', async () => {
    const at = await start(store)
    await using _ = at.running
    const browser = await act(at)
    const shop = await openShop(at, browser)
    const { body: tokens } = await shop.redeem()
    for (const path of [
      '/account/profile',
      '/account/email',
      '/account/password',
      '/account/security',
      '/account/security/add?kind=totp_app',
      '/account/sessions',
      '/account/access',
      '/account/delete',
      '/account/support',
      '/reset',
      '/device',
      '/login',
    ]) {
      const page = await browser.get(path)
      expect(page.status, path).toBe(403)
      expect(textOf(page.html), path).toContain('Only the user can do that')
      expect(page.html, path).toContain('class="acting"')
    }
    const account = await browser.get('/account')
    const csrf = /name="csrf" value="([^"]+)"/.exec(account.html)?.[1] ?? ''
    const post = (path: string, fields: Record<string, string>) =>
      browser.send(path, {
        method: 'POST',
        body: new URLSearchParams({ csrf, ...fields }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    expect((await post('/account/password', { password: 'another horse battery' })).status).toBe(403)
    expect((await post('/account/profile', { name: 'Eve' })).status).toBe(403)
    expect((await post('/account/support/end', { csrf: 'wrong' })).status).toBe(403)
    const ended = await post('/account/support/end', {})
    expect(textOf(ended.html)).toContain('You are logged out')
    expect(ended.html).not.toContain('class="acting"')
    expect(await shop.userinfo(tokens.access_token)).toBe(401)
    expect((await openShop(at, browser, { prompt: 'none' })).error).toBe('login_required')
    expect((await at.entries())[0]).toMatchObject({
      action: 'impersonation.end',
      actor: `operator:${at.eve.id}`,
    })
  })

  test('a ticket is good once, for two minutes; so is the page that asks, in its browser alone', async () => {
    const at = await start(store)
    await using _ = at.running
    const { eve, path, pass } = at
    const first = ticketIn(await ask(eve, path))
    const browser = visitor(at)
    expect((await sendTicket(browser, first)).status).toBe(303)
    expect((await sendTicket(visitor(at), first)).status).toBe(410)
    // The page of another browser shows the login form.
    const other = visitor(at)
    expect((await other.get('/account')).html).toContain('name="password"')
    const page = await eve.get(path)
    const login = /name="login" value="(imp_[^"]+)"/.exec(page.html)?.[1] ?? ''
    const again = () => press(eve, page, `${path}/begin`, { login })
    const second = ticketIn(await again())
    pass(121_000)
    expect((await sendTicket(visitor(at), second)).status).toBe(410)
    const third = ticketIn(await again())
    const question = await (async () => {
      const taken = await sendTicket(browser, third)
      return browser.get(taken.location ?? '')
    })()
    pass(301_000)
    expect((await browser.submit(question, {})).status).toBe(410)
    expect((await sendTicket(visitor(at), `${login}.${'x'.repeat(43)}`)).status).toBe(410)
    expect((await sendTicket(visitor(at), '')).status).toBe(410)
  })

  test('it ends after 15 minutes: the session, the tokens, the account page', async () => {
    const at = await start(store)
    await using _ = at.running
    const browser = await act(at)
    const shop = await openShop(at, browser)
    const { body } = await shop.redeem()
    const late = await openShop(at, browser)
    at.pass(15 * MINUTE + 1_000)
    expect(await shop.userinfo(body.access_token)).toBe(401)
    expect((await late.redeem()).body.error).toBe('invalid_grant')
    expect((await openShop(at, browser, { prompt: 'none' })).error).toBe('login_required')
    expect((await browser.get('/account')).html).toContain('name="password"')
  })

  test.each<[string, (at: Started) => Promise<unknown>]>([
    ['the setting is turned off', ({ set }) => set('off')],
    ['the setting asks for consent', ({ set }) => set('asked')],
    [
      'the operator is disabled',
      ({ running, eve }) => running.service.admin.setOperatorDisabled(eve.id, true),
    ],
    [
      'the operator gets another role',
      ({ running, eve }) => running.service.admin.updateOperator(eve.id, { role: 'support' }),
    ],
    [
      'the operator sees other tenants only',
      ({ running, eve }) =>
        running.service.admin.updateOperator(eve.id, { role: 'admin', reach: ['ten_other'] }),
    ],
    [
      'the user is disabled',
      async ({ tenant, ada }) => {
        const url = `/v1/tenants/${tenant.id}/users/${ada.id}`
        const { body } = await tenant.call('GET', url)
        await tenant.call('POST', url, { ...body, disabled: true })
      },
    ],
    [
      'all sessions of the user are ended',
      ({ eve, tenant, ada }) => {
        const path = `${tenant.path}/users/${ada.id}`
        return eve.get(path).then((page) => press(eve, page, `${path}/end-sessions`))
      },
    ],
  ])('it ends at once when %s', async (_name, change) => {
    const at = await start(store)
    await using _ = at.running
    const browser = await act(at)
    const shop = await openShop(at, browser)
    const { body } = await shop.redeem()
    expect(await shop.userinfo(body.access_token)).toBe(200)
    const late = await openShop(at, browser)
    await change(at)
    expect(await shop.userinfo(body.access_token)).toBe(401)
    expect((await late.redeem()).status).toBe(400)
    expect((await openShop(at, browser, { prompt: 'none' })).error).toBe('login_required')
    expect((await browser.get('/account')).html).not.toContain('class="acting"')
  })
})
