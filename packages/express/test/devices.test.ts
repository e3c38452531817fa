import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { AuthEvent } from '@latchkey/express'
import { afterEach, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'
import { openStore, STORES } from './support/stores.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/18.5 Mobile/15E148 Safari/604.1'
const HOUR = 3600

let site: Site
afterEach(() => site.close())

/** Goes through a login as a browser of this name. */
async function logIn(browser: Browser, userAgent: string = FIREFOX): Promise<void> {
  let url = `${site.url}/login`
  for (let hop = 0; hop < 3; hop++) {
    const headers = { accept: 'text/html', 'user-agent': userAgent }
    const answer = await browser.send(url, { headers })
    url = new URL(answer.headers.get('location') ?? '', url).href
  }
  expect(url).toBe(`${site.url}/`)
}

test('lists of sessions name browser and system, and repeat no text of the visitor', async () => {
  site = await startSite()
  const made = `<b>${'A'.repeat(3000)}</b>/1.0 (hello) `
  for (const userAgent of [FIREFOX, SAFARI, made, 'Evil<script>/1.0 x', '']) {
    await logIn(createBrowser(), userAgent)
  }
  const devices = (await site.router.sessions.list('ada')).map(({ device }) => device)
  expect(devices).toHaveLength(5)
  expect(new Set(devices)).toEqual(new Set(['Firefox on Windows', 'Safari on iOS', undefined]))
})

test.each(STORES)(
  'lists of sessions say to the hour when each was last in use: %s',
  async (name) => {
    const { store, close } = await openStore(name)
    let ahead = 0
    const now = (): number => Math.floor(Date.now() / 1000) + ahead
    site = await startSite(
      (app) => app.get('/', (req, res) => void res.send(req.auth.isAuthenticated ? 'in' : 'out')),
      { now, session: { secret: 'a secret of tests that protects nothing', store } },
    )
    const [phone, laptop] = [createBrowser(), createBrowser()]
    await logIn(phone, SAFARI)
    await logIn(laptop)
    const begun = now()
    ahead = 3 * HOUR
    await laptop.open(`${site.url}/`)
    await expect
      .poll(async () => {
        const list = await site.router.sessions.list('ada')
        return Object.fromEntries(
          list.map(({ device, lastSeenAt = 0 }) => {
            expect(lastSeenAt % HOUR).toBe(0)
            return [device, Math.round((lastSeenAt - begun) / HOUR) >= 2 ? 'now' : 'before']
          }),
        )
      })
      .toEqual({ 'Safari on iOS': 'before', 'Firefox on Windows': 'now' })
    await close()
  },
)

test('onNewDevice is called once for each user in a browser, and its cookie is the same in all', async () => {
  const seen: unknown[] = []
  const published: AuthEvent[] = []
  const hear = (event: unknown): void => void published.push(event as AuthEvent)
  subscribe('latchkey:login.new_device', hear)
  site = await startSite(undefined, {
    hooks: {
      onNewDevice: ({ user, device }) => {
        seen.push([user.sub, device])
        return undefined
      },
    },
  })
  const [one, other] = [createBrowser(), createBrowser()]
  await logIn(one)
  await logIn(one)
  await logIn(other, SAFARI)
  site.provider.user = { sub: 'bob' }
  await logIn(one)
  site.provider.user = { sub: 'ada' }
  await logIn(one)
  unsubscribe('latchkey:login.new_device', hear)

  expect(seen).toEqual([
    ['ada', 'Firefox on Windows'],
    ['ada', 'Safari on iOS'],
    ['bob', 'Firefox on Windows'],
  ])
  expect(published).toHaveLength(3)
  const devices = [one, other].map(
    ({ cookies }) => [...cookies].find(([key]) => key.endsWith(' latchkey.devices'))?.[1],
  )
  expect(devices[0]?.value.split('.')).toContain(devices[1]?.value)
  expect(devices[0]?.attributes).toMatch(/HttpOnly.*SameSite=Lax/)
})

test('a login that onNewDevice refuses begins no session', async () => {
  site = await startSite(undefined, {
    hooks: {
      onNewDevice() {
        throw new Error('the mail server is down')
      },
    },
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  expect([...browser.cookies.keys()].map((key) => key.split(' ')[1])).not.toContain('latchkey')
})

test('without onNewDevice no device cookie is set', async () => {
  site = await startSite()
  const browser = createBrowser()
  await logIn(browser)
  expect([...browser.cookies.keys()].map((key) => key.split(' ')[1])).toEqual(['latchkey'])
})
