import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  act,
  ask,
  openShop,
  REASON,
  type Started,
  sendTicket,
  start,
  ticketIn,
  visitor,
} from './log-in-as.ts'
import { press, stores, textOf } from './support.ts'

const MINUTE = 60_000

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
    expect(account.html).not.toMatch(
      /\/account\/(password|security|email|profile|sessions|delete)"/,
    )

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
    expect((await post('/account/password', { password: 'another horse battery' })).status).toBe(
      403,
    )
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

  test('applications may send the browser to log in and out with a form', async () => {
    const at = await start(store)
    await using _ = at.running
    const browser = await act(at)
    const send = async (path: string, fields: Record<string, string>) => {
      const sent = await browser.send(path, {
        method: 'POST',
        body: new URLSearchParams({ client_id: at.shop.id, ...fields }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(sent.status, path).toBe(303)
      return browser.get(sent.location ?? '')
    }
    const login = await send('/oidc/auth', {
      response_type: 'code',
      scope: 'openid',
      redirect_uri: 'https://shop.example/callback',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    })
    expect(login.location).toMatch(/^https:\/\/shop\.example\/callback\?code=/)
    const question = await send('/oidc/logout', {})
    expect(question.status).toBe(200)
    expect(textOf(question.html)).not.toContain('Only the user can do that')
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
      async ({ running, eve }) => {
        const owner = await running.logIn({ role: 'owner' })
        const path = `/console/operators/${eve.id}/disable`
        await press(owner, await owner.get(path), path)
      },
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
