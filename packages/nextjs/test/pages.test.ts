// Makes AsyncLocalStorage global, as Next.js does before it loads anything else.
import 'next/dist/server/node-environment-baseline.js'
import { type AppAuth, type AuthOptions, createAuth } from '@latchkey/nextjs'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import { NextRequest } from 'next/server.js'
import { expect, test } from 'vitest'
import { inAction, inPage, redirectOf } from './support/in-next.ts'

// Pages and server actions, with the functions that Next.js gives them.

const BASE_URL = 'http://localhost:3000'
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

function loginOf(provider: MisbehavingProvider, options: AuthOptions = {}): AppAuth {
  const { issuer, clientId, clientSecret } = provider
  return createAuth({
    ...{ issuer, clientId, clientSecret, baseUrl: BASE_URL, logger: false },
    session: { secret: 'a secret of tests that protects nothing' },
    ...options,
  })
}

/** The cookie of a user who has logged in. */
async function logIn({ proxy }: AppAuth, baseUrl: string): Promise<string> {
  const ask = (url: string, cookie = ''): Promise<Response> =>
    proxy(new NextRequest(url, { headers: { ...NAVIGATION, cookie, host: new URL(url).host } }))
  const cookieOf = (answer: Response): string =>
    answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
  const begun = await ask(`${baseUrl}/login`)
  const back = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
  return cookieOf(await ask(back.headers.get('location') ?? '', cookieOf(begun)))
}

test('a guarded page redirects a visitor to the login, also if the hook onError answers this error', async () => {
  await using provider = await startMisbehavingProvider()
  const asked: string[] = []
  const { requireUser } = loginOf(provider, {
    hooks: {
      onError: ({ code, status }) => {
        asked.push(code)
        return Response.json({ code }, { status })
      },
    },
  })

  const address = await redirectOf(inPage({ host: 'localhost:3000' }, () => requireUser()))

  expect(address).toBe('/login?returnTo=%2F')
  expect(asked).toEqual([])
})

test('a page that the proxy does not see is shown to a visitor, without a silent login', async () => {
  await using provider = await startMisbehavingProvider()
  const { getAuth, proxy } = loginOf(provider, { silentLogin: true })
  const sent = { ...NAVIGATION, host: 'localhost:3000' }

  const isAuthenticated = await inPage(sent, async () => (await getAuth()).isAuthenticated)
  const seen = await proxy(new NextRequest(`${BASE_URL}/`, { headers: sent }))

  expect(isAuthenticated).toBe(false)
  expect(seen.headers.get('location')).toContain('prompt=none')
})

test.each([
  [{}, '/shop'],
  [{ returnTo: '/shop/bye' }, '/shop/bye'],
])(
  'a logout with %j ends at %s in an application whose basePath is in baseUrl',
  async (options, path) => {
    await using provider = await startMisbehavingProvider()
    const baseUrl = `${BASE_URL}/shop`
    const auth = loginOf(provider, { baseUrl })
    const cookie = await logIn(auth, baseUrl)

    const left = inAction({ host: 'localhost:3000', cookie }, async () =>
      (await auth.getAuth()).logout({ ...options, federated: false }),
    )

    const address = await redirectOf(left, '/shop')
    expect(new URL(address, BASE_URL).href).toBe(`${BASE_URL}${path}`)
  },
)

test('a visitor of the second base URL is redirected to the login at that host', async () => {
  await using provider = await startMisbehavingProvider()
  const baseUrl = [`${BASE_URL}/shop`, 'http://127.0.0.1:3000/shop']
  const { requireUser } = loginOf(provider, { baseUrl })

  const turnedAway = inPage({ host: '127.0.0.1:3000' }, () => requireUser())

  const address = new URL(await redirectOf(turnedAway, '/shop'), BASE_URL)
  expect(address.origin + address.pathname).toBe('http://127.0.0.1:3000/shop/login')
})
