import type { RequestListener } from 'node:http'
import type { AuthOptions } from '@latchkey/express'
import express, { type Express } from 'express'
import openid from 'express-openid-connect'
import expressSession from 'express-session'
import passport from 'passport'
import Strategy from 'passport-openidconnect'
import { afterEach, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { adoptAppSession, adoptPassport } from '../src/adoption.ts'
import { type Running, start } from './support.ts'

const OLD_SECRET = 'the secret of the old application'

let site: Running
afterEach(() => site.close())

/** Serves an application that another one replaces, at the same address. */
async function startOld(
  makeOld: (connection: AuthOptions) => Express,
): Promise<(makeNew: (connection: AuthOptions) => Express) => void> {
  let current: RequestListener = () => {}
  let given: AuthOptions = {}
  site = await start((connection) => {
    given = connection
    current = makeOld(connection)
    return ((req, res) => current(req, res)) as Express
  })
  return (makeNew) => {
    current = makeNew(given)
  }
}

test('a user of express-openid-connect is still logged in after the switch, until the logout', async () => {
  const replace = await startOld(({ issuer, baseUrl, clientId, clientSecret }) => {
    const app = express()
    app.use(
      openid.auth({
        ...{ issuerBaseURL: String(issuer), baseURL: String(baseUrl), clientID: String(clientId) },
        ...{ clientSecret: String(clientSecret), secret: OLD_SECRET, authRequired: false },
        authorizationParams: { response_type: 'code', scope: 'openid profile' },
      }),
    )
    app.get('/account', openid.requiresAuth(), (req, res) => {
      res.send(`Hello ${req.oidc.user?.name} of old`)
    })
    return app
  })
  const browser = createBrowser()
  expect((await browser.open(`${site.url}/account`)).text).toBe('Hello Ada of old')
  const before = [...browser.cookies]
  const logins = site.provider.count('/auth')

  replace((connection) => adoptAppSession(connection, OLD_SECRET))

  const names = () => [...browser.cookies.keys()].map((key) => key.split(' ')[1])
  expect((await browser.open(`${site.url}/account`)).text).toBe('Hello Ada')
  expect(site.provider.count('/auth')).toBe(logins)
  expect(names()).toEqual(['latchkey'])
  // How Ada logged in is not known, so a guard that asks for a recent login sends her to log in.
  expect((await browser.open(`${site.url}/keys`)).text).toBe('Your keys')
  expect(site.provider.count('/auth')).toBe(logins + 1)

  await browser.send(`${site.url}/logout`, { method: 'POST' })
  for (const [key, cookie] of before) browser.cookies.set(key, cookie)
  expect((await browser.send(`${site.url}/account`)).status).toBe(401)
})

test('a user of passport is still logged in after the switch', async () => {
  const oldStore = new expressSession.MemoryStore()
  const replace = await startOld(({ issuer, baseUrl, clientId, clientSecret }) => {
    const app = express()
    const old = new passport.Passport()
    old.use(
      'oidc',
      new Strategy(
        {
          ...{
            issuer: String(issuer),
            clientID: String(clientId),
            clientSecret: String(clientSecret),
          },
          ...{ authorizationURL: `${issuer}/auth`, tokenURL: `${issuer}/token` },
          ...{ userInfoURL: `${issuer}/userinfo`, callbackURL: `${baseUrl}/callback` },
          scope: ['profile'],
        },
        (_issuer: string, profile: passport.Profile, done: (error: null, user: object) => void) =>
          done(null, profile),
      ),
    )
    old.serializeUser((user, done) => done(null, user))
    old.deserializeUser((user: Express.User, done) => done(null, user))
    app.use(
      expressSession({
        ...{ secret: OLD_SECRET, store: oldStore, resave: false, saveUninitialized: false },
      }),
    )
    app.use(old.session())
    app.get('/login', old.authenticate('oidc'))
    app.get('/callback', old.authenticate('oidc', { successRedirect: '/account' }))
    app.get('/account', (req, res) => void res.send(req.isAuthenticated() ? 'in' : 'out'))
    return app
  })
  const browser = createBrowser()
  expect((await browser.open(`${site.url}/login`)).text).toBe('in')

  replace((connection) => adoptPassport(connection, OLD_SECRET, oldStore))

  expect((await browser.open(`${site.url}/account`)).text).toBe('Hello Ada')
})
