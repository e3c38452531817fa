import assert from 'node:assert/strict'
import { AccessError } from '@latchkey/core'
import type { Response } from 'supertest'
import type { TestRoute } from '../application.ts'
import {
  assertPrivate,
  BASE_URL,
  type Case,
  cookiesOf,
  PAGE,
  type Setup,
  type Site,
} from '../bench.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const NAMED = `resource_metadata="${BASE_URL}${WELL_KNOWN}/mcp"`
const accept = ['bearer'] as const

/** Makes a route behind a guard for bearer tokens. */
function routeOf(path: string, more: TestRoute['requirement'] = {}): TestRoute {
  return {
    method: 'get',
    path,
    requirement: { accept, ...more },
    handle: async ({ user }) => ({ body: user().sub }),
  }
}

const setup: Setup = {
  options: {
    resources: [
      {
        path: '/mcp',
        name: 'Notes',
        scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' },
      },
      { path: '/files' },
    ],
    bearer: {
      audience: 'https://api.example',
      impliedScopes: { 'notes:write': ['notes:read'] },
    },
  },
  routes: [
    routeOf('/mcp', { scopes: ['notes:read'] }),
    routeOf('/files'),
    routeOf('/api'),
    routeOf('/elsewhere', { resource: '/mcp' }),
    {
      ...routeOf('/mcp/tool', { scopes: ['notes:read'] }),
      async handle() {
        const options = { failed: 'scopes', scopes: ['notes:write'] }
        throw new AccessError('LATCHKEY_SCOPE_MISSING', 'The tool changes notes.', options)
      },
    },
  ],
}

interface Asked {
  readonly aud?: string
  readonly scope?: string
  readonly accepts?: string
}

/** Sends a request with a token for an audience, or without a token. */
function ask({ request, server, provider }: Site, path: string, asked: Asked): Promise<Response> {
  const { aud, scope = 'notes:read', accepts = '*/*' } = asked
  const token = aud === undefined ? undefined : provider.accessToken({ sub: 'bob', aud, scope })
  const sent = request(server).get(path).set('accept', accepts)
  return token === undefined ? sent : sent.set('authorization', `Bearer ${token}`)
}

const challengeOf = (answer: Response): string => String(answer.headers['www-authenticate'])

export const resources: readonly Case[] = [
  [
    'the metadata of a resource is readable from every origin and kept by caches, and opens no session',
    async ({ open, provider }) => {
      const site = await open(setup)
      const { agent } = await site.user()
      for (const method of ['get', 'head'] as const) {
        const answer = await agent[method](`${WELL_KNOWN}/mcp`).set('origin', 'https://a.example')
        assert.equal(answer.status, 200)
        assert.equal(answer.headers['access-control-allow-origin'], '*')
        assert.match(String(answer.headers['cache-control']), /^public, max-age=\d+$/)
        assert.doesNotMatch(String(answer.headers.vary), /cookie/i)
        assert.deepEqual(cookiesOf(answer), [])
        if (method === 'head') continue
        assert.deepEqual(answer.body, {
          resource: `${BASE_URL}/mcp`,
          authorization_servers: [provider.issuer],
          scopes_supported: ['notes:read', 'notes:write'],
          bearer_methods_supported: ['header'],
          resource_name: 'Notes',
        })
      }
      const preflight = await agent
        .options(`${WELL_KNOWN}/mcp`)
        .set({ origin: 'https://a.example', 'access-control-request-method': 'GET' })
      assert.equal(preflight.status, 204)
      assert.equal(preflight.headers['access-control-allow-origin'], '*')
    },
  ],
  [
    'a request without a token for a resource is told the scopes of its guard and where the metadata is, and is never redirected',
    async ({ open }) => {
      const site = await open(setup)
      for (const accepts of [
        '*/*',
        'text/event-stream',
        'application/json, text/event-stream',
        String(PAGE.accept),
      ]) {
        const answer = await ask(site, '/mcp', { accepts })
        assert.equal(answer.status, 401, accepts)
        assert.equal(
          challengeOf(answer),
          `Bearer realm="localhost:3000", scope="notes:read", ${NAMED}`,
        )
        assertPrivate(answer)
      }
      const streams = await site.visitor().agent.get('/private').set('accept', 'text/event-stream')
      assert.equal(streams.status, 401)
    },
  ],
  [
    'a token is accepted by the resource that it names exactly, and by no other',
    async ({ open }) => {
      const site = await open(setup)
      for (const [path, aud, status] of [
        ['/mcp', `${BASE_URL}/mcp`, 200],
        ['/elsewhere', `${BASE_URL}/mcp`, 200],
        ['/files', `${BASE_URL}/files`, 200],
        ['/api', 'https://api.example', 200],
        ['/mcp', `${BASE_URL}/mcp/`, 401],
        ['/mcp', `${BASE_URL}/MCP`, 401],
        ['/mcp', BASE_URL, 401],
        ['/mcp', `${BASE_URL}/files`, 401],
        ['/files', `${BASE_URL}/mcp`, 401],
        ['/mcp', 'https://api.example', 401],
        ['/elsewhere', 'https://api.example', 401],
        ['/api', `${BASE_URL}/mcp`, 401],
      ] as const) {
        const answer = await ask(site, path, { aud })
        assert.equal(answer.status, status, `${path} ${aud} ${answer.text}`)
        if (status === 401) assert.match(challengeOf(answer), /error="invalid_token"/)
        if (path === '/mcp' && status === 401) assert.ok(challengeOf(answer).includes(NAMED))
      }
    },
  ],
  [
    'an address that a router takes for that of a resource never opens to a token for another audience',
    async ({ open }) => {
      const site = await open(setup)
      for (const path of ['/MCP', '/mcp/', '/%6dcp', '//mcp', '/mcp;x']) {
        const answer = await ask(site, path, { aud: 'https://api.example' })
        assert.notEqual(answer.status, 200, path)
      }
      assert.deepEqual(site.handled, [])
    },
  ],
  [
    'a scope implies others by option, and too few are answered 403 with every scope that the operation needs',
    async ({ open }) => {
      const site = await open(setup)
      const aud = `${BASE_URL}/mcp`
      assert.equal((await ask(site, '/mcp', { aud, scope: 'notes:write' })).status, 200)
      const refused = await ask(site, '/mcp', { aud, scope: 'openid' })
      assert.equal(refused.status, 403)
      const asked = (scope: string): string =>
        `Bearer realm="localhost:3000", error="insufficient_scope", scope="${scope}", ${NAMED}`
      assert.equal(challengeOf(refused), asked('notes:read'))
      const tool = await ask(site, '/mcp/tool', { aud })
      assert.equal(tool.status, 403, tool.text)
      assert.equal(challengeOf(tool), asked('notes:read notes:write'))
    },
  ],
  [
    'with several base URLs, metadata, challenge and audience are those of the host that the client named',
    async ({ open, provider }) => {
      const other = 'http://shop.localhost:3000'
      const site = await open({
        ...setup,
        options: { ...setup.options, baseUrl: [BASE_URL, other] },
      })
      for (const [baseUrl, elsewhere] of [
        [BASE_URL, other],
        [other, BASE_URL],
      ] as const) {
        const { agent } = site.visitor()
        agent.host(new URL(baseUrl).host)
        const metadata = await agent.get(`${WELL_KNOWN}/mcp`)
        assert.equal(metadata.body.resource, `${baseUrl}/mcp`)
        const named = `resource_metadata="${baseUrl}${WELL_KNOWN}/mcp"`
        assert.ok(challengeOf(await agent.get('/mcp')).includes(named))
        const sent = async (at: string): Promise<number> => {
          const token = provider.accessToken({ aud: `${at}/mcp`, scope: 'notes:read' })
          return (await agent.get('/mcp').set('authorization', `Bearer ${token}`)).status
        }
        assert.equal(await sent(baseUrl), 200)
        assert.equal(await sent(elsewhere), 401)
      }
    },
  ],
]
