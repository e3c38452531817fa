import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthOptions } from '@latchkey/express'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

const SLOW_MS = 600

/** A provider that takes its time for the token, the keys and userinfo, each within the limit. */
const slowFetch: typeof fetch = async (input, init) => {
  if (/\/(token|jwks|userinfo)$/.test(String(input))) await sleep(SLOW_MS)
  return fetch(input, init)
}

function start(options: AuthOptions): Promise<Site> {
  return startSite(
    (app) => app.get('/', (req, res) => void res.send(req.auth.isAuthenticated ? 'in' : 'out')),
    { userinfo: 'login', fetch: slowFetch, timeoutSeconds: 1, ...options },
  )
}

test('a callback fails if its exchanges together take too long, although each is in time', async () => {
  await using site = await start({ requestSeconds: 1 })

  const { response, text } = await createBrowser().open(`${site.url}/login`)

  expect(response.status).toBe(503)
  expect(text).toContain('LATCHKEY_PROVIDER_UNAVAILABLE')
})

test('the time of hooks does not count against the time of the exchanges', async () => {
  await using site = await start({
    fetch,
    requestSeconds: 1,
    hooks: { afterCallback: () => sleep(1100) },
  })

  expect((await createBrowser().open(`${site.url}/login`)).text).toBe('in')
})

test('each request has its own time limit for exchanges', async () => {
  await using site = await start({ requestSeconds: 4 })

  for (let i = 0; i < 3; i++) {
    expect((await createBrowser().open(`${site.url}/login`)).text).toBe('in')
  }
})

test('a callback ends in time although the fetch of the options does not look at its signal', async () => {
  const deaf: typeof fetch = (input, init) =>
    String(input).endsWith('/token') ? new Promise(() => {}) : fetch(input, init)
  await using site = await start({ fetch: deaf })

  const { response, text } = await createBrowser().open(`${site.url}/login`)

  expect(response.status).toBe(503)
  expect(text).toContain('LATCHKEY_PROVIDER_UNAVAILABLE')
})
