import { DeniedError, getUser, type Requirement, requireUser } from '@latchkey/express'
import type { Request } from 'express'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site
let browser: Browser
let handled: string[]

beforeAll(async () => {
  site = await startSite((app) => {
    const guarded: [string, Requirement<Request>][] = [
      ['/any', {}],
      ['/admin', { roles: ['admin', 'owner'] }],
      ['/both', { roles: { all: ['admin', 'owner'] } }],
      ['/verified', { claims: { email_verified: true } }],
      ['/org/:org', { claims: { org: (org, req) => org === req.params.org } }],
      ['/prototype', { claims: { constructor: (value: unknown) => value !== undefined } }],
      ['/checked', { check: async (user) => user.sub === 'ada' }],
      ['/truthy', { check: (() => 'yes') as unknown as () => boolean }],
      ['/denied', { check: () => Promise.reject(new DeniedError('unpaid bill')) }],
      ['/recent', { maxAge: 300 }],
    ]
    for (const [path, requirement] of guarded) {
      app.all(path, requireUser(requirement), (req, res) => {
        handled.push(req.path)
        res.send('let in')
      })
    }
  })
})
beforeEach(() => {
  browser = createBrowser()
  handled = []
  site.provider.user = { sub: 'ada', roles: ['user'], org: 'acme', acr: 'pwd' }
})
afterAll(() => site.close())

async function signIn(user: Record<string, unknown> = {}): Promise<void> {
  site.provider.user = { ...site.provider.user, ...user }
  await browser.open(`${site.url}/login`)
}

test.each([
  ['/admin', {}],
  ['/both', { roles: ['admin'] }],
  ['/verified', { email_verified: false }],
  ['/verified', { email_verified: 'yes' }],
  ['/org/other', {}],
  ['/prototype', {}],
  ['/checked', { sub: 'bob' }],
  ['/truthy', {}],
  ['/denied', {}],
])(
  'a logged-in user who may not see %s is answered 403 and never sent to log in',
  async (path, user) => {
    await signIn(user)

    const visit = await browser.open(site.url + path)

    expect(visit.response.status).toBe(403)
    expect(visit.trail).toHaveLength(1)
    expect(handled).toEqual([])
    expect(visit.text).not.toContain('unpaid bill')
  },
)

test.each([
  ['/any', {}],
  ['/admin', { roles: ['owner'] }],
  ['/both', { roles: ['owner', 'admin'] }],
  ['/verified', { email_verified: true }],
  ['/org/acme', {}],
  ['/checked', {}],
])('a user who meets the requirement of %s is let in', async (path, user) => {
  await signIn(user)

  expect((await browser.open(site.url + path)).text).toBe('let in')
})

test.each([
  ['POST', 403],
  ['PUT', 403],
  ['PATCH', 403],
  ['DELETE', 403],
  ['GET', 200],
  ['OPTIONS', 200],
])('a %s that another site sent with the session is answered %i', async (method, status) => {
  await signIn()
  const headers = { 'sec-fetch-site': 'same-site', origin: 'https://blog.example.com' }

  const response = await browser.send(`${site.url}/any`, { method, headers })

  expect([response.status, handled.length]).toEqual([status, status === 200 ? 1 : 0])
})

test.each([
  '/any?/login',
  '/any?x=/public',
  '/any?path=/session',
  '/any/?next=/callback',
  '/any?%23/login',
])('an address such as %s is guarded by its path, regardless of the rest', async (path) => {
  const response = await browser.send(site.url + path)

  expect(response.status).toBe(401)
  expect(handled).toEqual([])
})

test('a provider that claims an old login when asked for a recent one ends in 403, not in a loop', async () => {
  await signIn()
  site.provider.fault = 'id_token with an old auth_time'
  await signIn()

  const visit = await browser.open(`${site.url}/recent`)
  site.provider.fault = undefined

  expect(visit.response.status).toBe(403)
  expect(visit.trail.filter((url) => url.includes('/auth?'))).toHaveLength(1)
})

test('a guard in front of the router says so at the first request', async () => {
  const errors: unknown[] = []
  await using early = await startSite(
    (app) => {
      app.use(((error, _req, res, _next) => {
        errors.push(error)
        res.sendStatus(500)
      }) as import('express').ErrorRequestHandler)
    },
    {},
    (app) => {
      app.get('/early', requireUser(), (_req, res) => {
        res.send('let in')
      })
    },
  )

  const response = await createBrowser().send(`${early.url}/early`)

  expect(response.status).toBe(500)
  expect(errors).toMatchObject([{ code: 'LATCHKEY_ROUTER_NOT_MOUNTED' }])
})

test('getUser gives the user, and refuses where nobody is logged in', async () => {
  await using other = await startSite((app) => {
    app.get('/user', (req, res) => {
      res.json(getUser(req))
    })
    app.use(((error, _req, res, _next) => {
      res.status(error.status).send(error.code)
    }) as import('express').ErrorRequestHandler)
  })
  const visitor = createBrowser()

  expect((await visitor.open(`${other.url}/user`)).text).toBe('LATCHKEY_LOGIN_REQUIRED')
  await visitor.open(`${other.url}/login`)
  expect(JSON.parse((await visitor.open(`${other.url}/user`)).text)).toMatchObject({ sub: 'ada' })
})
