import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import {
  act,
  ask,
  enter,
  openShop,
  REASON,
  type Started,
  sendTicket,
  start,
  ticketIn,
  visitor,
} from './log-in-as.ts'
import { press, sendChanges, stores, textOf } from './support.ts'
import { PASSWORD } from './tenant.ts'

const DAY = 86_400_000

/** The id of the newest login on the page of the operator. */
async function loginOf({ eve, path }: Started): Promise<string> {
  return /name="login" value="(imp_[^"]+)"/.exec((await eve.get(path)).html)?.[1] ?? ''
}

/** Ada in a browser of her own, who has just logged in. */
const adaOf = ({ tenant, ada }: Started) => tenant.logIn(ada.email)

/** Presses a button on Ada's page. */
async function answer(
  browser: Awaited<ReturnType<typeof adaOf>>,
  fields: Record<string, string>,
): Promise<{ status: number; html: string }> {
  const page = await browser.get('/account/support')
  return browser.send('/account/support', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      csrf: /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '',
      ...fields,
    }).toString(),
  })
}

const actionsOf = async (at: Started) =>
  (await at.entries())
    .map(({ action }) => action)
    .filter((action) => action.startsWith('impersonation.'))

describe.each(stores)('on %s', (store) => {
  test('a user who is asked agrees on the account page after a recent login; before that nothing begins', async () => {
    const at = await start(store, 'asked')
    await using _ = at.running
    const { eve, path, running, tenant, ada } = at
    const asked = await ask(eve, path)
    expect(asked.location).toContain('done=asked_user')
    const [mail] = (await running.service.outbox.list(tenant.id)).filter(
      ({ to }) => to === ada.email,
    )
    expect(mail?.text).toContain('/account/support')
    const id = await loginOf(at)
    const begin = async () => press(eve, await eve.get(path), `${path}/begin`, { login: id })
    expect((await begin()).status).toBe(409)
    const browser = await adaOf(at)
    expect(textOf((await browser.get('/account/support')).html)).toContain(REASON)
    const agreed = await Promise.all([1, 2, 3].map(() => answer(browser, { agree: id })))
    expect(agreed.map(({ status }) => status)).toEqual([303, 303, 303])
    expect(await actionsOf(at)).toEqual(['impersonation.agree', 'impersonation.ask'])
    const operator = await running.logIn({ role: 'admin' })
    const stolen = await press(operator, await operator.get(path), `${path}/begin`, { login: id })
    expect(stolen.status).toBe(404)
    const page = await enter(visitor(at), ticketIn(await begin()))
    expect(page.html).toContain('class="acting"')
    expect((await begin()).status).toBe(409)
  })

  test('a user declines, which holds', async () => {
    const at = await start(store, 'asked')
    await using _ = at.running
    const { eve, path } = at
    await ask(eve, path)
    const first = await loginOf(at)
    const browser = await adaOf(at)
    await answer(browser, { decline: first })
    expect((await ask(eve, path)).status).toBe(422)
    expect((await press(eve, await eve.get(path), `${path}/begin`, { login: first })).status).toBe(
      409,
    )
    await answer(browser, { agree: first })
    expect(await actionsOf(at)).toEqual(['impersonation.decline', 'impersonation.ask'])
  })

  test('a question expires after a day, and a login that is too old does not agree', async () => {
    const at = await start(store, 'asked')
    await using _ = at.running
    await ask(at.eve, at.path)
    const id = await loginOf(at)
    const browser = await adaOf(at)
    at.pass(6 * 60_000)
    for (const more of [{}, { end: id }, { end: 'x' }, { decline: 'x' }]) {
      await answer(browser, { agree: id, ...more })
      expect(await actionsOf(at)).toEqual(['impersonation.ask'])
    }
    at.pass(DAY)
    await answer(await adaOf(at), { agree: id })
    expect(await actionsOf(at)).toEqual(['impersonation.ask'])
  })

  test('a user sees the login of an operator, and ends it with an old login of her own, which goes on', async () => {
    const at = await start(store)
    await using _ = at.running
    const { pass } = at
    const ada = await adaOf(at)
    const acting = await act(at)
    const shop = await openShop(at, acting)
    const { body } = await shop.redeem()
    pass(6 * 60_000)
    const page = await ada.get('/account/support')
    expect(textOf(page.html)).toContain('Opened: Shop.')
    const id = /name="end" value="(imp_[^"]+)"/.exec(page.html)?.[1] ?? ''
    await answer(ada, { end: id })
    expect(await shop.userinfo(body.access_token)).toBe(401)
    expect((await acting.get('/account')).html).not.toContain('class="acting"')
    // Her own session goes on.
    expect((await ada.get('/account')).html).toContain('/account/password')
    expect((await actionsOf(at))[0]).toBe('impersonation.end')
  })

  test('a ticket and a confirmation that are sent many times at once count once', async () => {
    const at = await start(store)
    await using _ = at.running
    const ticket = ticketIn(await ask(at.eve, at.path))
    const browsers = [1, 2, 3, 4].map(() => visitor(at))
    const taken = await Promise.all(browsers.map((one) => sendTicket(one, ticket)))
    const statuses = taken.map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    const winner = statuses.indexOf(303)
    const browser = browsers[winner] as (typeof browsers)[0]
    const question = await browser.get(taken[winner]?.location ?? '')
    const confirmed = await Promise.all([1, 2, 3].map(() => browser.submitOnly(question, {})))
    expect(confirmed.filter(({ status }) => status === 303)).toHaveLength(1)
    expect((await actionsOf(at)).filter((one) => one === 'impersonation.begin')).toHaveLength(1)
  })

  test('another browser gets nothing from the page that asks, and no page of another site can confirm', async () => {
    const at = await start(store)
    await using _ = at.running
    const browser = visitor(at)
    const taken = await sendTicket(browser, ticketIn(await ask(at.eve, at.path)))
    const question = await browser.get(taken.location ?? '')
    expect(question.html).toContain('csrf')
    const thief = createBrowser({
      url: `https://${at.tenant.domain}`,
      fetch: at.running.service.fetch as never,
    })
    expect((await thief.submit(question, {})).html).not.toContain('class="acting"')
    const forged = await browser.send(question.url, {
      method: 'POST',
      body: '',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      },
    })
    expect(forged.status).toBe(403)
    expect(await actionsOf(at)).toEqual(['impersonation.ask'])
  })

  test.each<[string, (at: Started) => Promise<unknown>, number]>([
    ['the tenant does not allow it', ({ set }) => set('off'), 422],
    [
      'the user has the address of an operator',
      ({ running, ada }) =>
        running.service.admin.inviteOperator({ email: ada.email, role: 'viewer' }),
      422,
    ],
    ['the user is disabled', (at) => change(at, (body) => ({ ...body, disabled: true })), 422],
    [
      'the address is not verified',
      (at) =>
        change(at, (body) => ({ ...body, profile: { ...body.profile, email_verified: false } })),
      422,
    ],
    [
      'another operator has changed the address',
      async ({ running, tenant, ada }) => {
        const other = await running.logIn({ role: 'admin' })
        const path = `${tenant.path}/users/${ada.id}`
        const { html } = await other.get(`${path}/edit`)
        const readAt = /name="read_at" value="(\d+)"/.exec(html)?.[1] ?? ''
        const fields = { email: 'm@example.com', name: '', given_name: '', family_name: '' }
        await press(other, { html }, `${path}/edit/save`, { read_at: readAt, ...fields })
      },
      422,
    ],
  ])(
    'nobody logs in as the user when %s, before or after the ticket',
    async (_name, spoil, status) => {
      const at = await start(store)
      await using _ = at.running
      const ticket = ticketIn(await ask(at.eve, at.path))
      await spoil(at)
      const browser = visitor(at)
      const taken = await sendTicket(browser, ticket)
      const page = await browser.get(taken.location ?? '/account')
      expect(page.html).toContain('name="password"')
      expect((await ask(at.eve, at.path)).status).toBe(status)
      expect(await actionsOf(at)).not.toContain('impersonation.begin')
    },
  )

  test('a role without the permission is refused, and so is a reason of a few letters; an admin cannot change the setting', async () => {
    const at = await start(store)
    await using _ = at.running
    const { eve, path, running, tenant } = at
    for (const role of ['support', 'viewer'] as const) {
      const other = await running.logIn({ role })
      expect((await other.get(path)).status).toBe(403)
      const page = await other.get('/console')
      expect((await press(other, page, path, { reason: REASON })).status).toBe(403)
    }
    expect((await ask(eve, path, 'because')).status).toBe(422)
    expect((await ask(eve, path, 'x'.repeat(301))).status).toBe(422)
    const settings = `${tenant.path}/settings`
    const saved = await sendChanges(
      eve,
      settings,
      { latchkey_impersonation: '' },
      { action: `${settings}/save` },
    )
    expect(saved.status).toBe(422)
    expect(textOf(saved.html)).toContain('Only an owner can change')
  })

  test('a client that has registered itself gets nothing in such a session', async () => {
    const at = await start(store)
    await using _ = at.running
    const { tenant, running } = at
    const url = `/v1/tenants/${tenant.id}`
    const { body } = await tenant.call('GET', url)
    await tenant.call('POST', url, {
      ...body,
      metadata: {
        ...body.metadata,
        latchkey_client_documents: 'any',
        latchkey_client_registration: 'true',
      },
    })
    const redirect = 'https://agent.example/callback'
    const registered = await running.service.fetch(`https://${tenant.domain}/oidc/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [redirect],
        token_endpoint_auth_method: 'none',
        client_name: 'Agent',
      }),
    })
    const { client_id: id } = (await registered.json()) as { client_id: string }
    expect(id).toEqual(expect.any(String))
    const browser = await act(at)
    const query = new URLSearchParams({
      ...{ client_id: id, response_type: 'code', scope: 'openid', redirect_uri: redirect },
      ...{ state: 's', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
    })
    const page = await browser.get(`/oidc/auth?${query}`)
    expect(page.location).toBeUndefined()
    expect(page.html).toMatch(/error=access_denied[^"]*"/)
    expect(page.html).not.toContain('code=')
  })

  test('a login of a user in the same browser, before or after, is one of its own', async () => {
    const at = await start(store)
    await using _ = at.running
    const { eve, path, ada, pass } = at
    const browser = await adaOf(at)
    const own = await openShop(at, browser)
    const { body: before } = await own.redeem()
    await enter(browser, ticketIn(await ask(eve, path)))
    // The session that was there has ended, with its tokens.
    expect(await own.userinfo(before.access_token)).toBe(401)
    const acted = await (await openShop(at, browser)).redeem()
    pass(16 * 60_000)
    const form = await browser.get('/account')
    const account = await browser.submit(form, { email: ada.email, password: PASSWORD })
    expect(account.html).not.toContain('class="acting"')
    expect(account.html).toContain('/account/password')
    const shop = await openShop(at, browser)
    const { body: after } = await shop.redeem()
    const claims = decodeJwt(after.id_token)
    expect(claims).not.toHaveProperty('act')
    expect(claims.amr).toEqual(['pwd'])
    expect(await shop.userinfo(acted.body.access_token)).toBe(401)
  })
})

type Body = { profile: object; disabled?: boolean }

async function change({ tenant, ada }: Started, next: (body: Body) => object): Promise<void> {
  const url = `/v1/tenants/${tenant.id}/users/${ada.id}`
  const { body } = await tenant.call('GET', url)
  const { status } = await tenant.call('POST', url, next(body))
  expect(status).toBeLessThan(300)
}
