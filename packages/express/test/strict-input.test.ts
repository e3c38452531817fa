import { type AuthOptions, createAuth, createMemoryStore, type SessionRecord } from '@latchkey/core'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClaims, redactOf } from '../../development/src/redact.ts'

let provider: Awaited<ReturnType<typeof startMisbehavingProvider>>
beforeAll(async () => {
  provider = await startMisbehavingProvider()
})
afterAll(() => provider.close())

const BASE = 'http://localhost:3000'

function start(options: AuthOptions = {}) {
  const lines: string[] = []
  const write = (facts: object, message: string) =>
    lines.push(`${JSON.stringify(facts)} ${message}`)
  const { issuer, clientId, clientSecret } = provider
  const auth = createAuth({
    ...{ issuer, clientId, clientSecret, baseUrl: BASE },
    logger: { info: write, warn: write, error: write },
    ...options,
    session: { secret: 'x'.repeat(32), ...options.session },
  })
  const ask = (path: string, headers: Record<string, string> = {}) =>
    auth.fetch(new Request(BASE + path, { headers }), async (visit) => {
      const refusal = await visit.admit(JSON.parse(headers.requirement ?? '{}'))
      return refusal ? visit.send(refusal) : new Response(JSON.stringify(visit.user()))
    })
  /** Begins a login, and resolves to its state and its cookie. */
  const begin = async () => {
    const begun = await ask('/login')
    const location = new URL(String(begun.headers.get('location')))
    const cookie = begun.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    return { location, cookie, state: String(location.searchParams.get('state')) }
  }
  return { ask, auth, begin, lines }
}

async function logIn({ ask, begin }: ReturnType<typeof start>): Promise<string> {
  const { location, cookie } = await begin()
  const back = new URL(
    String((await fetch(location, { redirect: 'manual' })).headers.get('location')),
  )
  const answer = await ask(back.pathname + back.search, { cookie })
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

test.each(['!', '=', '%0A', '.'])('a state with %s appended is refused', async (more) => {
  const site = start()
  const { state, cookie } = await site.begin()
  const answer = await site.ask(`/callback?code=x&state=${state}${more}`, {
    cookie,
    accept: 'application/json',
  })
  expect(await answer.json()).toMatchObject({ code: 'LATCHKEY_STATE_MISMATCH' })
})

test('a record without an end counts as expired', async () => {
  const memory = createMemoryStore()
  const endless = async (id: string): Promise<SessionRecord | undefined> => {
    const found = await memory.get(id)
    if (!found) return undefined
    const { expiresAt: _, ...record } = found
    return record as SessionRecord
  }
  const site = start({ session: { store: { ...memory, get: endless } } })
  const cookie = await logIn(site)
  const answer = await site.ask('/', { cookie, accept: 'application/json' })
  expect(answer.status).toBe(401)
})

test.each([{ exp: 'x' }, { exp: 2 ** 40, nbf: 'x' }])(
  'a token whose introspection says %j is refused',
  async (times) => {
    const site = start({
      bearer: { audience: 'https://api.test', introspection: true },
      async fetch(input) {
        const url = String(input)
        const json = url.includes('.well-known')
          ? {
              issuer: provider.issuer,
              authorization_endpoint: `${provider.issuer}/auth`,
              token_endpoint: `${provider.issuer}/token`,
              jwks_uri: `${provider.issuer}/jwks`,
              introspection_endpoint: `${provider.issuer}/introspect`,
            }
          : { active: true, sub: 'ada', aud: 'https://api.test', ...times }
        return Response.json(json)
      },
    })
    const answer = await site.ask('/', {
      authorization: 'Bearer opaque',
      requirement: '{"accept":["bearer"]}',
    })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ code: 'LATCHKEY_BEARER_INVALID' })
  },
)

test('an address in the error description of the provider is not in the log', async () => {
  const site = start()
  const { state, cookie } = await site.begin()
  const said = 'User ada.l+x@mail.example.com is not assigned, see https://help.test/why?user=ada'
  const query = new URLSearchParams({
    state,
    error: 'access_denied',
    error_description: said,
    iss: provider.issuer,
  })
  const answer = await site.ask(`/callback?${query}`, { cookie, accept: 'application/json' })
  expect(answer.status).toBe(403)
  const log = site.lines.join('\n')
  expect(log).toContain('is not assigned, see https://help.test/why')
  expect(log).not.toMatch(/ada\.l|mail\.example|user=ada/)
})

test('the log names the class of an error in a rehearsed check, but not its message', async () => {
  const site = start()
  const cookie = await logIn(site)
  const { auth, lines } = site
  await auth.fetch(new Request(BASE, { headers: { cookie } }), async (visit) => {
    const check = () => {
      throw new RangeError('query failed: password=hunter2hunter2')
    }
    expect(await visit.admit({ check, enforce: false })).toBeUndefined()
    return new Response()
  })
  expect(lines.join('\n')).toContain('RangeError')
  expect(lines.join('\n')).not.toContain('hunter2')
})

test('a token inside a nested claim is left out', () => {
  const redact = redactOf(new URLSearchParams(), null)
  const opaque = 'gho_16C7e42F292c6912E7710c838347Ae178B4a'.slice(0, 30)
  const claims = {
    resource: { name: 'calendar', access_token: opaque },
    accounts: [{ provider: 'hub', tokens: { refreshToken: opaque } }, { apiKey: opaque }],
    address: { locality: 'London' },
  }
  const shown = openClaims(claims, redact)
  expect(JSON.stringify(shown)).not.toContain(opaque)
  expect(shown.address).toEqual({ locality: 'London' })
  expect(JSON.stringify(shown)).toContain('calendar')
})
