import { createAuth as createCoreAuth, createMemoryStore } from '@latchkey/core'
import { nodePlatform } from '@latchkey/core/node'
import { createAuth } from '@latchkey/nextjs'
import { NextRequest } from 'next/server.js'
import { describe, expect, test } from 'vitest'
import { requestOf } from '../src/request-headers.ts'

// The parts that the contract tries in a built application, each by itself.

const BASE_URL = 'https://app.example'
const issuer = 'https://login.example'
const OPTIONS = {
  ...{ issuer, clientId: 'app', clientSecret: 'secret', baseUrl: BASE_URL },
  logger: false,
  session: { secret: 'a secret of tests that protects nothing' },
  metadata: {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  },
} as const
const ASKED = 'x-latchkey-asked'

type Sent = Readonly<Record<string, string>>

/** The answer of the proxy. */
function ask(path: string, headers: Sent = {}, method = 'GET'): Promise<Response> {
  return createAuth(OPTIONS).proxy(new NextRequest(BASE_URL + path, { method, headers }))
}

/** The header that the page of a request gets from the proxy. */
async function passed(path: string, headers?: Sent, method?: string): Promise<string | null> {
  return (await ask(path, headers, method)).headers.get(`x-middleware-request-${ASKED}`)
}

describe('the options', () => {
  test('are made with the first request, and once', async () => {
    let made = 0
    const auth = createAuth(() => {
      made++
      return OPTIONS
    })
    expect(made).toBe(0)
    for (let n = 0; n < 2; n++) await auth.proxy(new NextRequest(`${BASE_URL}/account`))
    expect(made).toBe(1)
  })

  test.each([
    ['without a session store cause a warning that sessions are in memory', undefined, 1],
    ['with a store in memory cause no such warning', createMemoryStore(), 0],
  ])('%s', async (_what, store, count) => {
    const codes: string[] = []
    const warn = ({ code }: { code: string }): void => void codes.push(code)
    const session = { ...OPTIONS.session, ...(store && { store }) }
    const auth = createAuth({ ...OPTIONS, session, logger: { info() {}, warn, error() {} } })
    await auth.proxy(new NextRequest(`${BASE_URL}/account`))
    expect(codes).toEqual(Array(count).fill('LATCHKEY_SESSIONS_IN_MEMORY'))
  })
})

describe('the address of a page', () => {
  const auth = createCoreAuth(OPTIONS, nodePlatform())

  test('is sealed by the proxy, which passes no header of a client on', async () => {
    for (const headers of [{}, { [ASKED]: 'GET /public' }]) {
      const sealed = await passed('/account?tab=2', headers, 'POST')
      expect(sealed).not.toMatch(/account|tab=2|public/)
      const page = requestOf(new Headers({ [ASKED]: sealed ?? '' }), auth)
      expect([page.path, page.subject.method, page.subject.url]).toEqual([
        ...['/account?tab=2', 'POST', `${BASE_URL}/account?tab=2`],
      ])
    }
    expect(await passed('/_next/static/app.js', { [ASKED]: 'GET /public' })).toBeNull()
  })

  test.each([undefined, '', 'GET /public', 'POST /public', '/public', 'G ET'])(
    'is unknown with the header %j of a client',
    (asked) => {
      const page = requestOf(new Headers(asked === undefined ? {} : { [ASKED]: asked }), auth)
      expect(page.path).toBe('/')
      for (const read of [
        () => page.subject.url,
        () => page.subject.method,
        () => page.subject.clone(),
      ]) {
        expect(read).toThrow(expect.objectContaining({ code: 'LATCHKEY_ADDRESS_UNKNOWN' }))
      }
    },
  )

  test.each(['next-action', 'content-type'])(
    'counts as that of a write where it is unknown and there is a header "%s"',
    (name) => {
      expect(requestOf(new Headers({ [name]: 'x' }), auth).request.method).toBe('POST')
      expect(requestOf(new Headers(), auth).request.method).toBe('GET')
    },
  )
})

describe('the login route', () => {
  test.each<[string, Sent]>([
    ['a fetch of the router', { 'sec-fetch-mode': 'cors' }],
    ['a prefetch of a browser', { 'sec-fetch-mode': 'navigate', 'sec-purpose': 'prefetch' }],
    ['a prefetch of an older browser', { purpose: 'prefetch' }],
  ])('begins no login for %s', async (_what, headers) => {
    const answer = await ask('/login', headers)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([204, []])
  })

  test.each<[string, Sent]>([
    ['a click', { 'sec-fetch-mode': 'navigate' }],
    ['a browser without these headers', {}],
  ])('begins a login for %s', async (_what, headers) => {
    const answer = await ask('/login', headers)
    expect(answer.headers.get('location')).toMatch(/^https:\/\/login\.example\/auth\?/)
    expect(answer.headers.getSetCookie()).toHaveLength(1)
  })
})
