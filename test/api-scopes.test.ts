import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AuthOptions,
  createAuthRouter,
  getAuth,
  getUser,
  requireUser,
} from '@latchkey/express'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import express from 'express'
import { expect, test } from 'vitest'
import { createBrowser, type Page } from '../packages/service/test/issuer/support/browser.ts'
import { remember, watchServer } from './support/leaks.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const API = 'https://notes.example/api'
const issuer = 'https://login.shop.test'
const shop = 'https://shop.test'
const session = { secret: 'a session secret of the tests, long enough' }

async function listen(handler: RequestListener) {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  watchServer(server)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A tenant with a user, an application that offers an API, and one that may call it. */
async function register(service: IdentityService, more: Record<string, string> = {}) {
  const { id: tenant } = await service.admin.createTenant({
    domain: 'login.shop.test',
    settings: { developerMode: true },
  })
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const call = async (path: string, body?: object) => {
    const answer = await service.fetch(`https://api.test/v1/tenants/${tenant}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(answer.status).toBe(200)
    return (await answer.json()) as Record<string, string>
  }
  const add = (name: string, metadata: object) => {
    const redirect_urls = [`${shop}/callback`]
    return call('/applications', { type: 'Application', name, redirect_urls, metadata })
  }
  const scopes = { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' }
  await add('Notes', { latchkey_api: API, latchkey_api_scopes: JSON.stringify(scopes) })
  const caller = await add('Shop', { latchkey_resources: `{"${API}":"notes:read"}`, ...more })
  const { secret: clientSecret = '' } = await call(`/applications/${caller.id}`)
  const profile = { email: ada.email, email_verified: true, name: 'Ada Lovelace' }
  const { id: userId } = await call('/users', { type: 'User', profile })
  const password = { alg: 'plain', hash: ada.password }
  await call(`/users/${userId}/credentials`, { type: 'PasswordCredential', password })
  return { clientId: caller.id ?? '', clientSecret, userId }
}

/** The API, whose guards ask for the scopes that its application declares at the service. */
function createApi(provider: Pick<AuthOptions, 'issuer' | 'fetch'>, baseUrl: string) {
  const app = express()
  app.use(
    createAuthRouter({
      ...{ ...provider, clientId: 'notes', clientSecret: 'unused', baseUrl, session },
      bearer: { audience: API },
      logger: false,
    }),
  )
  app.get('/notes', requireUser({ accept: ['bearer'], scopes: ['notes:read'] }), (req, res) => {
    const { sub, client_id: clientId } = getUser(req)
    res.json({ sub, clientId })
  })
  const person = requireUser({
    accept: ['bearer'],
    check: (user) => user.sub !== user.client_id,
  })
  app.get('/mine', person, (_req, res) => {
    res.json({})
  })
  app.post('/notes', requireUser({ accept: ['bearer'], scopes: ['notes:write'] }), (_req, res) => {
    res.json({})
  })
  return app
}

/** The application that calls the API: it shows its token. */
function createShop(options: AuthOptions, scope: string) {
  const app = express()
  const forApi = { resource: API }
  app.use(
    createAuthRouter({
      ...{ ...options, baseUrl: shop, session, scope, logger: false },
      ...{ authorizationParams: forApi, tokenParams: forApi },
    }),
  )
  app.get('/token', requireUser(), async (req, res) => {
    res.send(await getAuth(req).accessToken())
  })
  return app
}

test('a guard with scopes lets a token of the service with the scope in, and refuses one without', async () => {
  await using service = await openService()
  const { clientId, clientSecret, userId } = await register(service)
  const provider = { issuer, fetch: service.fetch as NonNullable<AuthOptions['fetch']> }
  let api = express()
  await using server = await listen((request, response) => api(request, response))
  api = createApi(provider, server.url)
  const tokenFor = async (scope: string) => {
    const app = createShop({ ...provider, clientId, clientSecret }, scope)
    await using running = await listen(app)
    const token = await tokenOf(service, running.url)
    remember('token', token)
    return { authorization: `Bearer ${token}` }
  }
  const headers = await tokenFor('openid notes:read')
  const read = await fetch(`${server.url}/notes`, { headers })
  expect(read.status).toBe(200)
  expect(await read.json()).toEqual({ sub: userId, clientId })
  const write = await fetch(`${server.url}/notes`, { method: 'POST', headers })
  expect(write.status).toBe(403)
  expect(write.headers.get('www-authenticate')).toMatch(/insufficient_scope.*notes:write/)
  const bare = await fetch(`${server.url}/notes`, { headers: await tokenFor('openid') })
  expect(bare.status).toBe(403)
})

test('a guard with scopes lets a program in that acts for itself, and a check on sub keeps it out', async () => {
  await using service = await openService()
  const { clientId, clientSecret } = await register(service, {
    latchkey_client_credentials: 'allowed',
  })
  const provider = { issuer, fetch: service.fetch as NonNullable<AuthOptions['fetch']> }
  let api = express()
  await using server = await listen((request, response) => api(request, response))
  api = createApi(provider, server.url)
  const answer = await service.fetch(`${issuer}/oidc/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: API }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  remember('token', token)
  const headers = { authorization: `Bearer ${token}` }
  const read = await fetch(`${server.url}/notes`, { headers })
  expect([read.status, await read.json()]).toEqual([200, { sub: clientId, clientId }])
  expect((await fetch(`${server.url}/mine`, { headers })).status).toBe(403)
  expect((await fetch(`${server.url}/notes`, { method: 'POST', headers })).status).toBe(403)
})

async function openService() {
  const service = await createIdentityService({ allowDeveloperMode: true })
  return Object.assign(service, { [Symbol.asyncDispose]: () => service.close() })
}

/** Logs a user in, and reads the token that the application has. */
async function tokenOf(service: IdentityService, shopUrl: string): Promise<string> {
  const cookies: Record<string, string> = {}
  const atShop = async (path: string) => {
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
    const answer = await fetch(shopUrl + path, {
      headers: { cookie: cookie.join('; '), 'x-forwarded-proto': 'https' },
      redirect: 'manual',
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      cookies[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1)
    }
    return answer
  }
  const login = (await atShop('/login')).headers.get('location') ?? ''
  const browser = createBrowser({ url: issuer, fetch: service.fetch as never })
  const page: Page = await browser.get(login)
  const { location = '' } = await browser.submit(page, ada)
  await atShop(location.slice(shop.length))
  return (await atShop('/token')).text()
}
