import { getRequestListener } from '@hono/node-server'
import type { TestUser } from '@latchkey/testing'
import { toNodeHandler } from 'better-auth/node'
import express, { type Express } from 'express'
import session from 'express-session'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Registered } from '../src/other-clients.ts'
import {
  betterAuthClient,
  fastifyApp,
  honoApp,
  oktaMiddleware,
} from '../src/other-clients-frameworks.ts'
import { arcticClient, openidClient5 } from '../src/other-clients-libraries.ts'
import { type Page, startWorld, type World } from './other-clients-support.ts'

// Read at run time, without their types.
const untyped = new URL('../src/other-clients-untyped.js', import.meta.url).href
const { authJs, grantMiddleware, nextAuthOptions, NextAuth } = await import(untyped)

let world: World
let user: TestUser

beforeAll(async () => {
  world = await startWorld()
  user = world.user
})
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => world?.[Symbol.asyncDispose]())

const textOf = async (page: Page): Promise<string> => (await page.textContent('body')) ?? ''
const sessions = () => session({ secret: 'a long secret', resave: false, saveUninitialized: false })

test('@auth/express logs a user in as it is', async () => {
  const make = (app: Express, registered: Registered) => void app.use('/auth', authJs(registered))
  await using site = await world.start({}, make, '/auth/callback/latchkey')
  await site.page.goto(`${site.url}/auth/signin`)
  await site.page.getByRole('button', { name: 'Latchkey' }).click()
  await world.logIn(site.page)
  await site.page.goto(`${site.url}/auth/session`)
  expect(await textOf(site.page)).toContain(user.email)
})

test('@fastify/oauth2 logs a user in as it is', async () => {
  await using site = await world.start({}, async (app, registered) => {
    const fastify = await fastifyApp(registered)
    await fastify.ready()
    app.use((req, res) => fastify.routing(req, res))
  })
  await site.page.goto(`${site.url}/login`)
  await world.logIn(site.page)
  expect(await textOf(site.page)).toContain(user.email)
})

test('@hono/oidc-auth logs a user in as it is', async () => {
  await using site = await world.start({}, (app, registered) => {
    const listener = getRequestListener(honoApp(registered).fetch)
    app.use((req, res) => void listener(req, res))
  })
  await site.page.goto(`${site.url}/me`)
  await world.logIn(site.page)
  expect(site.page.url()).toBe(`${site.url}/me`)
  expect(await textOf(site.page)).toContain(user.email)
})

test('grant logs a user in as it is', async () => {
  const make = (app: Express, registered: Registered) => {
    app.use(sessions(), grantMiddleware(registered))
    app.get('/me', (req, res) => {
      res.json((req.session as { grant?: { response?: object } }).grant?.response)
    })
  }
  await using site = await world.start({}, make, '/connect/latchkey/callback')
  await site.page.goto(`${site.url}/connect/latchkey`)
  await world.logIn(site.page)
  expect(await textOf(site.page)).toContain(user.email)
})

test('better-auth logs a user in as it is', async () => {
  const make = (app: Express, registered: Registered) => {
    const auth = betterAuthClient(registered)
    app.all('/api/auth/*path', toNodeHandler(auth))
    app.get('/login', async (_req, res) => {
      const body = { provider: 'latchkey', callbackURL: '/' }
      const begun = await auth.api.signInSocial({ body, asResponse: true })
      const { url } = (await begun.json()) as { url: string }
      res.setHeader('set-cookie', begun.headers.getSetCookie())
      res.redirect(url)
    })
    app.get('/', (_req, res) => void res.send('home'))
  }
  await using site = await world.start({}, make, '/api/auth/callback/latchkey')
  await site.page.goto(`${site.url}/login`)
  await world.logIn(site.page)
  await site.page.goto(`${site.url}/api/auth/get-session`)
  expect(await textOf(site.page)).toContain(user.email)
})

/** next-auth as an API route of Next.js calls it. */
function serveNextAuth(app: Express, registered: Registered): void {
  vi.stubEnv('NEXTAUTH_URL', registered.baseUrl)
  app.use('/api/auth', express.urlencoded(), (req, res) => {
    const query = { ...req.query, nextauth: req.path.split('/').filter(Boolean) }
    const cookies = Object.fromEntries(
      (req.headers.cookie ?? '').split('; ').map((pair) => {
        const [name = '', value = ''] = pair.split('=')
        return [name, decodeURIComponent(value)]
      }),
    )
    Object.defineProperties(req, { query: { value: query }, cookies: { value: cookies } })
    return NextAuth(req, res, nextAuthOptions(registered))
  })
}

test('next-auth logs a user in with PKCE', async () => {
  await using site = await world.start({}, serveNextAuth, '/api/auth/callback/latchkey')
  await site.page.goto(`${site.url}/api/auth/signin`)
  await site.page.getByRole('button', { name: 'Latchkey' }).click()
  await world.logIn(site.page)
  await site.page.goto(`${site.url}/api/auth/session`)
  expect(await textOf(site.page)).toContain(user.email)
})

test('@okta/oidc-middleware logs a user in with latchkey_pkce and latchkey_nonce optional', async () => {
  const metadata = { latchkey_pkce: 'optional', latchkey_nonce: 'optional' }
  const make = (app: Express, registered: Registered) => {
    const oidc = oktaMiddleware(registered, { testing: { disableHttpsCheck: true } })
    app.use(sessions(), oidc.router as never)
    app.get('/', (_req, res) => void res.send('home'))
    app.get('/me', oidc.ensureAuthenticated() as never, (req, res) => {
      res.json(req.userContext?.userinfo)
    })
  }
  await using site = await world.start(metadata, make, '/authorization-code/callback')
  await site.page.goto(`${site.url}/me`)
  await world.logIn(site.page)
  await site.page.goto(`${site.url}/me`)
  expect(await textOf(site.page)).toContain(user.email)
})

test.each([
  ['openid-client 5', openidClient5],
  ['arctic', arcticClient],
])('%s logs a user in as it is', async (_name, begin) => {
  await using site = await world.start({}, async (app, registered) => {
    const begun = await begin(registered)
    app.get('/login', (_req, res) => void res.redirect(String(begun.url)))
    app.get('/callback', async (req, res) => {
      const url = new URL(req.originalUrl, registered.baseUrl)
      const { complete } = begun as { complete(callback: URL | string): Promise<object> }
      res.json(await complete(_name === 'arctic' ? url : url.href))
    })
  })
  await site.page.goto(`${site.url}/login`)
  await world.logIn(site.page)
  expect(await textOf(site.page)).toContain(user.email)
})
