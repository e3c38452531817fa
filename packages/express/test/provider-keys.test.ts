import { requireUser } from '@latchkey/express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site

beforeEach(async () => {
  site = await startSite((app) => {
    app.get('/private', requireUser({ respond: 'redirect' }), (_req, res) => {
      res.send('private')
    })
  })
  await logIn()
})
afterEach(() => site.close())

const logIn = async (): Promise<{ status: number; text: string }> => {
  const { response, text } = await createBrowser().open(`${site.url}/private`)
  return { status: response.status, text }
}

const floodLogouts = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) {
    const token = site.provider.logoutToken({ sub: 'ada' }, { kid: `unknown-${i}` })
    await createBrowser().send(`${site.url}/backchannel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })
  }
}

test('a key rotated a moment after the keys were fetched costs the next login nothing', async () => {
  const redeemed = site.provider.count('/token')
  site.provider.rotateKey()

  expect(await logIn()).toEqual({ status: 200, text: 'private' })

  expect(site.provider.count('/token')).toBe(redeemed + 1)
})

test('new keys that cannot be fetched are a 503 to try again, and logins work at once after recovery', async () => {
  site.provider.rotateKey()
  site.provider.fault = 'jwks: server error'

  for (let i = 0; i < 4; i++) {
    const { status, text } = await logIn()
    expect(status).toBe(503)
    expect(text).toContain('LATCHKEY_PROVIDER_UNAVAILABLE')
  }
  site.provider.fault = undefined

  expect(await logIn()).toEqual({ status: 200, text: 'private' })
})

test('a clock that is set back by an hour does not keep new keys from being fetched', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3600_000 })
  try {
    site.provider.rotateKey()

    expect(await logIn()).toEqual({ status: 200, text: 'private' })
  } finally {
    vi.useRealTimers()
  }
})

test('parallel logins that need a new key wait for one fetch of the keys', async () => {
  site.provider.rotateKey()
  const before = site.provider.count('/jwks')
  const redeemed = site.provider.count('/token')
  site.provider.fault = 'jwks: delayed'
  const logins = Promise.all([logIn(), logIn(), logIn()])
  await expect.poll(() => site.provider.count('/token')).toBe(redeemed + 3)
  await expect.poll(() => site.provider.count('/jwks')).toBe(before + 1)
  site.provider.release()

  for (const login of await logins) expect(login).toEqual({ status: 200, text: 'private' })

  expect(site.provider.count('/jwks')).toBe(before + 1)
})

test('a flood of ID tokens with unknown keys costs the provider two fetches of its keys', async () => {
  const before = site.provider.count('/jwks')
  site.provider.fault = 'id_token signed with an unknown kid'

  for (let i = 0; i < 10; i++) await logIn()

  expect(site.provider.count('/jwks') - before).toBeLessThanOrEqual(2)
})

test('a flood of logout tokens with unknown keys leaves logins the fetch that they need', async () => {
  await floodLogouts()
  site.provider.rotateKey()

  expect(await logIn()).toEqual({ status: 200, text: 'private' })
})

test('a flood of logout tokens while the keys cannot be fetched costs the provider two requests', async () => {
  const before = site.provider.count('/jwks')
  site.provider.fault = 'jwks: server error'

  await floodLogouts()

  expect(site.provider.count('/jwks') - before).toBeLessThanOrEqual(2)
})
