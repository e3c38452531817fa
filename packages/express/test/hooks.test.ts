import diagnostics from 'node:diagnostics_channel'
import { createAuthRouter, DeniedError, getUser, requireUser, type User } from '@latchkey/express'
import type { Express, Request } from 'express'
import { expect, expectTypeOf, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

function home(app: Express): void {
  app.get('/', (req, res) => {
    res.json(req.auth.isAuthenticated ? req.auth.user : null)
  })
}

test('beforeLogin adds parameters, but none that the kit decides', async () => {
  await using site = await startSite(home, {
    hooks: { beforeLogin: () => ({ organization: 'acme', state: 'evil', redirect_uri: 'evil' }) },
  })

  const response = await createBrowser().send(`${site.url}/login`)
  const sent = new URL(response.headers.get('location') as string).searchParams

  expect(sent.get('organization')).toBe('acme')
  expect(sent.get('redirect_uri')).toBe(`${site.url}/callback`)
  expect(sent.get('state')).not.toBe('evil')
})

test('afterCallback changes the user and the destination, which still stays on this site', async () => {
  await using site = await startSite(home, {
    hooks: {
      afterCallback: ({ user }) => ({
        user: { ...user, plan: 'gold' },
        returnTo: user.sub === 'ada' ? '/?welcome' : 'https://evil.example',
      }),
    },
  })
  const ada = await createBrowser().open(`${site.url}/login`)
  site.provider.user = { sub: 'bob' }
  const bob = await createBrowser().open(`${site.url}/login`)

  expect(JSON.parse(ada.text)).toMatchObject({ sub: 'ada', plan: 'gold' })
  expect(ada.url.search).toBe('?welcome')
  expect(bob.url.href).toBe(`${site.url}/`)
})

test('afterCallback turns a user away before there is a session', async () => {
  const seen: unknown[] = []
  await using site = await startSite(home, {
    hooks: {
      afterCallback: ({ user }) => {
        if (!user.email_verified) throw new DeniedError('email is not verified')
        return undefined
      },
      onError: (error) => {
        seen.push(error)
        return undefined
      },
    },
  })
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/login`)

  expect(visit.response.status).toBe(403)
  expect(visit.text).toContain('LATCHKEY_USER_REFUSED')
  expect(visit.text).not.toContain('not verified')
  expect(seen).toMatchObject([{ reason: 'email is not verified' }])
  expect((await browser.open(site.url)).text).toBe('null')
})

declare module 'express-session' {
  interface SessionData {
    basket: string
  }
}

const basket = (app: Express): void => {
  app.get('/basket', (req, res) => void res.send(req.session.basket ?? 'empty'))
  app.get('/basket/:goods', (req, res) => {
    req.session.basket = req.params.goods
    res.send('kept')
  })
}

test('data that another request stores while the callback runs is there after the login', async () => {
  const browser = createBrowser()
  let meanwhile = async (): Promise<unknown> => undefined
  await using site = await startSite(basket, {
    hooks: { afterCallback: () => meanwhile().then(() => undefined) },
  })
  await browser.open(`${site.url}/login`)
  meanwhile = () => browser.send(`${site.url}/basket/tea`)

  await browser.open(`${site.url}/login`)

  expect((await browser.open(`${site.url}/basket`)).text).toBe('tea')
})

test('two logins of a visitor at the same time both keep the data of the visitor', async () => {
  const browser = createBrowser()
  let meanwhile = async (): Promise<unknown> => undefined
  await using site = await startSite(basket, {
    session: { keepAnonymousData: ['basket'] },
    hooks: { afterCallback: () => meanwhile().then(() => undefined) },
  })
  await browser.open(`${site.url}/basket/tea`)
  const tab = () => browser.open(`${site.url}/login`, ({ pathname }) => pathname === '/callback')
  const [first, second] = [await tab(), await tab()]
  meanwhile = () => {
    meanwhile = async () => undefined
    return browser.send(second.url.href)
  }

  expect((await browser.send(first.url.href)).status).toBe(303)

  expect((await browser.open(`${site.url}/basket`)).text).toBe('tea')
})

test('onSession sees what is stored, at login and at refresh', async () => {
  const reasons: string[] = []
  await using site = await startSite(
    (app) => {
      app.get('/', async (req, res) => {
        await req.auth.accessToken({ force: true })
        res.json(req.auth.user)
      })
    },
    {
      hooks: {
        onSession: (session, reason) => {
          reasons.push(reason)
          return { ...session, user: { ...session.user, [reason]: true } }
        },
      },
    },
  )

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(reasons).toEqual(['login', 'refresh'])
  expect(JSON.parse(visit.text)).toMatchObject({ login: true, refresh: true })
})

test('beforeLogout adds parameters to the logout of the provider', async () => {
  await using site = await startSite(home, {
    hooks: { beforeLogout: (ended) => ({ logout_hint: String(ended?.user.email) }) },
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  const response = await browser.send(`${site.url}/logout`, {
    method: 'POST',
    headers: { origin: site.url },
  })

  expect(response.headers.get('location')).toContain('logout_hint=ada%40example.com')
})

test('onError answers errors with a page of the application', async () => {
  await using site = await startSite(home, {
    hooks: { onError: (error) => new Response(`own page: ${error.code}`, { status: 418 }) },
  })
  site.provider.fault = 'access_denied'

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(visit.response.status).toBe(418)
  expect(visit.text).toBe('own page: LATCHKEY_LOGIN_DENIED')
})

test('onError answers what a guard refuses', async () => {
  await using site = await startSite(
    (app) => {
      app.get('/admin', requireUser({ roles: ['admin'] }), (_req, res) => void res.send('admin'))
    },
    { hooks: { onError: (error) => new Response(`own page: ${error.code}`, { status: 418 }) } },
  )
  const browser = createBrowser()
  const program = { headers: { accept: 'application/json' } }

  const refused = await browser.send(`${site.url}/admin`, program)
  expect(await refused.text()).toBe('own page: LATCHKEY_LOGIN_REQUIRED')
  const visit = await browser.open(`${site.url}/admin`)
  expect(visit.response.status).toBe(418)
  expect(visit.text).toBe('own page: LATCHKEY_FORBIDDEN')
})

test("an error that a hook throws by accident is the application's own", async () => {
  const errors: unknown[] = []
  await using site = await startSite(
    (app) => {
      home(app)
      app.use(((error, _req, res, _next) => {
        errors.push(error)
        res.sendStatus(500)
      }) as import('express').ErrorRequestHandler)
    },
    { hooks: { afterCallback: () => Promise.reject(new Error('database is down')) } },
  )
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/login`)

  expect(visit.response.status).toBe(500)
  expect(errors).toMatchObject([{ message: 'database is down' }])
  expect((await browser.open(site.url)).text).toBe('null')
})

test('onLogoutToken learns what the provider ended', async () => {
  const notices: unknown[] = []
  await using site = await startSite(home, {
    hooks: {
      onLogoutToken: (notice) => {
        notices.push(notice)
      },
    },
  })
  await createBrowser().open(`${site.url}/login`)
  await createBrowser().send(`${site.url}/backchannel-logout`, {
    method: 'POST',
    body: `logout_token=${site.provider.logoutToken({ sub: 'ada' })}`,
  })

  expect(notices).toEqual([{ issuer: site.provider.issuer, sub: 'ada', sid: undefined, ended: 1 }])
})

test('events on the diagnostics channels tell what happens, and hold no token, code or name', async () => {
  const names = [
    'login.started',
    'login.succeeded',
    'login.failed',
    'session.created',
    'logout.local',
  ]
  const events: [string, unknown][] = []
  const listeners = names.map((name) => {
    const listener = (event: unknown): void => void events.push([name, event])
    diagnostics.subscribe(`latchkey:${name}`, listener)
    return () => diagnostics.unsubscribe(`latchkey:${name}`, listener)
  })
  await using site = await startSite(home)
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })
  site.provider.fault = 'access_denied'
  const failed = await browser.open(`${site.url}/login`)
  for (const stop of listeners) stop()

  expect(events.map(([name]) => name)).toEqual([
    'login.started',
    'session.created',
    'login.succeeded',
    'logout.local',
    'login.started',
    'login.failed',
  ])
  const failure = events.at(-1)?.[1] as { code: string; correlationId: string }
  expect(failure.code).toBe('LATCHKEY_LOGIN_DENIED')
  expect(failed.text).toContain(failure.correlationId)
  expect(JSON.stringify(events)).not.toMatch(/access-|refresh-|eyJ|ada|example\.com/)
})

const plan = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) => {
      const { sub, plan } = value as { sub: string; plan?: string }
      return plan === 'gold' || plan === 'free'
        ? { value: { sub, plan } as { sub: string; plan: 'gold' | 'free' } }
        : { issues: [{ message: 'must be a plan', path: ['plan'] }] }
    },
  },
}

test('a schema of claims gives the user its type, and keeps others out', async () => {
  await using site = await startSite(home, { claims: plan as never })
  const refused = await createBrowser().open(`${site.url}/login`)
  site.provider.user = { sub: 'ada', plan: 'gold', secret: 'not in the schema' }
  const admitted = await createBrowser().open(`${site.url}/login`)

  expect(refused.text).toContain('LATCHKEY_TOKEN_INVALID')
  expect(JSON.parse(admitted.text)).toEqual({ sub: 'ada', plan: 'gold' })
})

test('a schema of claims types getUser of its router', () => {
  const router = createAuthRouter({
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'secret',
    baseUrl: 'http://localhost:3000',
    session: { secret: 's'.repeat(32) },
    claims: plan,
  })

  expectTypeOf(router.getUser).returns.toEqualTypeOf<{ sub: string; plan: 'gold' | 'free' }>()
  const plain = (req: Request) => getUser(req)
  expectTypeOf(plain).returns.toEqualTypeOf<User>()
})
