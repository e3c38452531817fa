import { createAuth } from '@latchkey/core'
import { requireUser } from '@latchkey/express'
import type { Express } from 'express'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

const routes = (app: Express): void => {
  app.get(['/', '/news', '/home'], (req, res) => {
    res.send(`${req.path} ${req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out'}`)
  })
  app.get('/private', requireUser({ respond: 'page' }), (_req, res) => void res.send('private'))
}
const start = () => startSite(routes, { silentLogin: true })

test('a visitor whom the provider knows is logged in at the first page, without a question', async () => {
  await using site = await start()
  const visit = await createBrowser().open(`${site.url}/news?page=2`)
  expect(visit.trail[1]).toContain('prompt=none')
  expect(visit.text).toBe('/news in as ada')
  expect(visit.url.search).toBe('?page=2')
})

test('a visitor whom the provider does not know sees the page, and the provider is not asked again', async () => {
  await using site = await start()
  site.provider.fault = 'login_required'
  const browser = createBrowser()
  const first = await browser.open(`${site.url}/news`)
  expect([first.text, first.response.status]).toEqual(['/news out', 200])
  const second = await browser.open(`${site.url}/`)
  expect(second.trail).toHaveLength(1)
  const [mark] = [...browser.cookies].filter(([key]) => key.endsWith('.silent'))
  expect(mark?.[1].attributes).toContain('HttpOnly')
  expect(mark?.[1].attributes).not.toContain('Max-Age')
})

test('a browser that keeps no cookies sees the page, after two redirects and without an error', async () => {
  await using site = await start()
  const visit = await openWithoutCookies(`${site.url}/news?page=2#top`)
  expect(visit.text).toBe('/news out')
  expect(visit.trail.at(-1)).toContain('/news?page=2&silent_login=off')
  expect(visit.trail.length).toBeLessThan(8)
})

async function openWithoutCookies(url: string): Promise<{ text: string; trail: string[] }> {
  const trail = [url]
  for (let hop = 0; hop < 12; hop++) {
    // A browser for each step: none of the cookies comes back.
    const visit = await createBrowser().open(String(trail.at(-1)), () => true)
    if (visit.trail.length === 1) return { text: visit.text, trail }
    trail.push(String(visit.trail[1]))
  }
  return { text: 'a loop', trail }
}

test.each([
  ['a script', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
  ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
  ['a crawler', { accept: 'text/html' }],
])('the request of %s is never sent to the provider', async (_what, headers) => {
  await using site = await start()
  const response = await createBrowser().send(`${site.url}/news`, { headers })
  expect(await response.text()).toBe('/news out')
})

test('a user who has logged out stays logged out until the browser is closed', async () => {
  await using site = await start()
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  await browser.send(`${site.url}/logout`, { method: 'POST' })
  expect((await browser.open(`${site.url}/news`)).text).toBe('/news out')
})

test('pages are shown to visitors while the provider cannot be reached', async () => {
  await using site = await start()
  await site.provider.stop()
  const visit = await createBrowser().open(`${site.url}/news`)
  expect([visit.text, visit.trail.length]).toEqual(['/news out', 1])
})

test('a login that no page asked for ends at the page of the options, and any other where it began', async () => {
  await using site = await startSite(routes, { returnTo: { default: '/home' } })
  expect((await createBrowser().open(`${site.url}/login`)).text).toBe('/home in as ada')
  const asked = `${site.url}/login?returnTo=/news`
  expect((await createBrowser().open(asked)).text).toBe('/news in as ada')
  const evil = `${site.url}/login?returnTo=https://evil.example`
  expect((await createBrowser().open(evil)).text).toBe('/home in as ada')
})

test.each(['https://evil.example/', '//evil.example', 'home', '/\\evil', ''])(
  'an application does not start whose logins end at %j',
  (path) => {
    const options = { baseUrl: 'https://app.example', returnTo: { default: path } }
    expect(() => createAuth(options)).toThrow('"returnTo.default" must be a path of this site')
  },
)

test('a guard can show a page that asks to log in, with a link that leads back', async () => {
  await using site = await startSite(routes)
  const browser = createBrowser()
  const page = await browser.open(`${site.url}/private?tab=2`)
  expect([page.response.status, page.trail.length]).toEqual([401, 1])
  const link = /href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&#38;', '&')
  expect(link).toBe('/login?returnTo=%2Fprivate%3Ftab%3D2')
  const visit = await browser.open(site.url + link)
  expect([visit.text, visit.url.search]).toEqual(['private', '?tab=2'])
  const called = await fetch(`${site.url}/private`, { headers: { accept: 'application/json' } })
  expect(await called.json()).toMatchObject({ code: 'LATCHKEY_LOGIN_REQUIRED', loginUrl: '/login' })
})
