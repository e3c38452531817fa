import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { pausing } from './support/pausing.ts'
import { type Site, startSite } from './support/site.ts'
import { openStore, STORES } from './support/stores.ts'

type Notice = (site: Site) => Record<string, unknown>

const now = (): number => Math.floor(Date.now() / 1000)

const notices: { named: string; claims: Notice; outcome: 'ends' | 'leaves' }[] = [
  {
    named: 'its sid',
    claims: ({ provider }) => ({ sid: provider.issuedSids().at(-1) }),
    outcome: 'ends',
  },
  {
    named: 'its sid and its user',
    claims: ({ provider }) => ({ sid: provider.issuedSids().at(-1), sub: 'ada' }),
    outcome: 'ends',
  },
  { named: 'its user, later', claims: () => ({ sub: 'ada', iat: now() + 1 }), outcome: 'ends' },
  { named: 'its user, earlier', claims: () => ({ sub: 'ada', iat: now() - 1 }), outcome: 'leaves' },
  {
    named: 'its sid with another user',
    claims: ({ provider }) => ({ sid: provider.issuedSids().at(-1), sub: 'bob' }),
    outcome: 'leaves',
  },
  { named: 'another user', claims: () => ({ sub: 'bob', iat: now() + 1 }), outcome: 'leaves' },
]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe.each(STORES)('on the store %s', (name) => {
  test.each(notices)(
    'a logout token with $named $outcome a session that is being created',
    async ({ claims, outcome }) => {
      const { store, close } = await openStore(name)
      let isFirst = true
      await using site: Site = await startSite(
        (app) => {
          app.get('/', (req, res) => {
            res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
          })
        },
        {
          session: { store },
          hooks: {
            async onSession() {
              if (!isFirst) return
              isFirst = false
              const response = await createBrowser().send(`${site.url}/backchannel-logout`, {
                method: 'POST',
                headers: { 'content-type': 'application/x-www-form-urlencoded' },
                body: `logout_token=${site.provider.logoutToken(claims(site))}`,
              })
              expect(response.status).toBe(200)
            },
          },
        },
      )
      const browser = createBrowser()

      const { response, text } = await browser.open(`${site.url}/login`)

      expect((await browser.open(site.url)).text).toBe(outcome === 'ends' ? 'out' : 'in as ada')
      if (outcome === 'ends') {
        expect(response.status).toBe(401)
        expect(text).toContain('LATCHKEY_SESSION_ENDED')
        expect(await site.router.sessions.list('ada')).toEqual([])
      }

      vi.setSystemTime(Date.now() + 2000)
      await browser.open(`${site.url}/login`)
      expect((await browser.open(site.url)).text).toBe('in as ada')
      await close()
    },
  )

  const revokeAll = (site: Site) => site.router.sessions.revokeAll('ada')
  const logOut = (site: Site, beside: Browser) =>
    beside.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })
  test.each([
    ['a logout', 'a sid', logOut],
    ['a logout', 'no sid', logOut],
    ['revokeAll()', 'a sid', revokeAll],
    ['revokeAll()', 'no sid', revokeAll],
  ] as const)(
    '%s ends a session with %s that was refreshed and renewed after it was read',
    async (_ending, sid, end) => {
      const { store, close } = await openStore(name)
      const paused = pausing(store)
      await using site: Site = await startSite(
        (app) => {
          app.get('/', (req, res) => void res.send(req.auth.isAuthenticated ? 'in' : 'out'))
          app.get('/renew', async (req, res) => {
            await req.auth.accessToken({ force: true })
            await req.auth.renewSession()
            res.send('renewed')
          })
        },
        { session: { store: paused.store } },
      )
      if (sid === 'no sid') {
        site.provider.rewrite = (answer, json) =>
          answer === 'id_token' ? JSON.stringify({ ...JSON.parse(json), sid: undefined }) : json
      }
      const [browser, beside, other] = [createBrowser(), createBrowser(), createBrowser()]
      await browser.open(`${site.url}/login`)
      for (const [key, cookie] of browser.cookies) beside.cookies.set(key, { ...cookie })
      paused.before('destroy', 1, async () => {
        // In the same second as the login that is ended.
        await other.open(`${site.url}/login`)
        vi.setSystemTime(Date.now() + 2000)
        expect((await browser.open(`${site.url}/renew`)).text).toBe('renewed')
      })

      await end(site, beside)

      expect((await browser.open(site.url)).text).toBe('out')
      expect((await other.open(site.url)).text).toBe('in')
      await close()
    },
  )
})
