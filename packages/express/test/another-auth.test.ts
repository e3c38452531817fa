import { answerErrors, getAuth, getUser, requireUser } from '@latchkey/express'
import type { RequestHandler } from 'express'
import { expect, test } from 'vitest'
import { startApp } from './support/app.ts'
import { createBrowser } from './support/browser.ts'

// Its types would change `req.auth` in every other test: augmentation.test.ts compiles them.
const { auth: bearer } = (await import('express-oauth2-jwt-bearer' as string)) as {
  auth: (options: object) => RequestHandler
}

test('getUser() and the guards work where express-oauth2-jwt-bearer owns req.auth', async () => {
  await using site = await startApp((app) => {
    app.use(
      bearer({
        issuer: 'https://tokens.example.com',
        jwksUri: 'https://tokens.example.com/jwks',
        audience: 'api',
        authRequired: false,
      }),
    )
    app.use((req, _res, next) => {
      // What it leaves for a request with a token.
      Object.assign(req, { auth: { token: 'e30.e30.', header: {}, payload: { sub: 'machine' } } })
      next()
    })
    app.get('/me', requireUser({ check: (user) => user.sub === 'ada' }), (req, res) => {
      const { payload } = req.auth as unknown as { payload: { sub: string } }
      res.json([getUser(req).sub, getAuth(req).isAuthenticated, payload.sub])
    })
  })
  const browser = createBrowser()

  await browser.open(`${site.url}/me`)

  expect(JSON.parse((await browser.open(`${site.url}/me`)).text)).toEqual(['ada', true, 'machine'])
})

test('answerErrors() answers errors of the kit that handlers throw, and no others', async () => {
  await using site = await startApp((app) => {
    app.get('/me', (req, res) => void res.send(getUser(req).sub))
    app.get('/broken', () => {
      throw new Error('database is down')
    })
    app.use(answerErrors())
  })
  const json = await fetch(`${site.url}/me`)
  const page = await createBrowser().open(`${site.url}/me`)

  expect([json.status, await json.json()]).toMatchObject([401, { code: 'LATCHKEY_LOGIN_REQUIRED' }])
  expect(page.response.status).toBe(401)
  expect(page.text).toContain('Please log in')
  expect(json.headers.get('cache-control')).toBe('private, no-store')
  expect((await fetch(`${site.url}/broken`)).status).toBe(500)
})
