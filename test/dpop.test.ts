import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import {
  type AuthOptions,
  createAuthRouter,
  getAuth,
  getUser,
  requireUser,
} from '@latchkey/express'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import express, { type Response as ExpressResponse } from 'express'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createBrowser, type Page } from '../packages/service/test/issuer/support/browser.ts'
import { remember, watchServer } from './support/leaks.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const API = 'https://api.example'
const issuer = 'https://login.shop.test'
const shop = 'https://shop.test'
const secret = 'a session secret of the tests, long enough'

let service: IdentityService
/** Changes responses of the token endpoint. */
let tamper = (body: Record<string, unknown>) => body
let provider: AuthOptions
let apiUrl: string
let shopUrl: string
/** An API that answers a request without its current nonce by asking for it, and the bodies that it received. */
let nonceUrl: string
let nonce = 'first'
let received: string[] = []
const servers: Server[] = []

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  watchServer(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function register(): Promise<{ clientId: string; clientSecret: string }> {
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
  const { id: clientId = '' } = await call('/applications', {
    type: 'Application',
    name: 'Shop',
    redirect_urls: [`${shop}/callback`],
    metadata: { latchkey_resources: API },
  })
  const { secret: clientSecret = '' } = await call(`/applications/${clientId}`)
  const profile = { email: ada.email, email_verified: true, name: 'Ada Lovelace' }
  const { id: userId } = await call('/users', { type: 'User', profile })
  const password = { alg: 'plain', hash: ada.password }
  await call(`/users/${userId}/credentials`, { type: 'PasswordCredential', password })
  return { clientId, clientSecret }
}

beforeAll(async () => {
  service = await createIdentityService({ allowDeveloperMode: true })
  provider = {
    ...(await register()),
    issuer,
    async fetch(url, init) {
      const answer = await service.fetch(url as string, init)
      if (new URL(String(url)).pathname !== '/oidc/token' || answer.status !== 200) return answer
      const body = tamper((await answer.json()) as Record<string, unknown>)
      return Response.json(body, { headers: answer.headers })
    },
  }
  const api = express()
  apiUrl = await listen(api)
  {
    const app = api
    const connection = { ...provider, baseUrl: apiUrl, session: { secret } }
    // #region api
    const bearer = { audience: 'https://api.example', dpop: 'required' } as const
    app.use(createAuthRouter({ ...connection, bearer }))
    app.all('/notes', requireUser({ accept: ['bearer'] }), (req, res) => {
      res.json({ sub: getUser(req).sub, method: req.method })
    })
    // #endregion
  }
  const stubborn = express().post('/', async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    received.push(body)
    const [, payload = ''] = String(req.headers.dpop).split('.')
    const proof = JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (proof.nonce === nonce) return void res.end(`stored ${body}`)
    const challenge = 'DPoP error="use_dpop_nonce", algs="ES256"'
    res.writeHead(401, { 'www-authenticate': challenge, 'dpop-nonce': nonce }).end()
  })
  nonceUrl = await listen(stubborn)
  shopUrl = await listen(openShop())
})
beforeEach(() => {
  tamper = (body) => body
  received = []
})
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await service.close()
})

function openShop(): RequestListener {
  const app = express()
  const connection = { ...provider, baseUrl: shop, session: { secret }, logger: false as const }
  // #region application
  const resource = 'https://api.example'
  app.use(
    createAuthRouter({
      ...connection,
      dpop: true,
      scope: 'openid profile email offline_access',
      authorizationParams: { resource },
      tokenParams: { resource },
    }),
  )
  app.get('/notes', requireUser(), async (req, res) => {
    const answer = await getAuth(req).fetch(`${apiUrl}/notes`, { method: 'POST' })
    res.status(answer.status).send(await answer.text())
  })
  // #endregion
  app.get('/hello', requireUser({ respond: 'redirect' }), (req, res) => {
    res.send(`Hello ${getUser(req).name}`)
  })
  app.get('/refreshed', requireUser(), async (req, res) => {
    remember('token', await req.auth.accessToken({ force: true }))
    const answer = await req.auth.fetch(`${apiUrl}/notes`)
    res.send(`${answer.status}`)
  })
  app.get('/stolen', requireUser(), async (req, res) => {
    const authorization = `Bearer ${await req.auth.accessToken()}`
    const answer = await fetch(`${apiUrl}/notes`, { headers: { authorization } })
    res.send(`${answer.status} ${answer.headers.get('www-authenticate')}`)
  })
  const store = async (res: ExpressResponse, sent: Promise<Response>) => {
    try {
      res.send(await (await sent).text())
    } catch (error) {
      const { code, status, message } = error as Error & { code: string; status: number }
      res.json({ code, status, message })
    }
  }
  app.get('/stores-text', requireUser(), (req, res) =>
    store(res, req.auth.fetch(nonceUrl, { method: 'POST', body: 'text' })),
  )
  app.get('/stores-stream', requireUser(), (req, res) => {
    const body = new Blob(['stream']).stream()
    return store(
      res,
      req.auth.fetch(nonceUrl, { method: 'POST', body, duplex: 'half' } as RequestInit),
    )
  })
  app.get('/stores-node-stream', requireUser(), (req, res) => {
    const body = Readable.from(['node stream'])
    return store(
      res,
      req.auth.fetch(nonceUrl, { method: 'POST', body, duplex: 'half' } as unknown as RequestInit),
    )
  })
  app.get('/stores-aborted', requireUser(), (req, res) =>
    store(res, req.auth.fetch(nonceUrl, { method: 'POST', signal: AbortSignal.abort() })),
  )
  return app
}

async function logIn() {
  const browser = createBrowser({
    url: issuer,
    fetch: (input, init) => {
      const url = new URL(input)
      if (url.origin === issuer) return service.fetch(url.href, init)
      return fetch(new URL(url.pathname + url.search, shopUrl), init)
    },
  })
  const follow = async (from: Page): Promise<Page> => {
    let page = from
    while (page.location) page = await browser.get(new URL(page.location, page.url).href)
    return page
  }
  const visit = (path: string) => browser.get(shop + path).then(follow)
  const page = await browser.submit(await visit('/hello'), ada).then(follow)
  return { page, visit }
}

test('with dpop: true, an application with a client secret logs in and calls an API that demands proofs', async () => {
  const { page, visit } = await logIn()
  expect(page.html).toBe('Hello Ada Lovelace')
  const { status, html } = await visit('/notes')
  expect([status, JSON.parse(html)]).toEqual([200, { sub: expect.any(String), method: 'POST' }])
  expect((await visit('/refreshed')).html).toBe('200')
})

test('with bearer.dpop: required, a stolen access token is worth nothing', async () => {
  const { visit } = await logIn()
  const { html } = await visit('/stolen')
  expect(html).toMatch(/^401 DPoP realm=.*invalid_token.*algs="PS256 ES256 EdDSA Ed25519"$/)
})

test('with bearer.dpop: required, a request without a token is asked for one that is bound', async () => {
  const answer = await fetch(`${apiUrl}/notes`)
  expect(answer.headers.get('www-authenticate')).toMatch(/^DPoP realm="[^"]+", algs="PS256 /)
})

test('with dpop: true, a login whose access token is not bound to a key is refused', async () => {
  tamper = (body) => ({ ...body, token_type: 'Bearer' })
  const { page } = await logIn()
  expect([page.status, page.html]).toEqual([400, expect.stringContaining('LATCHKEY_TOKEN_INVALID')])
})

test('with dpop: true, a refresh whose access token is not bound to a key is refused, and the session stays', async () => {
  const { visit } = await logIn()
  tamper = (body) => ({ ...body, token_type: 'Bearer' })
  expect(await visit('/refreshed')).toMatchObject({
    status: 503,
    html: expect.stringContaining('the access token is not bound to a key'),
  })
  tamper = (body) => body
  expect((await visit('/refreshed')).html).toBe('200')
})

test('req.auth.fetch() sends text again with the nonce that the API asks for', async () => {
  nonce = crypto.randomUUID()
  const { visit } = await logIn()
  expect((await visit('/stores-text')).html).toBe('stored text')
  expect(received).toEqual(['text', 'text'])
})

test('req.auth.fetch() sends a stream once, and says that the API asked for a nonce', async () => {
  nonce = crypto.randomUUID()
  const { visit } = await logIn()
  expect(JSON.parse((await visit('/stores-stream')).html)).toEqual({
    code: 'LATCHKEY_BODY_SENT',
    status: 503,
    message: expect.stringMatching(/asked for a nonce.*stream/),
  })
  expect(received).toEqual(['stream'])
  expect((await visit('/stores-stream')).html).toBe('stored stream')
})

test('req.auth.fetch() sends a stream of Node, and is aborted by the signal of its caller', async () => {
  nonce = crypto.randomUUID()
  const { visit } = await logIn()
  await visit('/stores-text')
  expect((await visit('/stores-node-stream')).html).toBe('stored node stream')
  expect(JSON.parse((await visit('/stores-aborted')).html).message).toContain('aborted')
  expect(received).toEqual(['text', 'text', 'node stream'])
})
