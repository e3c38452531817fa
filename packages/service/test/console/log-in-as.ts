import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Browser, Page } from '../issuer/support/browser.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { type OperatorBrowser, on, press, startConsole, type stores } from './support.ts'
import { aTenant } from './tenant.ts'

export const REASON = 'Ticket 4711: the invoice page is empty'
const CALLBACK = 'https://shop.example/callback'

type Store = (typeof stores)[number]

/** A tenant that allows logins of operators, with Ada, a shop, and an admin of the console. */
export async function start(
  store: Store,
  mode = 'allowed',
  options: { role?: 'admin' | 'support' } = {},
) {
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

export type Started = Awaited<ReturnType<typeof start>>

async function setMode(tenant: Awaited<ReturnType<typeof aTenant>>, value: string) {
  const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}`)
  const metadata = { ...body.metadata, latchkey_impersonation: value }
  const { status } = await tenant.call('POST', `/v1/tenants/${tenant.id}`, { ...body, metadata })
  expect(status).toBe(200)
}

export async function addShop(tenant: Awaited<ReturnType<typeof aTenant>>, metadata: object = {}) {
  const { body } = await tenant.call('POST', `/v1/tenants/${tenant.id}/applications`, {
    name: 'Shop',
    redirect_urls: [CALLBACK],
    login_url: 'https://shop.example/login',
    logout_urls: ['https://shop.example/'],
    metadata,
  })
  const { body: stored } = await tenant.call(
    'GET',
    `/v1/tenants/${tenant.id}/applications/${body.id}`,
  )
  return stored as { id: string; secret: string }
}

/** A browser at the tenant. */
export function visitor({
  running: { service },
  tenant,
}: Pick<Started, 'running' | 'tenant'>): Browser {
  return createBrowser({ url: `https://${tenant.domain}`, fetch: service.fetch as never })
}

/** The page with the ticket, after the operator has asked. */
export async function ask(by: OperatorBrowser, path: string, reason = REASON): Promise<Page> {
  return press(by, await by.get(path), path, { reason })
}

export const ticketIn = ({ html }: Page) => /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? ''

/** Sends the ticket from the console, which is another site. */
export async function sendTicket(browser: Browser, ticket: string): Promise<Page> {
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
export async function enter(browser: Browser, ticket: string): Promise<Page> {
  const taken = await sendTicket(browser, ticket)
  const question = await browser.get(taken.location ?? '/none')
  return browser.submit(question, {})
}

/** An operator who is logged in as Ada. */
export async function act(at: Started): Promise<Browser> {
  const browser = visitor(at)
  await enter(browser, ticketIn(await ask(at.eve, at.path)))
  return browser
}

/** What the token endpoint answers. */
interface TokenBody {
  id_token: string
  access_token: string
  expires_in: number
  scope: string
  error: string
}

/** The answer to a login of the shop in a browser. */
export async function openShop(
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
    return { status: answer.status, body: (await answer.json()) as TokenBody }
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
    async userinfo(token: string): Promise<number> {
      const url = `https://${tenant.domain}/oidc/userinfo`
      const headers = { authorization: `Bearer ${token}` }
      return (await running.service.fetch(url, { headers })).status
    },
  }
}
