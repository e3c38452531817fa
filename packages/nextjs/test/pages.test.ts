// Makes AsyncLocalStorage global, as Next.js does before it loads anything else.
import 'next/dist/server/node-environment-baseline.js'
import { type AppAuth, type AuthOptions, createAuth } from '@latchkey/nextjs'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import { NextRequest } from 'next/server.js'
import { expect, test } from 'vitest'
import { inPage, redirectOf } from './support/in-next.ts'

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
