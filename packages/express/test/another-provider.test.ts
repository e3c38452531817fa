import { createMemoryStore } from '@latchkey/core'
import { requireUser } from '@latchkey/express'
import type { Express } from 'express'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

test('a stored session from another provider does not log a user in', async () => {
  const store = createMemoryStore()
  const routes = (app: Express): void => {
    app.get('/who', (req, res) => void res.json(req.auth))
    app.get('/me', requireUser({ respond: 'json' }), (req, res) => void res.json(req.auth.user))
  }
  await using before = await startSite(routes, { session: { store } })
  await using after = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  await browser.open(`${before.url}/login`)
  const [session] = [...browser.cookies].filter(([name]) => name.endsWith('latchkey'))
  const headers = { cookie: `latchkey=${session?.[1].value}` }

  expect(await (await fetch(`${before.url}/who`, { headers })).json()).toMatchObject({
    isAuthenticated: true,
    user: { sub: 'ada' },
  })
  expect(await (await fetch(`${after.url}/who`, { headers })).json()).toEqual({
    isAuthenticated: false,
  })
  expect((await fetch(`${after.url}/me`, { headers })).status).toBe(401)
})
