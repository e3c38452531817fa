import { requireUser } from '@latchkey/express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSealer } from '../../core/src/shared/sealing.ts'
import { returnToAttacks } from '../../testing/src/login/return-to-attacks.ts'
import { SESSION_SECRET } from './support/app.ts'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

let site: Site
let destination: string | undefined

beforeAll(async () => {
  site = await startSite(
    (app) => {
      app.use(requireUser({ respond: 'redirect' }), (req, res) => {
        res.send(`at ${req.originalUrl}`)
      })
    },
    {
      routes: { loggedOut: '/logged-out' },
      hooks: {
        afterCallback: () => (destination === undefined ? undefined : { returnTo: destination }),
      },
    },
  )
})
afterAll(() => site.close())

const resolve = (response: Response): URL =>
  new URL(response.headers.get('location') ?? 'nowhere:', site.url)
const encoded = (text: string): string => encodeURIComponent(text)
const isSealed = ({ pathname }: URL): boolean => pathname === '/callback'

test.each(returnToAttacks)(
  'no login, logout or hook that is told %j leads to another site',
  async (attack) => {
    const browser = createBrowser()
    const begun = await browser.open(`${site.url}/login?returnTo=${encoded(attack)}`, isSealed)
    const loggedIn = resolve(await browser.send(begun.url.href))
    const logout = `${site.url}/logout?returnTo=${encoded(attack)}`
    const left = resolve(
      await browser.send(logout, { method: 'POST', headers: { origin: site.url } }),
    )
    const back = await browser.send(
      `${site.url}/logged-out?state=${encoded(left.searchParams.get('state') ?? '')}`,
    )
    destination = attack
    const again = await browser.open(`${site.url}/login`, isSealed)
    const hooked = resolve(await browser.send(again.url.href))
    destination = undefined

    expect(loggedIn.origin).toBe(site.url)
    expect(left.origin).toBe(site.provider.issuer)
    if (back.status === 303) expect(resolve(back).origin).toBe(site.url)
    else expect(back.status).toBe(200)
    expect(hooked.origin).toBe(site.url)
  },
)

test.each([
  '//evil.example',
  '/\\evil.example',
  '//evil.example/%2e%2e',
  '/..//evil.example',
  '/%5cevil.example',
])('a visitor who is turned away at the address %j comes back to this site', async (path) => {
  const visit = await createBrowser().open(site.url + path)

  expect(visit.url.origin).toBe(site.url)
  expect(visit.text).toMatch(/^at \//)
})

/** The state of a login, sealed again after something in it was changed. */
function reseal(state: string, change: (plain: string) => string): string {
  const [name = '', sealed = ''] = state.split('.')
  const sealer = createSealer([SESSION_SECRET], 'login')
  const plain = sealer.open(sealed, name)
  if (plain === undefined) throw new Error('it was sealed for something else')
  return `${name}.${sealer.seal(change(plain), name)}`
}

test.each([
  ['', (browser: Browser) => browser],
  [' and its cookie is gone', () => createBrowser()],
])(
  'a place to return to is checked again when it is used, although it was sealed%s',
  async (_name, at) => {
    const browser = createBrowser()
    const begun = await browser.open(`${site.url}/login?returnTo=/kept`, isSealed)
    begun.url.searchParams.set(
      'state',
      reseal(begun.url.searchParams.get('state') ?? '', (plain) =>
        plain.replace('"/kept"', '"//evil.example"'),
      ),
    )

    const visit = await at(browser).open(begun.url.href, (url) => url.pathname === '/')

    expect(visit.url.href).toBe(`${site.url}/`)
  },
)
