import { requireUser } from '@latchkey/express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSealer, type SealPurpose } from '../../core/src/sealing.ts'
import { returnToAttacks } from '../../core/test/support/return-to-attacks.ts'
import { SESSION_SECRET } from './support/app.ts'
import { createBrowser } from './support/browser.ts'
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

function reseal(sealed: string, purpose: SealPurpose, change: (plain: string) => string): string {
  const sealer = createSealer([SESSION_SECRET], purpose)
  const plain = sealer.open(sealed)
  if (plain === undefined) throw new Error('it was sealed for something else')
  return sealer.seal(change(plain))
}

test('a place to return to is checked again when it is used, although it was sealed', async () => {
  const browser = createBrowser()
  const begun = await browser.open(`${site.url}/login?returnTo=/kept`, isSealed)
  const [key] = [...browser.cookies.keys()].filter((name) => name.includes('.login.'))
  const cookie = browser.cookies.get(key ?? '')
  if (!cookie) throw new Error('there is no transaction cookie')
  cookie.value = reseal(decodeURIComponent(cookie.value), 'transaction', (plain) =>
    plain.replace('"/kept"', '"//evil.example"'),
  )

  const location = resolve(await browser.send(begun.url.href))

  expect(location.href).toBe(`${site.url}/`)
})

test('and so is the one that a state carries, when the cookie is gone', async () => {
  const browser = createBrowser()
  const begun = await browser.open(`${site.url}/login?returnTo=/kept`, isSealed)
  await browser.open(begun.url.href)
  const [id, sealed = ''] = (begun.url.searchParams.get('state') ?? '').split('.')
  const state = `${id}.${reseal(sealed, 'state', () => '//evil.example')}`

  const location = resolve(await browser.send(`${site.url}/callback?state=${state}&code=x`))

  expect(location.href).toBe(`${site.url}/`)
})
