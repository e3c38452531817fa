import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { type Identity, logIn, startIdentity } from '@latchkey/testing'
import express from 'express'
import type { Configuration } from 'oidc-provider'
import { afterAll, expect, test } from 'vitest'
import { remember } from '../../../test/support/leaks.ts'
import { SESSION_SECRET } from './support/app.ts'
import { CLIENT, startProvider, type TestProvider } from './support/provider.ts'

const API = 'https://api.example'
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** An application whose API takes the access tokens of a provider. */
async function startApi(issuer: string, introspection: boolean, audience = API): Promise<string> {
  const app = express()
  app.use(
    createAuthRouter({
      ...{ ...CLIENT, issuer, baseUrl: 'http://localhost:3000', logger: false },
      session: { secret: SESSION_SECRET },
      bearer: { audience, introspection },
    }),
  )
  const guard = requireUser({ accept: ['bearer'], scopes: ['notes:read'] })
  app.get('/notes', guard, (req, res) => void res.json(getUser(req)))
  const recent = requireUser({ accept: ['bearer'], maxAge: 3_600 })
  app.get('/mine', recent, (req, res) => void res.json(getUser(req)))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`
}

/** A provider that issues access tokens for {@link API} to programs. */
function startIssuer(accessTokenFormat: 'jwt' | 'opaque'): Promise<TestProvider> {
  const features: Configuration['features'] = {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API,
      getResourceServerInfo: () => ({
        ...{ scope: 'notes:read', audience: API, accessTokenFormat },
        ...(accessTokenFormat === 'jwt' && { jwt: { sign: { alg: 'RS256' as const } } }),
      }),
    },
  }
  return startProvider(['http://localhost:3000/callback'], {
    ...{ features, scopes: ['openid', 'notes:read'] },
    clientDefaults: {
      grant_types: ['authorization_code', 'client_credentials'],
      response_types: ['code'],
    },
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: ['http://localhost:3000/callback'],
      },
    ],
  })
}

async function post(url: string, form: Record<string, string>): Promise<Record<string, unknown>> {
  const authorization = `Basic ${btoa(`${CLIENT.clientId}:${CLIENT.clientSecret}`)}`
  const body = new URLSearchParams(form)
  const response = await fetch(url, { method: 'POST', body, headers: { authorization } })
  return response.json().catch(() => ({})) as Promise<Record<string, unknown>>
}

async function tokenOf({ issuer }: TestProvider): Promise<string> {
  const form = { grant_type: 'client_credentials', scope: 'notes:read' }
  const { access_token: token } = await post(`${issuer}/token`, form)
  remember('token', String(token))
  return String(token)
}

const ask = (url: string, token: string): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${token}` } })

/** An access token that a user has given the client; those of programs have no user. */
async function tokenOfAda({ provider }: TestProvider): Promise<string> {
  const client = await provider.Client.find(CLIENT.clientId)
  if (!client) throw new Error('no client')
  const grant = new provider.Grant({ accountId: 'ada', clientId: CLIENT.clientId })
  grant.addResourceScope(API, 'notes:read')
  const token = new provider.AccessToken({
    ...{ accountId: 'ada', client, scope: 'notes:read' },
    ...{ grantId: await grant.save(), gty: 'authorization_code' },
  })
  token.resourceServer = new provider.ResourceServer(API, { scope: 'notes:read', audience: API })
  const value = await token.save()
  remember('token', value)
  return value
}

/** An access token that the service gave an application for a user who logged in. */
async function accessTokenOf(identity: Identity, more: AuthOptions = {}): Promise<string> {
  let token = ''
  const app = express()
  const options = identity.clientOptions({ baseUrl: 'http://localhost:3000' })
  app.use(createAuthRouter({ ...options, ...more }))
  app.get('/keep', requireUser(), async (req, res) => {
    token = await req.auth.accessToken({ force: more.scope !== undefined })
    remember('token', token)
    res.end()
  })
  await (await logIn(app, await identity.createUser())).get('/keep')
  expect(token).toMatch(/./)
  return token
}

/** Registers an application that may call {@link API}, by the management API of the service. */
async function registerCaller({ service, tenantId }: Identity): Promise<AuthOptions> {
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const authorization = `Bearer ${key}`
  const list = `https://api.test/v1/tenants/${tenantId}/applications`
  const application = {
    ...{ type: 'Application', name: 'Caller' },
    redirect_urls: ['http://localhost:3000/callback'],
    metadata: { latchkey_resources: API },
  }
  const created = await service.fetch(list, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(application),
  })
  const { id } = (await created.json()) as { id: string }
  const read = await service.fetch(`${list}/${id}`, { headers: { authorization } })
  const { secret } = (await read.json()) as { secret: string }
  return { clientId: id, clientSecret: secret }
}

test('a JWT access token of oidc-provider opens the API', async () => {
  await using provider = await startIssuer('jwt')
  const api = await startApi(provider.issuer, false)
  const token = await tokenOf(provider)
  expect(token.split('.')).toHaveLength(3)

  const response = await ask(api, token)

  expect(await response.json()).toMatchObject({ client_id: 'app', scope: 'notes:read' })
})

test('an opaque access token of oidc-provider opens the API that introspects, until it is revoked', async () => {
  await using provider = await startIssuer('opaque')
  const api = await startApi(provider.issuer, true)
  const token = await tokenOfAda(provider)
  expect(token).not.toContain('.')

  expect(await (await ask(api, token)).json()).toMatchObject({ sub: 'ada', scope: 'notes:read' })
  await post(`${provider.issuer}/token/revocation`, { token })
  const revoked = await ask(api, token)

  expect(revoked.status).toBe(401)
  expect(revoked.headers.get('www-authenticate')).toContain('was revoked')
})

test('an opaque access token is refused where the API does not introspect, and where it has no user', async () => {
  await using provider = await startIssuer('opaque')
  const strict = await startApi(provider.issuer, false)
  expect((await ask(strict, await tokenOfAda(provider))).status).toBe(401)
  expect(provider.requests).not.toContain('POST /token/introspection')
  const api = await startApi(provider.issuer, true)
  expect((await ask(api, await tokenOf(provider))).status).toBe(401)
  expect(provider.requests).toContain('POST /token/introspection')
})

test('an application asks the service for an access token for an API of another application, whose guard takes it', async () => {
  await using identity = await startIdentity({ listen: true })
  const api = (await startApi(identity.issuer, false)).replace('/notes', '/mine')
  const caller = await registerCaller(identity)
  const forApi = { resource: API }
  const more = { ...caller, authorizationParams: forApi, tokenParams: forApi }
  const token = await accessTokenOf(identity, more)
  const response = await ask(api, token)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    sub: expect.stringMatching(/^usr_/),
    client_id: caller.clientId,
  })

  const scope = 'openid offline_access'
  const refreshed = await accessTokenOf(identity, { ...more, scope })
  expect((await ask(api, refreshed)).status).toBe(200)
  const forOther = await startApi(identity.issuer, false, 'https://other.example')
  expect((await ask(forOther, token)).status).toBe(401)
})

test('an access token of the service that was requested without an API has no audience, and no API accepts it', async () => {
  await using identity = await startIdentity({ listen: true })
  const { issuer } = identity.clientOptions({ baseUrl: 'http://localhost:3000' })
  const token = await accessTokenOf(identity)
  const api = await startApi(String(issuer), false)
  expect((await ask(api, token)).status).toBe(401)
})
