import assert from 'node:assert/strict'
import type { Response } from 'supertest'
import { BASE_URL, type Case, cookieOf, cookiesOf, locationOf, type Visitor } from '../bench.ts'

const SHOP = 'http://shop.localhost:3000'
const options = { baseUrl: [BASE_URL, SHOP] }

/** Logs in at the provider. Resolves to the target of its redirect: origin, and path with query. */
async function returned(begun: Response): Promise<{ origin: string; path: string }> {
  const answer = await fetch(locationOf(begun), { redirect: 'manual' })
  const { origin, pathname, search } = new URL(answer.headers.get('location') ?? 'nowhere:')
  return { origin, path: pathname + search }
}

function at(visitor: Visitor, host: string): Visitor {
  visitor.agent.host(host)
  return visitor
}

export const baseUrls: readonly Case[] = [
  [
    'with several base URLs, login and logout stay at the one that the browser opened',
    async ({ open }) => {
      const site = await open({ options })
      for (const baseUrl of options.baseUrl) {
        const ada = at(site.visitor(), new URL(baseUrl).host)
        const begun = await ada.open('/private?a=1')
        const redirectUri = locationOf(begun).searchParams.get('redirect_uri')
        assert.equal(redirectUri, `${baseUrl}/callback`)
        const back = await returned(begun)
        assert.equal(back.origin, baseUrl)
        const answer = await ada.open(back.path)
        assert.equal(answer.headers.location, '/private?a=1')
        assert.equal((await ada.open('/')).text, 'in as ada')
        const out = await ada.post('/logout', {}, { origin: baseUrl })
        const onward = `${out.headers.location} ${out.headers.refresh} ${out.text}`
        assert.ok(onward.includes(encodeURIComponent(baseUrl)), onward)
        assert.equal((await ada.open('/')).text, 'out')
      }
    },
  ],
  [
    'a host that is in no base URL is refused, regardless of forwarded headers, and public pages are served',
    async ({ open }) => {
      const site = await open({ options })
      for (const host of [
        'evil.example',
        'localhost:3001',
        'shop.localhost',
        'shop.localhost.evil.example:3000',
        'evil.example:3000',
      ]) {
        const visitor = at(site.visitor(), host)
        visitor.agent.set('x-forwarded-host', 'shop.localhost:3000')
        for (const path of ['/login', '/private', '/callback?state=x', '/session', '/']) {
          const answer = await visitor.call(path)
          assert.equal(answer.status, 421, `${host} ${path} ${answer.text}`)
          assert.match(answer.text, /LATCHKEY_HOST_UNKNOWN/)
          assert.deepEqual(cookiesOf(answer), [])
        }
        assert.equal((await visitor.open('/plain')).text, 'plain')
      }
    },
  ],
  [
    'a login that was begun at one base URL does not end at another',
    async ({ open }) => {
      const site = await open({ options })
      const visitor = site.visitor()
      const { path } = await returned(await at(visitor, 'localhost:3000').open('/login'))
      const answer = await at(visitor, 'shop.localhost:3000').open(path)
      assert.equal(answer.status, 400)
      assert.match(answer.text, /LATCHKEY_STATE_MISMATCH/)
      assert.equal(cookieOf(answer), undefined)
      assert.equal((await at(visitor, 'localhost:3000').open(path)).status, 303)
    },
  ],
  [
    'a page of one base URL cannot send writes to another',
    async ({ open }) => {
      const site = await open({ options, parser: 'after' })
      const ada = at(site.visitor(), 'shop.localhost:3000')
      await ada.open((await returned(await ada.open('/login'))).path)
      assert.equal((await ada.post('/private', {}, { origin: BASE_URL })).status, 403)
      assert.equal((await ada.post('/private', {}, { origin: SHOP })).text, 'sent')
    },
  ],
]
