import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestUser } from '@latchkey/testing'
import type { Express } from 'express'
import { requiresAuth } from 'express-openid-connect'
import session from 'express-session'
import * as client from 'openid-client'
import passport from 'passport'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  expressOpenidConnect,
  openidClient,
  passportStrategy,
  type Registered,
} from '../src/other-clients.ts'
import { startWorld, type World } from './other-clients-support.ts'

const require = createRequire(import.meta.url)
const library = require.resolve('oidc-client-ts/package.json')
const jwtDecode = join(dirname(library), '../jwt-decode/build/esm/index.js')

let world: World
let user: TestUser
const start: World['start'] = (...given) => world.start(...given)
const logIn: World['logIn'] = (page) => world.logIn(page)

beforeAll(async () => {
  world = await startWorld()
  user = world.user
})
afterAll(() => world?.[Symbol.asyncDispose]())

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
