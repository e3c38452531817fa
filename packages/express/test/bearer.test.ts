import { createAuth, createMemoryStore, type User } from '@latchkey/core'
import { getUser, requireUser } from '@latchkey/express'
import type { ErrorRequestHandler, Express } from 'express'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

const AUDIENCE = 'https://api.example'
const BOTH = ['session', 'bearer'] as const

let site: Site
let handled: string[]
const store = createMemoryStore()

beforeAll(async () => {
  site = await startSite(routes, { bearer: { audience: AUDIENCE }, session: { store } })
})
beforeEach(() => {
  handled = []
})
afterAll(() => site.close())

function routes(app: Express): void {
  const guards = {
    '/api': requireUser({ accept: BOTH }),
    '/tokens': requireUser({ accept: ['bearer'] }),
    '/session': requireUser(),
    '/notes': requireUser({ accept: BOTH, scopes: ['notes:read', 'notes:write'] }),
    '/admin': requireUser({ accept: BOTH, roles: ['admin'] }),
    '/strong': requireUser({ accept: BOTH, acr: 'mfa', maxAge: 300 }),
    '/rehearsed': requireUser({ accept: BOTH, scopes: ['notes:read'], enforce: false }),
  }
  for (const [path, guard] of Object.entries(guards)) {
    app.all(`/guarded${path}`, guard, (req, res) => {
      handled.push(path)
      res.json({ user: getUser(req), auth: req.auth })
    })
  }
  const [accepts, of] = [requireUser({ accept: BOTH }), requireUser()]
  app.get('/guarded/twice', accepts, of, (req, res) => void res.json(getUser(req)))
  app.get('/guarded/calls', accepts, async (req, res) => {
    res.json(await req.auth.accessToken().catch(({ code }) => code))
  })
}

function call(path: string, token?: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) }
  return fetch(`${site.url}/guarded${path}`, { ...init, headers, redirect: 'manual' })
}

const challenge = (response: Response): string | null => response.headers.get('www-authenticate')
const now = (): number => Math.floor(Date.now() / 1000)

test('a JWT access token for this audience lets its user in, and no session is made of it', async () => {
  const sessions = store.size
  const token = site.provider.accessToken({ sub: 'ada', scope: 'notes:read', roles: ['reader'] })

  const response = await call('/api', token)

  expect(response.status).toBe(200)
  const { user, auth } = (await response.json()) as Record<string, Record<string, unknown>>
  expect(user).toEqual({
    ...{ sub: 'ada', client_id: 'mobile', scope: 'notes:read', roles: ['reader'] },
  })
  expect(auth).toMatchObject({ isAuthenticated: true, session: { issuer: site.provider.issuer } })
  expect(JSON.stringify(auth)).not.toContain(token.slice(-20))
  expect(response.headers.getSetCookie()).toEqual([])
  expect(response.headers.get('cache-control')).toBe('private, no-store')
  expect(store.size).toBe(sessions)
})

test('the log says why a token was refused, and holds nothing of it', async () => {
  const before = site.log.length
  const token = site.provider.accessToken({ aud: 'https://other.example' })
  await call('/api', token)
  const line = JSON.stringify(site.log.slice(before))
  expect(line).toContain('is for another audience')
  expect(line).not.toContain(token.slice(0, 20))
})

test.each<[string, Record<string, unknown>, Record<string, unknown>?]>([
  ['expired', { exp: now() - 31 }],
  ['without exp', { exp: undefined }],
  ['for another audience', { aud: 'https://other.example' }],
  ['for a list of other audiences', { aud: ['https://api.example.evil', 'account'] }],
  ['without an audience', { aud: undefined }],
  ['of another issuer', { iss: 'https://other.example' }],
  ['without sub', { sub: undefined }],
  ['with a sub of 256 characters', { sub: 'a'.repeat(256) }],
  ['not valid yet', { nbf: now() + 90 }],
  ['from the future', { iat: now() + 90 }],
  ['bound to a key', { cnf: { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } }],
  ['of another type', {}, { typ: 'JWT' }],
  ['without a type', {}, { typ: undefined }],
  ['that is an ID token by its type', { aud: 'app' }, { typ: undefined }],
  ['that is a logout token', {}, { typ: 'logout+jwt' }],
  ['with a critical header', {}, { crit: ['b64'] }],
  ['of an unknown key', {}, { kid: 'unknown' }],
])('a token %s is answered 401 with invalid_token', async (_fault, claims, header) => {
  const response = await call('/api', site.provider.accessToken(claims, header))

  expect(response.status).toBe(401)
  expect(challenge(response)).toMatch(/^Bearer realm="127\.0\.0\.1:\d+", error="invalid_token"/)
  expect(await response.json()).toMatchObject({ code: 'LATCHKEY_BEARER_INVALID' })
  expect(handled).toEqual([])
})

test('a token whose payload was changed, or a text that is not a token, is refused', async () => {
  const [head, , signature] = site.provider.accessToken({}).split('.')
  const [, body] = site.provider.accessToken({ sub: 'mallory' }).split('.')
  for (const token of [`${head}.${body}.${signature}`, `${head}.${body}.`, 'opaque', 'a.b.c']) {
    expect(challenge(await call('/api', token))).toContain('error="invalid_token"')
  }
  expect(handled).toEqual([])
})

test('a token that was accepted before is refused with another signature, and once its key is withdrawn', async () => {
  await using other = await startSite(routes, { bearer: { audience: AUDIENCE } })
  const ask = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${other.url}/guarded/api`, { headers })).status
  }
  const token = other.provider.accessToken({})
  const [signed, signature = ''] = [token.slice(0, token.lastIndexOf('.')), token.split('.')[2]]
  expect([await ask(token), await ask(token)]).toEqual([200, 200])
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
  expect(await ask(`${signed}.${flipped}`)).toBe(401)

  other.provider.rotateKey()
  expect(await ask(other.provider.accessToken({}))).toBe(200)
  expect(await ask(token)).toBe(401)
})

test('without a token the answer is 401 with a challenge that names no error', async () => {
  const tokensOnly = await call('/tokens')
  expect([tokensOnly.status, challenge(tokensOnly)]).toEqual([
    401,
    `Bearer realm="${new URL(site.url).host}"`,
  ])
  const both = await call('/api', undefined, { headers: { authorization: 'Basic YTpi' } })
  expect(both.status).toBe(401)
  expect(challenge(both)).toMatch(/^Bearer realm="[^"]+", Session error="login_required"$/)
})

test('a header that is malformed, and a token in the address, are answered 400 with invalid_request', async () => {
  const token = site.provider.accessToken({})
  const answers = await Promise.all([
    call('/api', `${token} ${token}`),
    call('/api', undefined, { headers: { authorization: 'Bearer' } }),
    call(`/api?access_token=${token}`),
    call(`/api?page=2&access_token=${token}`, token),
  ])
  for (const response of answers) {
    expect([response.status, challenge(response)]).toEqual([
      400,
      expect.stringContaining('error="invalid_request"'),
    ])
  }
  expect(handled).toEqual([])
})

test('a token without every scope is answered 403 with insufficient_scope', async () => {
  const token = site.provider.accessToken({ scope: 'notes:read' })
  const response = await call('/notes', token)
  expect(response.status).toBe(403)
  expect(challenge(response)).toContain(
    'error="insufficient_scope", scope="notes:read notes:write"',
  )
  expect(await response.json()).toMatchObject({ code: 'LATCHKEY_SCOPE_MISSING' })

  const good = site.provider.accessToken({ scope: 'notes:write openid notes:read' })
  expect((await call('/notes', good)).status).toBe(200)
})

test('roles, acr and maxAge are checked with the claims of the token', async () => {
  expect((await call('/admin', site.provider.accessToken({ roles: ['reader'] }))).status).toBe(403)
  expect((await call('/admin', site.provider.accessToken({ roles: ['admin'] }))).status).toBe(200)

  const weak = await call('/strong', site.provider.accessToken({ acr: 'pwd', auth_time: now() }))
  expect(weak.status).toBe(401)
  expect(challenge(weak)).toContain(
    'error="insufficient_user_authentication", acr_values="mfa", max_age="300"',
  )
  const strong = { acr: 'mfa', auth_time: now() }
  expect((await call('/strong', site.provider.accessToken(strong))).status).toBe(200)
})

test('a rehearsed guard reports a missing scope and lets the request pass', async () => {
  const before = site.log.length
  expect((await call('/rehearsed', site.provider.accessToken({}))).status).toBe(200)
  expect(JSON.stringify(site.log.slice(before))).toContain('LATCHKEY_GUARD_REHEARSED')
})

test('the origin of a write is checked with a session, and not with a token', async () => {
  const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
  const post = { method: 'POST', headers }
  expect((await call('/api', site.provider.accessToken({}), post)).status).toBe(200)

  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const answer = await browser.send(`${site.url}/guarded/api`, post)
  expect(answer.status).toBe(403)
})

test('a guard that does not accept tokens refuses one, also behind a guard that does', async () => {
  const token = site.provider.accessToken({})
  expect((await call('/session', token)).status).toBe(401)
  expect((await call('/twice', token)).status).toBe(401)
})

test('if a request has a token, only the token counts, although the browser has a session', async () => {
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const send = (path: string, token: string): Promise<Response> =>
    browser.send(`${site.url}/guarded${path}`, { headers: { authorization: `Bearer ${token}` } })

  expect((await browser.send(`${site.url}/guarded/api`)).status).toBe(200)
  expect((await send('/api', 'wrong')).status).toBe(401)
  const bob = site.provider.accessToken({ sub: 'bob' })
  expect(await (await send('/api', bob)).json()).toMatchObject({ user: { sub: 'bob' } })
  // The last guard decides whose request it is.
  expect(await (await send('/twice', bob)).json()).toMatchObject({ sub: 'ada' })
  expect(await (await send('/calls', bob)).json()).toBe('LATCHKEY_TOKEN_ABSENT')
})

test('while the provider is unreachable, tokens signed with known keys are accepted and others get 503', async () => {
  await using other = await startSite(routes, { bearer: { audience: AUDIENCE } })
  const token = other.provider.accessToken({})
  const headers = { authorization: `Bearer ${token}` }
  const ask = async (): Promise<number> =>
    (await fetch(`${other.url}/guarded/api`, { headers })).status
  await other.provider.stop()
  expect(await ask()).toBe(503)
  await other.provider.start()
  expect(await ask()).toBe(200)
  await other.provider.stop()
  expect(await ask()).toBe(200)
})

test.each([
  [{}, '"bearer.audience" is not set. Name the "aud"'],
  [{ audience: '' }, '"bearer.audience" is not set.'],
  [{ audience: [] }, '"bearer.audience" is not set.'],
  [{ audience: AUDIENCE, introspect: true }, 'Did you mean "bearer.introspection"?'],
])('an application does not start with bearer: %j', (bearer, sentence) => {
  expect(() => createAuth({ bearer } as never)).toThrow(sentence)
})

test('a guard that accepts tokens refuses every request if the options name no audience', async () => {
  await using other = await startSite(routes)
  const headers = { authorization: `Bearer ${other.provider.accessToken({})}` }
  const response = await fetch(`${other.url}/guarded/api`, { headers })
  expect(response.status).toBe(500)
  expect(JSON.stringify(other.log)).toContain('"bearer')
})

/** A site whose schema demands a name, and is down on demand. */
async function startWithSchema() {
  const state = { isDown: false, failed: [] as unknown[] }
  const site = await startSite(
    (app) => {
      const guard = requireUser({ accept: BOTH, respond: 'json' })
      app.get('/api', guard, (req, res) => void res.json(getUser(req)))
      app.use(((error, _req, res, _next) => {
        state.failed.push(error)
        res.status(500).end()
      }) as ErrorRequestHandler)
    },
    {
      bearer: { audience: AUDIENCE },
      claims: {
        '~standard': {
          version: 1,
          vendor: 'test',
          async validate(value) {
            if (state.isDown) throw new Error('connect ECONNREFUSED 10.0.0.5:5432')
            return (value as User).name
              ? { value: value as User }
              : { issues: [{ path: ['name'] }] }
          },
        },
      },
    },
  )
  const send = (claims: Record<string, unknown>): Promise<Response> =>
    fetch(`${site.url}/api`, {
      headers: { authorization: `Bearer ${site.provider.accessToken(claims)}` },
    })
  return { site, state, send }
}

test('a valid token whose claims do not fit the schema is refused with that reason and its remedy', async () => {
  const { site, send } = await startWithSchema()
  await using _ = site

  const response = await send({ sub: 'ada' })

  expect(response.status).toBe(401)
  expect(challenge(response)).toContain(
    'error="invalid_token", error_description="The claims of the token do not fit the application"',
  )
  const line = JSON.stringify(site.log)
  expect(line).toContain('The bearer token does not fit')
  expect(line).toContain('Correct the schema of the option `claims`')
  expect((await send({ sub: 'ada', name: 'Ada' })).status).toBe(200)
})

test('a schema that fails at a bearer token is an error of the application, and refuses no token', async () => {
  const { site, state, send } = await startWithSchema()
  await using _ = site
  state.isDown = true

  const response = await send({ sub: 'ada', name: 'Ada' })

  expect([response.status, challenge(response)]).toEqual([500, null])
  expect(state.failed.map(String)).toEqual(['Error: connect ECONNREFUSED 10.0.0.5:5432'])
  state.isDown = false
  expect((await send({ sub: 'ada', name: 'Ada' })).status).toBe(200)
})
