import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { createAuth } from '@latchkey/core'
import {
  answerErrors,
  createAuthRouter,
  getUser,
  mcpAuth,
  requireScopes,
  requireUser,
} from '@latchkey/express'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type LogLine, watchLog } from './support/errors.ts'
import { type Site, startSite } from './support/site.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const NOTES = {
  path: '/mcp',
  name: 'Notes',
  scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' },
}
/** Two steps, and a circle. */
const IMPLIED = {
  'notes:admin': ['notes:write'],
  'notes:write': ['notes:read'],
  'notes:read': ['notes:read'],
}

let site: Site
beforeAll(async () => {
  site = await startSite(routes, {
    resources: [NOTES, { path: '/mcp/admin' }, { path: '/files' }],
    bearer: { audience: 'https://api.example', impliedScopes: IMPLIED },
    now: () => Math.floor(Date.now() / 1000) + later,
  })
})
afterAll(() => site.close())

const BEARER = ['bearer'] as const
const BOTH = ['session', 'bearer'] as const

/** Seconds by which the application's clock is ahead. */
let later = 0
let handled: string[]
beforeEach(() => {
  handled = []
  later = 0
})

function routes(app: Express): void {
  const guards = {
    '/mcp': requireUser({ accept: BEARER, scopes: ['notes:read'] }),
    '/mcp/write': requireUser({ accept: BEARER, scopes: ['notes:read', 'notes:write'] }),
    '/mcp/both': requireUser({ accept: BOTH, scopes: ['notes:read'] }),
    '/mcp/page': requireUser(),
    '/mcp/admin': requireUser({ accept: BEARER }),
    '/mcp/offline': requireUser({ accept: BEARER, scopes: ['notes:read', 'offline_access'] }),
    '/files': requireUser({ accept: BEARER }),
    '/api': requireUser({ accept: BEARER, scopes: ['notes:read'] }),
    '/elsewhere': requireUser({ accept: BEARER, resource: '/mcp' }),
    '/undeclared': requireUser({ accept: BEARER, resource: '/mpc' }),
  }
  for (const [path, guard] of Object.entries(guards)) {
    app.all(path, guard, (req, res) => {
      handled.push(path)
      res.json(getUser(req))
    })
  }
  const outer = requireUser({ accept: BEARER, scopes: ['notes:read'] })
  const inner = requireUser({ accept: BEARER, scopes: ['notes:write'] })
  app.get('/mcp/twice', outer, inner, (_req, res) => void res.send('twice'))
  const wait: RequestHandler = (_req, _res, next) => {
    later += 700
    next()
  }
  app.get('/mcp/late', outer, wait, outer, (_req, res) => void res.send('late'))
  const other = requireUser({ accept: BEARER, resource: '/files' })
  app.post('/mcp/tools', outer, express.json(), (req, res) => {
    requireScopes(req, req.body.needs)
    const auth = mcpAuth(req)
    const isSame = req.headers.authorization === `Bearer ${auth.token}`
    res.json({ ...auth, isSame, printed: inspect(auth) + JSON.stringify(auth) })
  })
  app.post('/mcp/both/tools', requireUser({ accept: BOTH }), express.json(), (req, res) => {
    requireScopes(req, req.body.needs)
    res.send('done')
  })
  app.get('/open', (req, res) => void res.json(mcpAuth(req)))
  app.get('/mcp/strange', outer, other, (_req, res) => void res.send('strange'))
  app.use(answerErrors())
}

interface Asked {
  readonly aud?: unknown
  readonly scope?: string
  readonly accept?: string
}

/** Asks with a token for an audience, or without one. */
function ask(path: string, { aud, scope = 'notes:read', accept }: Asked = {}): Promise<Response> {
  const token = aud === undefined ? undefined : site.provider.accessToken({ aud, scope })
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(accept !== undefined && { accept }),
  }
  return fetch(site.url + path, { headers, redirect: 'manual' })
}

const challengeOf = (response: Response): string =>
  response.headers.get('www-authenticate') ?? 'none'
const named = (path: string): string => `resource_metadata="${site.url}${WELL_KNOWN}${path}"`

test('the metadata of a resource is readable from every origin, by every cache, and without a session', async () => {
  const response = await fetch(`${site.url}${WELL_KNOWN}/mcp`, {
    headers: { cookie: 'latchkey=x' },
  })

  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    resource: `${site.url}/mcp`,
    authorization_servers: [site.provider.issuer],
    scopes_supported: ['notes:read', 'notes:write'],
    bearer_methods_supported: ['header'],
    resource_name: 'Notes',
  })
  const { headers } = response
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.has('access-control-allow-credentials')).toBe(false)
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(headers.get('vary') ?? '').not.toMatch(/cookie/i)
  expect(headers.getSetCookie()).toEqual([])
})

test('the metadata answers HEAD, and the preflight of a page with a header of its own', async () => {
  const head = await fetch(`${site.url}${WELL_KNOWN}/mcp`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const preflight = await fetch(`${site.url}${WELL_KNOWN}/mcp`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://inspector.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'mcp-protocol-version',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-headers')).toBe('*')
  const post = await fetch(`${site.url}${WELL_KNOWN}/mcp`, { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

test('a resource without a path has its metadata at the bare well-known address', async () => {
  await using other = await startSite(() => {}, { resources: [{ path: '/' }] })
  const response = await fetch(`${other.url}${WELL_KNOWN}`)
  expect(await response.json()).toMatchObject({ resource: `${other.url}/` })
  expect((await fetch(`${other.url}${WELL_KNOWN}/mcp`)).status).toBe(404)
})

const good = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl: 'https://app.example.com',
  session: { secret: 'x'.repeat(32) },
  logger: false,
} as const
const ROUTES = {
  login: '/auth/login',
  callback: '/auth/callback',
  logout: '/auth/logout',
  backchannelLogout: '/auth/backchannel-logout',
  session: '/auth/session',
}

test.each([
  [{ path: 'mcp' }, '"resources[0].path" is "mcp", and must begin with a slash. Set it to "/mcp".'],
  [
    { path: '/mcp/' },
    'must not end with a slash, which would be another resource. Set it to "/mcp"',
  ],
  [
    { path: 'https://app.example.com/mcp' },
    'must be a path relative to "baseUrl". Set it to "/mcp".',
  ],
  [{ path: '/mcp?x=1' }, 'must have no query and no fragment.'],
  [{ path: '/a/../mcp' }, 'must have no empty part, no "." and no "..".'],
  [{ path: '/a//mcp' }, 'must have no empty part'],
  [{ path: '/m%63p' }, 'without "%" and patterns'],
  [{ path: '/mcp/*' }, 'without "%" and patterns'],
  [{ path: '/.well-known/x' }, 'must not be below "/.well-known"'],
  [{ path: `/${'a'.repeat(200)}` }, 'has 201 bytes, and 200 is the most.'],
  [{}, '"resources[0].path" is not set. Name it, such as "/mcp".'],
  [{ path: '' }, '"resources[0].path" must be a path such as "/mcp", not an empty string.'],
  ['/mcp', '"resources[0]" must be an object such as { path:'],
  [{ path: '/mcp', scope: {} }, '"resources[0].scope" is not an option.'],
  [{ path: '/mcp', nam: 'x' }, 'Did you mean "resources[0].name"?'],
  [
    { path: '/mcp', name: 'ü'.repeat(51) },
    '"resources[0].name" has 102 bytes, and 100 is the most.',
  ],
  [
    { path: '/mcp', name: 'a\u202eb' },
    'has a control character, a line break or a direction mark.',
  ],
  [{ path: '/mcp', scopes: { 'a b': 'x' } }, 'has "a b", which is no scope'],
  [
    { path: '/mcp', scopes: { offline_access: 'x' } },
    'has "offline_access", which clients ask the provider for.',
  ],
  [{ path: '/mcp', scopes: ['a'] }, 'must be an object with a sentence for each scope'],
  [{ path: '/mcp', documentation: 'docs' }, 'must be an https:// URL'],
])('an application does not start with the resource %j', (resource, sentence) => {
  expect(() => createAuth({ ...good, resources: [resource] } as never)).toThrow(sentence)
})

test('two resources with one path, and more than 20, are refused', () => {
  const twice = { ...good, resources: [{ path: '/mcp' }, { path: '/MCP' }] }
  expect(() => createAuth(twice)).toThrow(
    '"resources[1].path" is "/MCP", as "resources[0].path" is. List it once.',
  )
  const many = Array.from({ length: 21 }, (_, index) => ({ path: `/${index}` }))
  expect(() => createAuth({ ...good, resources: many })).toThrow('lists 21 resources, and 20 is')
  expect(() => createAuth({ ...good, resources: {} } as never)).toThrow(
    '"resources" must be an array',
  )
  expect(() => createAuth({ ...good, resource: {} } as never)).toThrow('It is "resources" here.')
})

test('a router below a path says that it never sees the metadata, and what to write', async () => {
  const router = createAuthRouter({ ...good, routes: ROUTES, resources: [NOTES] })
  let message = ''
  await using other = await startSite((app) => {
    app.use('/auth', router)
    app.use(((error, _req, res, _next) => {
      message = error.message
      res.sendStatus(500)
    }) as ErrorRequestHandler)
  })
  expect((await fetch(`${other.url}/auth/login`)).status).toBe(500)
  expect(message).toContain(
    '"resources" has its metadata at "/.well-known/oauth-protected-resource/mcp", which a router mounted at "/auth" never sees. Write app.use(createAuthRouter(…)) without a path.',
  )
})

test('with a path in baseUrl, the log says which address the proxy has to pass on, and both forms of it are answered', async () => {
  const log: LogLine[] = []
  await using other = await startSite(() => {}, {
    baseUrl: 'https://shop.example/app',
    logger: watchLog(log),
    resources: [NOTES],
  })
  expect(JSON.stringify(log)).toContain(`https://shop.example${WELL_KNOWN}/app/mcp`)
  for (const path of [`${WELL_KNOWN}/app/mcp`, `/app${WELL_KNOWN}/app/mcp`]) {
    const answer = await fetch(other.url + path)
    expect(await answer.json()).toMatchObject({ resource: 'https://shop.example/app/mcp' })
  }
})

test('a request without a token is told the scopes of its guard and where the metadata is', async () => {
  const read = await ask('/mcp')
  expect([read.status, challengeOf(read)]).toEqual([
    401,
    `Bearer realm="${new URL(site.url).host}", scope="notes:read", ${named('/mcp')}`,
  ])
  expect(challengeOf(await ask('/mcp/write'))).toContain('scope="notes:read notes:write"')
  const admin = challengeOf(await ask('/mcp/admin'))
  expect(admin).toContain(named('/mcp/admin'))
  expect(admin).not.toContain('scope=')
  const both = challengeOf(await ask('/mcp/both', { accept: 'application/json' }))
  expect(both).toContain(`scope="notes:read", ${named('/mcp')}, Session error="login_required"`)
  expect(challengeOf(await ask('/mcp/offline'))).toContain('scope="notes:read",')
})

test('a token that is not valid is answered with scope and metadata as well', async () => {
  const refused = await ask('/mcp', { aud: 'https://other.example' })
  expect(refused.status).toBe(401)
  const challenge = challengeOf(refused)
  expect(challenge).toContain('error="invalid_token"')
  expect(challenge).toContain(`scope="notes:read", ${named('/mcp')}`)
})

test('too few scopes are answered 403 with every scope that the operation needs', async () => {
  const aud = `${site.url}/mcp`
  const refused = await ask('/mcp/write', { aud })
  expect(refused.status).toBe(403)
  expect(challengeOf(refused)).toBe(
    `Bearer realm="${new URL(site.url).host}", error="insufficient_scope", scope="notes:read notes:write", ${named('/mcp')}`,
  )
  // Of several guards, each has let the request pass but the last.
  expect(challengeOf(await ask('/mcp/twice', { aud }))).toContain('scope="notes:read notes:write"')
  expect(challengeOf(await ask('/mcp/offline', { aud }))).toContain('scope="notes:read",')
  expect(handled).toEqual([])
})

test.each([
  ['/mcp', '/mcp', 200],
  ['/mcp', '/mcp/', 401],
  ['/mcp', '/MCP', 401],
  ['/mcp', '/', 401],
  ['/mcp', '', 401],
  ['/mcp', '/mcp/admin', 401],
  ['/mcp', '/mcp?x=1', 401],
  ['/mcp', '/files', 401],
  ['/mcp/admin', '/mcp', 401],
  ['/mcp/admin', '/mcp/admin', 200],
  ['/files', '/mcp', 401],
  ['/MCP', '/mcp', 200],
  ['/mcp/', '/mcp', 200],
  ['/elsewhere', '/mcp', 200],
  ['/elsewhere', '/elsewhere', 401],
])('at %s, a token for %s is answered %i', async (path, audience, status) => {
  expect((await ask(path, { aud: site.url + audience })).status).toBe(status)
})

test('the audience of the option counts outside of all resources, and there alone', async () => {
  const aud = 'https://api.example'
  const api = await ask('/api', { aud })
  expect(api.status).toBe(200)
  for (const path of ['/mcp', '/MCP', '/mcp/', '/files', '/mcp/admin', '/elsewhere']) {
    expect((await ask(path, { aud })).status, path).toBe(401)
  }
  expect((await ask('/api', { aud: `${site.url}/mcp` })).status).toBe(401)
  expect(challengeOf(await ask('/api'))).toBe(`Bearer realm="${new URL(site.url).host}"`)
})

test('a token in upper case, for an upper-case host, or for a list without the resource is refused', async () => {
  const upper = `${site.url}/mcp`.replace('http:', 'HTTP:')
  for (const aud of [upper, [`${site.url}/mcp/`, site.url], { 0: `${site.url}/mcp` }, null]) {
    expect((await ask('/mcp', { aud })).status, JSON.stringify(aud)).toBe(401)
  }
  expect((await ask('/mcp', { aud: [`${site.url}/mcp`, 'https://x.example'] })).status).toBe(200)
})

test('behind two guards of different resources a token must be for both', async () => {
  expect((await ask('/mcp/strange', { aud: `${site.url}/mcp` })).status).toBe(401)
  expect((await ask('/mcp/strange', { aud: `${site.url}/files` })).status).toBe(401)
  const both = [`${site.url}/mcp`, `${site.url}/files`]
  expect((await ask('/mcp/strange', { aud: both })).status).toBe(200)
})

test('a token that expires between two guards is refused by the second', async () => {
  const response = await ask('/mcp/late', { aud: `${site.url}/mcp` })
  expect(response.status).toBe(401)
  expect(challengeOf(response)).toContain('error="invalid_token"')
})

test('a broader scope implies narrower ones for every guard', async () => {
  const aud = `${site.url}/mcp`
  expect((await ask('/mcp', { aud, scope: 'notes:write' })).status).toBe(200)
  expect((await ask('/mcp/write', { aud, scope: 'notes:admin' })).status).toBe(200)
  expect((await ask('/mcp/write', { aud, scope: 'notes:read' })).status).toBe(403)
  expect((await ask('/api', { aud: 'https://api.example', scope: 'notes:write' })).status).toBe(200)
  expect((await ask('/mcp', { aud, scope: 'constructor __proto__' })).status).toBe(403)
})

test.each([
  'text/event-stream',
  'application/json, text/event-stream',
  'text/html, text/event-stream',
  'text/html;q=0.1, text/event-stream',
  'text/html',
  '*/*',
])('an API request with Accept: %s gets no redirect', async (accept) => {
  expect((await ask('/mcp', { accept })).status).toBe(401)
  if (accept === 'text/html') return
  expect((await ask('/mcp/both', { accept })).status).toBe(401)
  expect((await ask('/mcp/page', { accept })).status).toBe(401)
})

test('a guard that names a resource which is not declared lets no request in, and the log says which there are', async () => {
  const before = site.log.length
  expect((await ask('/undeclared', { aud: `${site.url}/mcp` })).status).toBe(500)
  expect(JSON.stringify(site.log.slice(before))).toContain(
    'is \\"/mpc\\", which the option \\"resources\\" does not declare. Did you mean \\"/mcp\\"?',
  )
  expect(() => requireUser({ resource: '/mcp' })).toThrow('"resource" is for bearer tokens')
})

test('without an audience, a guard outside of all resources lets no request in', async () => {
  await using other = await startSite(routes, { resources: [NOTES] })
  const authorization = `Bearer ${other.provider.accessToken({ aud: `${other.url}/mcp` })}`
  const answer = await fetch(`${other.url}/api`, { headers: { authorization } })
  expect(answer.status).toBe(500)
  expect(JSON.stringify(other.log)).toContain('is below no path of the option \\"resources\\"')
})

function callTool(path: string, needs: unknown, token?: string): Promise<Response> {
  return fetch(site.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ needs }),
  })
}

test('a tool gets what the SDK of MCP calls AuthInfo, and no log line of it holds the token', async () => {
  const token = site.provider.accessToken({ aud: `${site.url}/mcp`, scope: 'notes:write' })
  const answer = await callTool('/mcp/tools', ['notes:write'], token)
  const { printed, ...auth } = (await answer.json()) as Record<string, unknown>
  expect(auth).toEqual({
    isSame: true,
    clientId: 'mobile',
    scopes: ['notes:write', 'notes:read'],
    expiresAt: expect.any(Number),
    resource: `${site.url}/mcp`,
    extra: { user: expect.objectContaining({ sub: expect.any(String) }) },
  })
  expect(printed).toContain('notes:write')
  expect(printed).not.toContain(token.slice(-20))
  expect((await fetch(`${site.url}/open`)).status).toBe(401)
})

test('a tool that needs more scopes than the token has is answered 403, with those of the guard as well', async () => {
  const token = site.provider.accessToken({ aud: `${site.url}/mcp`, scope: 'notes:read' })
  const refused = await callTool('/mcp/tools', ['notes:write'], token)
  expect(refused.status).toBe(403)
  expect(challengeOf(refused)).toBe(
    `Bearer realm="${new URL(site.url).host}", error="insufficient_scope", scope="notes:read notes:write", ${named('/mcp')}`,
  )
  expect(await refused.json()).toMatchObject({ code: 'LATCHKEY_SCOPE_MISSING' })
  expect((await callTool('/mcp/tools', ['notes:read'], token)).status).toBe(200)
  for (const needs of [[], 'notes:write', ['a b'], undefined]) {
    expect((await callTool('/mcp/tools', needs, token)).status, `${needs}`).toBe(500)
  }
})

test('a session needs no scope, also for a tool', async () => {
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  const answer = await browser.send(`${site.url}/mcp/both/tools`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site.url },
    body: JSON.stringify({ needs: ['notes:write'] }),
  })
  expect(await answer.text()).toBe('done')
})

test('behind a proxy that leaves out the path of baseUrl, and in a router of its own, a guard knows its resource', async () => {
  const baseUrl = 'https://shop.example/app'
  const mcp = express.Router()
  mcp.all('/', requireUser({ accept: BEARER }), (_req, res) => void res.send('in'))
  await using other = await startSite((app) => void app.use(['/mcp', '/app/mcp'], mcp), {
    baseUrl,
    resources: [NOTES],
  })
  for (const path of ['/mcp', '/app/mcp']) {
    const sent = async (aud: string): Promise<Response> => {
      const authorization = `Bearer ${other.provider.accessToken({ aud })}`
      return fetch(other.url + path, { headers: { authorization } })
    }
    expect((await sent(`${baseUrl}/mcp`)).status, path).toBe(200)
    const refused = await sent('https://shop.example/mcp')
    expect(challengeOf(refused)).toContain(`"https://shop.example${WELL_KNOWN}/app/mcp"`)
  }
})

test('with two base URLs, metadata, audience and challenge are those of the host that was asked', async () => {
  const hosts = ['shop.example', 'notes.example']
  await using other = await startSite(
    (app) =>
      void app.all('/mcp', requireUser({ accept: BEARER }), (_req, res) => void res.send('in')),
    { baseUrl: hosts.map((host) => `https://${host}`), resources: [NOTES] },
  )
  function send(host: string, path: string, aud?: string) {
    const authorization = aud && `Bearer ${other.provider.accessToken({ aud })}`
    const headers = { host, ...(authorization && { authorization }) }
    return new Promise<{ status: number | undefined; challenge: string; body: string }>(
      (resolve, reject) => {
        get(other.url + path, { headers }, (answer) => {
          const { statusCode: status, headers } = answer
          const challenge = String(headers['www-authenticate'])
          text(answer).then((body) => resolve({ status, challenge, body }), reject)
        }).on('error', reject)
      },
    )
  }
  for (const [at, host] of hosts.entries()) {
    const foreign = hosts[1 - at] ?? ''
    const { body } = await send(host, `${WELL_KNOWN}/mcp`)
    expect(JSON.parse(body).resource).toBe(`https://${host}/mcp`)
    const refused = await send(host, '/mcp', `https://${foreign}/mcp`)
    expect(refused.status).toBe(401)
    expect(refused.challenge).toContain(`resource_metadata="https://${host}${WELL_KNOWN}/mcp"`)
    expect((await send(host, '/mcp', `https://${host}/mcp`)).status).toBe(200)
  }
})

test('while the provider is unknown the metadata is 503, and no cache keeps that', async () => {
  await using other = await startSite(() => {}, { resources: [NOTES] })
  await other.provider.stop()
  const answer = await fetch(`${other.url}${WELL_KNOWN}/mcp`)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([503, 'private, no-store'])
  expect(answer.headers.get('retry-after')).toBe('5')
  await other.provider.start()
  expect((await fetch(`${other.url}${WELL_KNOWN}/mcp`)).status).toBe(200)
})

test('where bound tokens are required, the metadata says so and with which algorithms', async () => {
  await using other = await startSite(() => {}, {
    resources: [
      { path: '/mcp', documentation: 'https://docs.example', policy: 'https://a.example/p' },
    ],
    bearer: { dpop: 'required' },
  })
  expect(await (await fetch(`${other.url}${WELL_KNOWN}/mcp`)).json()).toMatchObject({
    dpop_bound_access_tokens_required: true,
    dpop_signing_alg_values_supported: ['PS256', 'ES256', 'EdDSA', 'Ed25519'],
    resource_documentation: 'https://docs.example',
    resource_policy_uri: 'https://a.example/p',
  })
})
