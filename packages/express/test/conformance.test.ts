import { requireUser } from '@latchkey/express'
import type { Fault } from '@latchkey/testing/misbehaving-provider'
import { afterEach, expect, test } from 'vitest'
import { createBrowser, type Visit } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

// What the relying-party plans of the OpenID Foundation ask for and no other file shows; which module
// is shown where is in docs/conformance.md.

let site: Site
afterEach(() => site.close())

async function start(options: Parameters<typeof startSite>[1] = {}): Promise<Site> {
  site = await startSite((app) => {
    app.get('/', (req, res) => {
      res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
    })
    app.get('/refresh', requireUser(), async (req, res) => {
      await req.auth.accessToken({ force: true })
      res.send('refreshed')
    })
    app.use(((error, _req, res, _next) => {
      res.status(error.status ?? 500).send(error.code ?? String(error))
    }) as import('express').ErrorRequestHandler)
  }, options)
  return site
}

const logIn = (): Promise<Visit> => createBrowser().open(`${site.url}/login`)
const offer = (...algorithms: string[]): void => {
  site.provider.metadata = { id_token_signing_alg_values_supported: algorithms }
}

test('an ID Token without a kid is verified with the one key there is', async () => {
  await start()
  site.provider.fault = 'no kid'

  expect((await logIn()).text).toBe('in as ada')
})

test('an ID Token without a kid is refused where several keys could have signed it', async () => {
  await start()
  site.provider.fault = 'no kid and several keys'

  expect((await logIn()).text).toContain('LATCHKEY_TOKEN_INVALID')
})

test('an ID Token is verified with each key that is published under its kid', async () => {
  await start()
  site.provider.fault = 'jwks with several keys of one kid'

  expect((await logIn()).text).toBe('in as ada')
})

test('keys of unknown types do not prevent the use of the others', async () => {
  await start()
  site.provider.fault = 'jwks with keys of unknown kinds'

  expect((await logIn()).text).toBe('in as ada')
})

test('an ID Token signed with ES256 is accepted from a provider that offers it', async () => {
  await start()
  site.provider.rotateKey('ES256')
  offer('RS256', 'ES256')

  expect((await logIn()).text).toBe('in as ada')
})

test.each<Fault>([
  'id_token signed with a foreign key under a known kid',
  'id_token with a changed payload',
  'id_token without a signature',
])('with ES256, too: %s is refused', async (fault) => {
  await start()
  site.provider.rotateKey('ES256')
  offer('RS256', 'ES256')
  site.provider.fault = fault

  expect((await logIn()).text).toContain('LATCHKEY_TOKEN_INVALID')
})

test('an ID Token signed with an algorithm that the provider does not offer is refused', async () => {
  await start()
  site.provider.rotateKey('ES256')

  expect((await logIn()).text).toContain('LATCHKEY_TOKEN_INVALID')
  expect(site.log.at(-1)?.message).toContain(
    'signed with "ES256", and the discovery document of the provider names RS256.',
  )
})

test.each<Fault>(['id_token with alg none', 'id_token with alg HS256'])(
  '%s is refused also from a provider that offers it',
  async (fault) => {
    await start()
    offer('RS256', 'HS256', 'none')
    site.provider.fault = fault

    expect((await logIn()).text).toContain('LATCHKEY_TOKEN_INVALID')
    const alg = fault.split(' ').at(-1)
    expect(site.log.at(-1)?.message).toMatch(new RegExp(`"${alg}".*RS256`))
  },
)

test('an ID Token for this client whose azp names another is refused', async () => {
  await start()
  site.provider.fault = 'id_token for one client with the azp of another'

  expect((await logIn()).text).toContain('LATCHKEY_TOKEN_INVALID')
})

test('the userinfo request has the access token in the header, and nowhere else', async () => {
  await start({ userinfo: 'login' })
  await logIn()

  const asked = site.provider.requests.find(({ path }) => path === '/userinfo')

  expect(asked?.authorization).toMatch(/^Bearer access-/)
  expect([...(asked?.query ?? []), ...(asked?.body ?? [])]).toEqual([])
})

test('a login that needs a key rotated just before the ID Token was signed succeeds', async () => {
  await start()
  const browser = createBrowser()
  const begun = await browser.open(`${site.url}/login`, (url) => url.pathname === '/callback')
  site.provider.rotateKey()

  expect((await browser.open(begun.url.href)).text).toBe('in as ada')
})

test('a return from a logout without a state ends on a page that says so', async () => {
  await start({ routes: { loggedOut: '/logged-out' } })

  const back = await createBrowser().open(`${site.url}/logged-out`)

  expect(back.response.status).toBe(200)
  expect(back.text).toContain('You are logged out')
})

test.each([
  ['shown on a page', '/login?max_age=0', 403, 'LATCHKEY_LOGIN_DENIED'],
  ['quiet when nothing was to be asked', '/login?max_age=0&prompt=none', 303, ''],
])(
  'an error that comes by form_post is %s, and logs no user in',
  async (_what, path, status, code) => {
    const baseUrl = 'https://app.example.com'
    await start({ baseUrl, responseMode: 'form_post' })
    site.provider.fault = 'login_required'
    const browser = createBrowser({ [baseUrl]: site.url })
    const { text } = await browser.open(baseUrl + path)
    const form = JSON.parse(text) as { action: string; fields: Record<string, string> }

    const headers = { accept: 'text/html' }
    const body = new URLSearchParams(form.fields).toString()
    const sent = await browser.send(form.action, { method: 'POST', headers, body })
    const location = new URL(sent.headers.get('location') as string, baseUrl)
    const answer = await browser.send(location.href, { headers })

    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain(code)
    expect((await browser.open(baseUrl)).text).toBe('out')
  },
)

test.each<[Fault, string]>([
  ['id_token from another issuer', 'LATCHKEY_REFRESH_UNAVAILABLE'],
  ['id_token for another client', 'LATCHKEY_REFRESH_UNAVAILABLE'],
  ['id_token for one client with the azp of another', 'LATCHKEY_REFRESH_UNAVAILABLE'],
  ['id_token signed with a foreign key under a known kid', 'LATCHKEY_REFRESH_UNAVAILABLE'],
  ['id_token of another user', 'LATCHKEY_REFRESH_REJECTED'],
])('a refresh answered with an %s gives out no token: %s', async (fault, code) => {
  await start()
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  site.provider.fault = fault

  expect((await browser.open(`${site.url}/refresh`)).text).toBe(code)
})
