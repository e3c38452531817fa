import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Cookie, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type CertifiedKey, selfSigned } from '../../../../test/support/certificate.ts'
import { createIdentityService, type IdentityService } from '../../src/index.ts'
import { startApplication, startChromium } from './chromium.ts'

// The issuer is at login.corp.test. The attacker has taken over evil.corp.test, which may set cookies
// for all of corp.test, and has an account.
const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const mallory = { email: 'mallory@example.com', password: 'battery staple horse' }

let chromium: Awaited<ReturnType<typeof startChromium>>
let site: Awaited<ReturnType<typeof startApplication>>
let tls: CertifiedKey
let evil: Awaited<ReturnType<typeof startSibling>>
let service: IdentityService
let issuer: string
let clientId: string

beforeAll(async () => {
  chromium = await startChromium(['--host-resolver-rules=MAP *.corp.test 127.0.0.1'])
  site = await startApplication()
  tls = await selfSigned('login.corp.test', 'evil.corp.test')
  evil = await startSibling()
  service = await createIdentityService()
  const { port } = await service.listen({ tls })
  issuer = `https://login.corp.test:${port}`
  await service.admin.seed({
    tenants: [
      {
        settings: { domain: `login.corp.test:${port}` },
        applications: [{ name: 'Shop', redirect_urls: site.input.redirectUrls }],
        users: [ada, mallory].map(({ email, password }) => ({
          profile: { email, email_verified: true },
          password: { alg: 'plain', hash: password },
        })),
      },
    ],
  })
  const created = (await service.admin.audit()).find(
    ({ action }) => action === 'application.create',
  )
  clientId = created?.target ?? ''
})

afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await service.close()
  await evil[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

let attacker: Page
let victim: Page

beforeEach(async () => {
  attacker = await chromium.open({ ignoreHTTPSErrors: true })
  victim = await chromium.open({ ignoreHTTPSErrors: true })
  return async () => {
    await attacker.context().close()
    await victim.context().close()
  }
})

/** Plants cookies for all of corp.test and sends the browser on. */
async function startSibling() {
  const plan = { cookies: [] as string[], location: '' }
  const server = createServer(tls, (_request, response) => {
    response.writeHead(303, { location: plan.location, 'set-cookie': plan.cookies }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://evil.corp.test:${(server.address() as AddressInfo).port}/`,
    /** Lures a browser here, so that it takes the cookies along to a page of the issuer. */
    async lure(page: Page, cookies: Cookie[], location: string): Promise<void> {
      plan.location = location
      plan.cookies = cookies.map(
        ({ name, value, path }) =>
          `${name}=${value}; Domain=corp.test; Path=${path}; Secure; HttpOnly; SameSite=Lax`,
      )
      await page.goto(this.url)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function loginUrl(): string {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: site.input.redirectUrls[0] ?? '',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  return `${issuer}/oidc/auth?${query}`
}

async function submit(page: Page, { email, password }: typeof ada): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', password)
  await page.click('button[type=submit]')
}

/** The user who is logged in in the browser, as the issuer's own page says it. */
async function loggedInAs(page: Page): Promise<string | undefined> {
  await page.goto(`${issuer}/login/nowhere`)
  const text = (await page.textContent('main')) ?? ''
  return [ada, mallory].find(({ email }) => text.includes(email))?.email
}

test.each(['', '/signup', '/reset', '/sent'])(
  'a sibling host that plants its own login gets the visitor no page at "/login/…%s"',
  async (page) => {
    await attacker.goto(loginUrl())
    const { pathname } = new URL(attacker.url())
    await evil.lure(victim, await attacker.context().cookies(), `${issuer}${pathname}${page}`)
    expect(await victim.locator('input:not([type=hidden])').count()).toBe(0)
    expect(await victim.textContent('main')).toContain('This page has expired')
  },
)

test.each([
  ['is here for the first time', false],
  ['has been here before', true],
])('a sibling host cannot take over the login of a user who %s', async (_, isKnown) => {
  if (isKnown) await victim.goto(loginUrl())
  await attacker.goto(loginUrl())
  const cookies = await attacker.context().cookies()
  const resume = resumeCookie(cookies)
  const planted = cookies.filter((cookie) => cookie !== resume)
  await evil.lure(victim, planted, attacker.url())
  if (await victim.locator('#password').count()) await submit(victim, ada)

  await attacker.goto(issuer + resume.path)
  expect(attacker.url()).not.toContain('code=')
  expect(await loggedInAs(attacker)).toBeUndefined()
  // Who has been here before logs in all the same, in a login of their own.
  if (isKnown) expect(victim.url()).toContain(`${site.url}/callback?code=`)
})

test('a sibling host cannot log a visitor in as another user with the resume cookie of its own login', async () => {
  await attacker.goto(loginUrl())
  const cookies = await attacker.context().cookies()
  const resume = resumeCookie(cookies)
  // Without the cookie, the attacker's own browser stops before the login is resumed.
  await attacker.context().clearCookies({ name: resume.name })
  await submit(attacker, mallory)
  await attacker.waitForURL(issuer + resume.path)

  await evil.lure(victim, cookies, issuer + resume.path)
  expect(victim.url()).not.toContain('code=')
  expect(await loggedInAs(victim)).toBeUndefined()
})

function resumeCookie(cookies: Cookie[]): Cookie {
  const found = cookies.find(({ name }) => name.endsWith('-resume'))
  if (!found) throw new Error('No login is under way in the browser.')
  return found
}
