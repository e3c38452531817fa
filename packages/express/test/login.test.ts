import { getUser, requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { startApp } from './support/app.ts'
import { createBrowser } from './support/browser.ts'

test('a visitor who asks for a protected page logs in and lands on that page', async () => {
  await using site = await startApp((app) => {
    app.get('/profile', requireUser(), (req, res) => {
      res.send(`Hello ${getUser(req).email}`)
    })
  })
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/profile?tab=2`)

  expect(visit.url.href).toBe(`${site.url}/profile?tab=2`)
  expect(visit.text).toBe('Hello ada@example.com')
})

test('a login asks with PKCE S256, state and nonce for a code and nothing else', async () => {
  await using site = await startApp(() => {})

  const response = await createBrowser().send(`${site.url}/login`)

  const url = new URL(response.headers.get('location') as string)
  expect(response.status).toBe(302)
  expect(url.origin).toBe(site.provider.issuer)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge_method: 'S256',
    redirect_uri: `${site.url}/callback`,
  })
  expect(url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/)
  expect(url.searchParams.get('nonce')).toMatch(/^[\w-]{43}$/)
  expect(url.searchParams.get('state')?.length).toBeGreaterThan(22)
})

test('a login ends at its returnTo, and never on another site', async () => {
  await using site = await startApp(() => {})
  const inside = await createBrowser().open(`${site.url}/login?returnTo=/orders%3Fpage%3D2`)
  const outside = await createBrowser().open(`${site.url}/login?returnTo=https://evil.example/`)

  expect(inside.url.href).toBe(`${site.url}/orders?page=2`)
  expect(outside.url.href).toBe(`${site.url}/`)
})

test('every login gets a new session id, also a second login of the same user', async () => {
  await using site = await startApp((app) => {
    app.get('/', requireUser(), (req, res) => {
      res.send(getUser(req).sub)
    })
  })
  const browser = createBrowser()
  const sessionCookie = () =>
    [...browser.cookies].find(([key]) => key.endsWith('/ latchkey'))?.[1].value as string
  await browser.open(site.url)
  const first = sessionCookie()

  await browser.open(`${site.url}/login`)

  expect(sessionCookie()).not.toBe(first)
  const old = await createBrowser().send(site.url, { headers: { cookie: `latchkey=${first}` } })
  expect(old.status).toBe(401)
})

test('after a logout the visitor is logged out here and at the provider', async () => {
  await using site = await startApp((app) => {
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? 'in' : 'out')
    })
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  const response = await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: { origin: site.url },
  })

  const location = new URL(response.headers.get('location') as string)
  expect(location.origin).toBe(site.provider.issuer)
  expect(location.searchParams.get('id_token_hint')).toBeTruthy()
  expect((await browser.open(site.url)).text).toBe('out')
})

test('a link to the logout route shows a page that asks', async () => {
  await using site = await startApp((app) => {
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? 'in' : 'out')
    })
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  const asked = await browser.open(`${site.url}/logout`)

  expect(asked.text).toContain('<form method="post" action="/logout">')
  expect((await browser.open(site.url)).text).toBe('in')
})

test('a program is told to log in with 401 and problem details', async () => {
  await using site = await startApp((app) => {
    app.get('/api', requireUser(), (_req, res) => {
      res.json({ ok: true })
    })
  })

  const response = await fetch(`${site.url}/api`)

  expect(response.status).toBe(401)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({
    code: 'LATCHKEY_LOGIN_REQUIRED',
    status: 401,
    loginUrl: '/login',
  })
})

test('req.session is a session of express-session and stores the application’s data', async () => {
  await using site = await startApp((app) => {
    app.get('/count', (req, res) => {
      const session = req.session as unknown as { count?: number }
      session.count = (session.count ?? 0) + 1
      res.send(String(session.count))
    })
    app.get('/user', requireUser(), (req, res) => {
      res.send(getUser(req).sub)
    })
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/user`)

  await browser.send(`${site.url}/count`)
  const second = await browser.send(`${site.url}/count`)

  expect(await second.text()).toBe('2')
  expect((await browser.open(`${site.url}/user`)).text).toBe('ada')
})
