import { requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import { expect, test } from 'vitest'
import { costOf, expectCost } from '../../../test/support/costs.ts'
import { countRedis } from '../../../test/support/counting-proxy.ts'
import { createBrowser } from '../../express/test/support/browser.ts'
import { startSite } from '../../express/test/support/site.ts'
import { startRedis } from './support/redis.ts'

async function startCounted(options: { compactRecords?: boolean; scope?: string } = {}) {
  const { compactRecords = false, scope = 'openid profile email offline_access' } = options
  const redis = await startRedis()
  const proxy = await countRedis(redis.port)
  const store = createSessionStore({ url: `redis://127.0.0.1:${proxy.port}`, compactRecords })
  const site = await startSite(
    (app) => {
      app.get('/', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.sub}`))
      app.get('/refresh', requireUser(), async (req, res) => {
        await req.auth.accessToken({ force: true })
        res.send('refreshed')
      })
    },
    { session: { store }, scope },
  )
  const measure = (step: () => Promise<unknown>) => costOf(redis, proxy, step)
  return {
    site,
    measure,
    async [Symbol.asyncDispose]() {
      await site.close()
      await store.close()
      await proxy[Symbol.asyncDispose]()
      await redis[Symbol.asyncDispose]()
    },
  }
}

test('what the kit sends to Redis and keeps there is as the table of measurements says', async () => {
  await using counted = await startCounted()
  const { site, measure } = counted
  // Redis learns the scripts from the first user.
  const first = createBrowser()
  for (const path of ['/', '/refresh']) await first.open(site.url + path)
  const sameSite = { 'sec-fetch-site': 'same-origin' }
  await first.send(`${site.url}/logout`, { method: 'POST', headers: sameSite })

  site.provider.user = { sub: 'grace', name: 'Grace', email: 'grace@example.com' }
  const browser = createBrowser()
  const expected = async (name: string, step: () => Promise<unknown>) => {
    const { cost, traffic } = await measure(step)
    expectCost(name, cost, traffic)
  }
  const { url: callback } = await browser.open(site.url, ({ pathname }) => pathname === '/callback')
  await expected('kit: redirect to the login', () => createBrowser().send(`${site.url}/`))
  await expected('kit: callback', async () => {
    expect((await browser.send(callback.href)).status).toBe(303)
  })
  await expected('kit: guarded request', async () => {
    expect((await browser.open(site.url)).text).toBe('Hello grace')
  })
  await expected('kit: refresh', async () => {
    expect((await browser.open(`${site.url}/refresh`)).text).toBe('refreshed')
  })
  await expected('kit: logout', async () => {
    const answer = await browser.send(`${site.url}/logout`, { method: 'POST', headers: sameSite })
    expect(answer.status).toBe(303)
  })
})

test('a login with compact records leaves as many bytes in Redis as the table of measurements says', async () => {
  await using counted = await startCounted({ compactRecords: true, scope: 'openid profile email' })
  const { site, measure } = counted
  await createBrowser().open(site.url)
  site.provider.user = { sub: 'grace', name: 'Grace', email: 'grace@example.com' }
  const browser = createBrowser()
  const { url } = await browser.open(site.url, ({ pathname }) => pathname === '/callback')

  const { cost, traffic } = await measure(() => browser.send(url.href))

  expectCost('kit: callback, compact', cost, traffic)
})
