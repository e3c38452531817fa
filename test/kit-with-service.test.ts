import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNodeTransport } from '@latchkey/core/node'
import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, type Page } from '../packages/service/test/issuer/support/browser.ts'
import { codeOf } from '../packages/service/test/issuer/support/factors.ts'
import { fetchOver } from './support/fetch-over.ts'

import { remember, watchServer } from './support/leaks.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

const mfa = 'https://refeds.org/profile/mfa'

/** The kit and the service, and how one reaches the other. */
interface Wiring {
  readonly name: string
  start(app: string): Promise<{
    readonly service: IdentityService
    /** The tenant's domain; its issuer is there. */
    readonly domain: string
    readonly issuer: string
    readonly baseUrl: string
    readonly options: AuthOptions
    /** How a browser reaches the issuer. */
    readonly fetch: typeof fetch
  }>
}

const wirings: Wiring[] = [
  {
    name: 'in one process, with no socket between them',
    async start() {
      const service = await createIdentityService({ allowDeveloperMode: true })
      return {
        service,
        domain: 'login.acme.test',
        issuer: 'https://login.acme.test',
        baseUrl: 'https://shop.acme.test',
        options: { fetch: service.fetch },
        fetch: service.fetch,
      }
    },
  },
  {
    name: 'over sockets',
    async start(app) {
      const service = await createIdentityService({
        allowHttpOnLoopback: true,
        allowDeveloperMode: true,
      })
      const { port } = await service.listen({ port: 0 })
      const domain = `acme.localhost:${port}`
      // What the kit reaches it with by itself.
      const fetch = fetchOver(createNodeTransport())
      return { service, domain, issuer: `http://${domain}`, baseUrl: app, options: {}, fetch }
    },
  },
]

describe.each(wirings)('the kit and our own service, $name', ({ start }) => {
  let world: Awaited<ReturnType<Wiring['start']>>
  let userId: string
  const app = express()
  const server = createServer(app)
  let served: string
  let call: (path: string, body?: object) => Promise<Record<string, string>>

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    served = `http://localhost:${(server.address() as AddressInfo).port}`
    watchServer(server)
    world = await start(served)
    const { service, baseUrl, issuer, domain } = world
    const tenant = await service.admin.createTenant({ domain, settings: { developerMode: true } })
    const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
    call = async (path, body) => {
      const answer = await service.fetch(`https://api.test/v1/tenants/${tenant.id}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      expect(answer.status).toBe(200)
      return answer.json() as Promise<Record<string, string>>
    }
    const { id: clientId = '' } = await call('/applications', {
      type: 'Application',
      name: 'Shop',
      login_url: `${baseUrl}/login`,
      logout_urls: [`${baseUrl}/`],
      redirect_urls: [`${baseUrl}/callback`],
      metadata: { backchannel_logout_uri: `${served}/backchannel-logout` },
    })
    const { secret: clientSecret } = await call(`/applications/${clientId}`)
    userId = (await call('/users', user())).id ?? ''
    const password = { alg: 'plain', hash: ada.password }
    await call(`/users/${userId}/credentials`, { type: 'PasswordCredential', password })
    remember('client secret', clientSecret)

    app.use(
      createAuthRouter({
        issuer,
        clientId,
        clientSecret,
        baseUrl,
        scope: 'openid profile email offline_access',
        session: { secret: 'a session secret of the tests, long enough' },
        ...world.options,
      }),
    )
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
    })
    app.get('/account', requireUser({ respond: 'redirect' }), (req, res) => {
      res.send(`Hello ${getUser(req).name}, ${getUser(req).email}`)
    })
    app.get('/factors', requireUser(), (req, res) => {
      res.json({ amr: req.auth.session?.amr, acr: req.auth.session?.acr })
    })
    app.get('/payments', requireUser({ acr: mfa, respond: 'redirect' }), (req, res) => {
      res.json({ amr: req.auth.session?.amr, acr: req.auth.session?.acr })
    })
    app.get('/refreshed', requireUser({ respond: 'redirect' }), async (req, res) => {
      const tokens = [await req.auth.accessToken(), await req.auth.accessToken({ force: true })]
      remember('token', ...tokens, req.auth.idToken())
      res.json({ same: tokens[0] === tokens[1], info: await req.auth.fetchUserInfo() })
    })
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await world.service.close()
  })

  const user = (changes: object = {}): object => ({
    type: 'User',
    profile: { email: ada.email, email_verified: true, name: 'Ada Lovelace' },
    ...changes,
  })

  /** A browser that sees both: the application at its `baseUrl`, wherever that is served. */
  function openBrowser(): {
    visit(path: string): Promise<Page>
    logIn(): Promise<Page>
    follow(page: Page): Promise<Page>
    browser: ReturnType<typeof createBrowser>
  } {
    const { issuer, baseUrl } = world
    const browser = createBrowser({
      url: issuer,
      fetch: (input, init) => {
        const url = new URL(input)
        if (url.origin === issuer) return world.fetch(url, init)
        return fetch(new URL(url.pathname + url.search, served), init)
      },
    })
    const follow = async (page: Page): Promise<Page> => {
      let current = page
      while (current.location) {
        current = await browser.get(new URL(current.location, current.url).href)
      }
      return current
    }
    return {
      browser,
      follow,
      visit: (path) => browser.get(baseUrl + path).then(follow),
      async logIn() {
        const page = await browser.get(`${baseUrl}/account`).then(follow)
        return follow(await browser.submit(page, ada))
      },
    }
  }

  test('a visitor logs in with a password and returns to the requested page', async () => {
    const { logIn } = openBrowser()

    const page = await logIn()

    expect(page.url).toBe(`${world.baseUrl}/account`)
    expect(page.html).toBe('Hello Ada Lovelace, ada@example.com')
  })

  test('the session of the application says by which factors the user logged in', async () => {
    const { logIn, visit } = openBrowser()
    await logIn()

    expect(JSON.parse((await visit('/factors')).html)).toEqual({ amr: ['pwd'] })
  })

  test('a user without a second factor is refused where one is required, and not sent round in circles', async () => {
    const { logIn, visit } = openBrowser()
    await logIn()

    const page = await visit('/payments')

    expect(page.status).toBe(403)
    expect(page.url).toContain(world.baseUrl)
  })

  test('a user adds a second factor where the application requires one, and lands on the page', async () => {
    const { baseUrl } = world
    const tenant = await call('')
    const settings = { ...Object(tenant.settings), allow_totp_app: true }
    await call('', { ...tenant, settings })
    const { logIn, visit, browser } = openBrowser()
    await logIn()

    const form = await visit('/payments')
    const [, seed = ''] = /<code>([A-Z2-7 ]{32,})<\/code>/.exec(form.html) ?? []
    const codes = await browser.submit(form, { code: codeOf(seed) })
    let page = await browser.submit(codes, { step: 'continue' })
    while (page.location) page = await browser.get(new URL(page.location, page.url).href)

    expect(page.url).toBe(`${baseUrl}/payments`)
    expect(JSON.parse(page.html)).toEqual({ amr: ['pwd', 'otp', 'mfa'], acr: mfa })
    await call('', { ...tenant, settings: { ...settings, allow_totp_app: false } })
  })

  test('a wrong password signs nobody in', async () => {
    const { browser, visit } = openBrowser()
    const page = await visit('/account')

    const refused = await browser.submit(page, { ...ada, password: 'another password' })

    expect(refused.url).toContain(world.issuer)
    expect((await visit('/')).html).toBe('out')
  })

  test('tokens are refreshed, and userinfo is read with the new one', async () => {
    const { logIn, visit } = openBrowser()
    await logIn()

    const answers = [await visit('/refreshed'), await visit('/refreshed')]

    for (const { html } of answers) {
      expect(JSON.parse(html)).toMatchObject({
        same: false,
        info: { sub: userId, email: ada.email },
      })
    }
  })

  test('a logout ends the session at both, and the visitor comes back', async () => {
    const { browser, logIn, visit } = openBrowser()
    await logIn()
    const page = await browser.get(`${world.baseUrl}/logout`)
    browser.headers.origin = world.baseUrl

    let left = await browser.submit(page)
    delete browser.headers.origin
    while (left.location) left = await browser.get(new URL(left.location, left.url).href)

    expect(left.url).toBe(`${world.baseUrl}/`)
    expect(left.html).toBe('out')
    const asked = await visit('/account')
    expect(asked.url).toContain(world.issuer)
    expect(asked.html).toContain('type="password"')
  })

  test('a login that a page of the service starts, at the kit, ends logged in', async () => {
    const { browser, visit, follow } = openBrowser()
    const asked = await browser.peek(`${world.baseUrl}/login`)
    const broken = new URL(asked.location ?? '')
    broken.searchParams.set('redirect_uri', 'https://evil.example/')

    const page = await browser.get(broken.href)
    const href = /href="([^"]*\/login\?iss=[^"]*)"/.exec(page.html)?.[1] ?? ''
    const form = await browser.get(href).then(follow)
    await browser.submit(form, ada).then(follow)

    expect(page.status).toBe(400)
    expect(new URL(href).searchParams.get('iss')).toBe(world.issuer)
    expect((await visit('/')).html).toBe(`in as ${userId}`)
  })

  test('a second login of the same person asks for no password', async () => {
    const { browser, logIn, visit } = openBrowser()
    await logIn()
    const page = await browser.peek(`${world.baseUrl}/login?prompt=none&returnTo=/account`)

    expect(page.location).toContain(`${world.issuer}/`)
    expect((await visit('/login?prompt=none&returnTo=/account')).html).toContain('Hello Ada')
  })

  test('a user who is disabled at the service is logged out of the application at once', async () => {
    const { logIn, visit } = openBrowser()
    await logIn()
    expect((await visit('/')).html).toBe(`in as ${userId}`)

    await call(`/users/${userId}`, user({ disabled: true }))

    await expect.poll(async () => (await visit('/')).html).toBe('out')
    await call(`/users/${userId}`, user())
  })
})
