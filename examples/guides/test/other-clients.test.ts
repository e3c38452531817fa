import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Identity, startIdentity, type TestUser } from '@latchkey/testing'
import express, { type Express } from 'express'
import { requiresAuth } from 'express-openid-connect'
import session from 'express-session'
import * as client from 'openid-client'
import passport from 'passport'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import {
  expressOpenidConnect,
  openidClient,
  passportStrategy,
  type Registered,
} from '../src/other-clients.ts'

const require = createRequire(import.meta.url)
const library = require.resolve('oidc-client-ts/package.json')
const jwtDecode = join(dirname(library), '../jwt-decode/build/esm/index.js')

type Browser = Awaited<ReturnType<typeof launchChromium>>
type Page = Awaited<ReturnType<Browser['newPage']>>

let chromium: Browser
let identity: Identity
let user: TestUser

beforeAll(async () => {
  chromium = await launchChromium()
  identity = await startIdentity({ listen: true, domain: 'localhost' })
  user = await identity.createUser({ email: 'ada@example.com' })
})
afterAll(async () => {
  await chromium?.close()
  await identity?.close()
})

/** A server of an application, and the application's registration with the given metadata. */
async function start(
  metadata: object,
  make: (app: Express, registered: Registered) => void,
): Promise<{ page: Page; url: string } & AsyncDisposable> {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const { secret: key } = await identity.service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const call = async (path: string, body?: object) => {
    const response = await identity.service.fetch(
      `https://api.internal/v1/tenants/${identity.tenantId}/applications${path}`,
      {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      },
    )
    return (await response.json()) as { id: string; secret?: string }
  }
  const { id } = await call('', {
    name: 'Shop',
    metadata,
    redirect_urls: [`${url}/callback`],
    logout_urls: [`${url}/`],
  })
  const { secret = '' } = await call(`/${id}`)
  make(app, { issuer: identity.issuer, clientId: id, clientSecret: secret, baseUrl: url })
  const page = await chromium.newPage()
  return {
    page,
    url,
    async [Symbol.asyncDispose]() {
      await page.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Logs the user in on the page of the service. */
async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill(user.email)
  await page.locator('#password').fill(user.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.waitForURL(({ pathname }) => !pathname.startsWith('/login/'))
}

test('express-openid-connect logs a user in and out as it is', async () => {
  await using site = await start({}, (app, registered) => {
    app.use(expressOpenidConnect(registered))
    app.get('/me', requiresAuth(), (req, res) => void res.json(req.oidc.user))
    app.get('/', (_req, res) => void res.send('home'))
  })
  await site.page.goto(`${site.url}/logout`)
  await site.page.goto(`${site.url}/me`)
  await logIn(site.page)
  expect(JSON.parse((await site.page.textContent('body')) ?? '')).toMatchObject({
    email: user.email,
  })
  await site.page.goto(`${site.url}/logout`)
  expect(site.page.url()).toBe(`${site.url}/`)
})

test('passport-openidconnect logs a user in with latchkey_pkce: optional', async () => {
  await using site = await start({ latchkey_pkce: 'optional' }, (app, registered) => {
    const logins = new passport.Passport()
    logins.use(passportStrategy(registered))
    app.use(session({ secret: 'a long secret', resave: false, saveUninitialized: false }))
    app.get('/login', logins.authenticate('openidconnect'))
    app.get(
      '/callback',
      logins.authenticate('openidconnect', { session: false }),
      (req, res) => void res.json(req.user),
    )
  })
  await site.page.goto(`${site.url}/login`)
  await logIn(site.page)
  expect(await site.page.textContent('body')).toContain(user.email)
})

test('openid-client logs a user in as it is', async () => {
  await using site = await start({}, (app, registered) => {
    const options = { execute: [client.allowInsecureRequests] }
    const begun = openidClient(registered, options)
    app.get('/login', async (_req, res) => void res.redirect((await begun).url.href))
    app.get('/callback', async (req, res) => {
      const tokens = await (await begun).complete(new URL(req.originalUrl, registered.baseUrl))
      res.json(tokens.claims())
    })
  })
  await site.page.goto(`${site.url}/login`)
  await logIn(site.page)
  expect(await site.page.textContent('body')).toContain(user.email)
})

const PAGE = (registered: Registered) => `<!doctype html><title>Shop</title><p></p>
<script type="importmap">{"imports":{"oidc-client-ts":"/oidc-client-ts.js","jwt-decode":"/jwt-decode.js"}}</script>
<script type="module">
  import { createUsers } from '/page.js'
  const users = createUsers(${JSON.stringify({ issuer: registered.issuer, clientId: registered.clientId })})
  const show = (text) => { document.querySelector('p').textContent = text }
  window.users = users
  try {
    if (location.pathname === '/callback') {
      const { profile } = await users.signinCallback()
      const { access_token: first } = await users.getUser()
      const { access_token: second } = await users.signinSilent()
      show(profile.email + (first === second ? ' with the same token' : ' with a new token'))
    } else if (location.pathname === '/login') await users.signinRedirect()
    else show('home')
  } catch (error) { show('failed: ' + error.message) }
</script>`

function servePage(app: Express, registered: Registered): void {
  const send = (path: string, file: string) =>
    app.get(path, (_req, res) => void res.type('js').send(readFileSync(file)))
  send('/oidc-client-ts.js', join(dirname(library), 'dist/esm/oidc-client-ts.js'))
  send('/jwt-decode.js', jwtDecode)
  send('/page.js', fileURLToPath(new URL('../src/other-clients-page.js', import.meta.url)))
  app.get(/.*/, (_req, res) => void res.send(PAGE(registered)))
}

test('oidc-client-ts logs a user in and out in a browser, and refreshes, with latchkey_client: public', async () => {
  await using site = await start({ latchkey_client: 'public' }, servePage)
  await site.page.goto(`${site.url}/login`)
  await logIn(site.page)
  await site.page.getByText(`${user.email} with a new token`).waitFor()
  await site.page.evaluate('void setTimeout(() => users.signoutRedirect())')
  await site.page.getByText('home').waitFor()
  expect(site.page.url()).toBe(`${site.url}/`)
})

test('oidc-client-ts at an application with a secret is told which metadata is missing', async () => {
  await using site = await start({}, servePage)
  await site.page.goto(`${site.url}/login`)
  await logIn(site.page)
  await site.page.getByText('latchkey_client: public').waitFor()
})
