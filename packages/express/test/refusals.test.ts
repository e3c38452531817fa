import diagnostics from 'node:diagnostics_channel'
import { AccessError, requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

const guards: [string, Parameters<typeof requireUser>[0]][] = [
  ['roles', { roles: ['admin'] }],
  ['claims.department', { claims: { email_verified: true, department: 'books' } }],
  ['claims.org', { claims: { org: (org, req) => req.path === `/${org}` } }],
  ['check', { check: async () => false }],
  ['acr', { acr: 'urn:mfa', respond: 'json' }],
  ['maxAge', { maxAge: 60, respond: 'json' }],
]

async function start(failed: unknown[]): Promise<{ site: Site; browser: Browser }> {
  const site = await startSite(
    (app) => {
      app.get('/', (_req, res) => void res.send('home'))
      for (const [name, requirement] of guards) {
        app.get(`/${name}`, requireUser(requirement), (_req, res) => void res.send('let in'))
      }
    },
    {
      hooks: {
        onError(error) {
          if (error instanceof AccessError) failed.push(error.failed)
          return undefined
        },
      },
    },
  )
  site.provider.user = { sub: 'ada', email_verified: true, auth_time: 1 }
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  return { site, browser }
}

test('a refusal names the requirement that was not met', async () => {
  const failed: unknown[] = []
  const { site, browser } = await start(failed)
  await using _ = site

  for (const [name] of guards) await browser.send(`${site.url}/${name}`)
  await createBrowser().send(`${site.url}/roles`)

  expect(failed).toEqual([...guards.map(([name]) => name), undefined])
})

test('a refusal by role, claim or check is an event that names the requirement and no user', async () => {
  const events: unknown[] = []
  const listen = (event: unknown): void => void events.push(event)
  diagnostics.subscribe('latchkey:access.refused', listen)
  const { site, browser } = await start([])
  await using _ = site

  for (const [name] of guards) await browser.send(`${site.url}/${name}`)
  diagnostics.unsubscribe('latchkey:access.refused', listen)

  expect(events).toMatchObject(
    ['roles', 'claims.department', 'claims.org', 'check'].map((failed) => ({
      failed,
      code: 'LATCHKEY_FORBIDDEN',
      issuer: site.provider.issuer,
      correlationId: expect.any(String),
    })),
  )
  expect(JSON.stringify(events)).not.toMatch(/\bada\b/)
})

test('a rehearsed refusal is an event that names the requirement and no user', async () => {
  const events: unknown[] = []
  const listen = (event: unknown): void => void events.push(event)
  diagnostics.subscribe('latchkey:access.rehearsed', listen)
  await using site = await startSite((app) => {
    const answer: import('express').RequestHandler = (_req, res) => void res.send('let in')
    app.get('/roles', requireUser({ roles: ['admin'], enforce: false }), answer)
    app.get('/acr', requireUser({ acr: 'urn:mfa', roles: ['admin'], enforce: false }), answer)
  })
  const browser = createBrowser()

  await browser.open(`${site.url}/roles`)
  await browser.open(`${site.url}/acr`)
  diagnostics.unsubscribe('latchkey:access.rehearsed', listen)

  const user = expect.stringMatching(/^[\w-]{22}$/)
  const { issuer } = site.provider
  expect(events).toEqual([
    { issuer, user, code: 'LATCHKEY_FORBIDDEN', failed: 'roles' },
    { issuer, user, code: 'LATCHKEY_STEP_UP_REQUIRED', failed: 'acr' },
  ])
})

test('onError renders a view of the application through the response of Express', async () => {
  await using site = await startSite(
    (app) => {
      // A view engine that is asynchronous, as most are.
      app.engine('view', (_file, options, done) => {
        setImmediate(() => done(null, `<h1>${(options as { code?: string }).code}</h1>`))
      })
      app.set('views', import.meta.dirname)
      app.set('view engine', 'view')
      app.get('/admin', requireUser({ roles: ['admin'] }), (_req, res) => void res.send('admin'))
    },
    {
      hooks: {
        onError(error, _request, { req, res }) {
          res.status(error.status).render(`${import.meta.dirname}/support/error.view`, {
            code: `${error.code} at ${req.path}`,
          })
          return 'answered'
        },
      },
    },
  )

  const visit = await createBrowser().open(`${site.url}/admin`)

  expect(visit.response.status).toBe(403)
  expect(visit.text).toBe('<h1>LATCHKEY_FORBIDDEN at /admin</h1>')
  expect(visit.response.headers.get('cache-control')).toBe('private, no-store')
})

test('a response that onError sends itself is not overwritten', async () => {
  await using site = await startSite(() => {}, {
    hooks: {
      onError(error, _request, { res }) {
        res.status(error.status).send('own page')
        return 'answered'
      },
    },
  })
  site.provider.fault = 'access_denied'

  const visit = await createBrowser().open(`${site.url}/login`)

  expect([visit.response.status, visit.text]).toEqual([403, 'own page'])
  expect(visit.response.headers.get('cache-control')).toBe('private, no-store')
})
