import assert from 'node:assert/strict'
import type { LoginCase, LoginSite } from './bench.ts'
import type { Answer, Visitor } from './visitor.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export const logouts: readonly LoginCase[] = [
  [
    'a logout ends the session, also for a copy of its cookie',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      const copied = [...ada.cookies]
      await logOut(site, ada)
      assert.equal(await ada.isLoggedIn(), false)
      const thief = site.visitor()
      for (const [key, cookie] of copied) thief.cookies.set(key, cookie)
      assert.equal(await thief.isLoggedIn(), false, 'the cookie of before is worth nothing')
    },
  ],
  [
    'a form, image or link of another site logs no user out',
    async ({ open }) => {
      const site = await open()
      const path = site.paths.logoutPath as string
      const ada = await site.user()
      const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
      await ada.send('POST', path, { ...FORM, ...evil }, '')
      await ada.send('POST', path, { ...FORM, origin: 'https://evil.example' }, '')
      await ada.send('GET', path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' })
      await ada.open(path, { 'sec-fetch-site': 'cross-site' })
      assert.ok(await ada.isLoggedIn())
    },
  ],
  [
    'a logout ends the session while the provider is down',
    async ({ open, provider }) => {
      const site = await open()
      const ada = await site.user()
      await provider.stop()
      try {
        await logOut(site, ada)
        assert.equal(await ada.isLoggedIn(), false)
      } finally {
        await provider.start()
      }
    },
  ],
  [
    'a logout leads to no other site than the provider',
    async ({ open, provider }) => {
      const site = await open()
      for (const name of ['returnTo', 'return_to', 'redirect', 'post_logout_redirect_uri']) {
        const ada = await site.user()
        const query = `?${name}=${encodeURIComponent('https://evil.example/')}`
        const { location } = await logOut(site, ada, query)
        const to = location?.origin ?? site.baseUrl
        assert.ok([site.baseUrl, provider.issuer].includes(to), `it leads to ${to}`)
        const onward = location?.searchParams.get('post_logout_redirect_uri') ?? site.baseUrl
        assert.equal(new URL(onward).origin, site.baseUrl)
      }
    },
  ],
]

/** Logs out by a form on a page of the application. */
function logOut({ baseUrl, paths }: LoginSite, visitor: Visitor, query = ''): Promise<Answer> {
  const sameSite = { origin: baseUrl, 'sec-fetch-site': 'same-origin' }
  return visitor.send('POST', `${paths.logoutPath}${query}`, { ...FORM, ...sameSite }, '')
}
