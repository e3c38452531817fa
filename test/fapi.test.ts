import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@latchkey/core'
import {
  type AuthOptions,
  createAuthRouter,
  getAuth,
  getUser,
  requireUser,
} from '@latchkey/express'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import express from 'express'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createBrowser, type Page } from '../packages/service/test/issuer/support/browser.ts'
import { remember, watchServer } from './support/leaks.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const API = 'https://api.example'
const issuer = 'https://login.bank.test'
const shop = 'https://shop.bank.test'
const secret = 'a session secret of the tests, long enough'
// #region keys
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const clientKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const jwks = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] })
// #endregion

/** Requests to the issuer: `POST /oidc/token 200`. */
let sent: string[] = []
/** Changes responses of the token endpoint. */
let tamper = async (response: Response): Promise<Response> => response
let service: IdentityService
let api: Server
let apiUrl: string
/** Two processes of one application: they share their sessions alone. */
let shops: { server: Server; url: string }[]

async function listen(app: express.Express): Promise<{ server: Server; url: string }> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  watchServer(server)
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

beforeAll(async () => {
  service = await createIdentityService({ allowDeveloperMode: true })
  const { id: tenant } = await service.admin.createTenant({
    domain: 'login.bank.test',
    settings: { developerMode: true },
  })
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  const call = async (path: string, body: object) => {
    const answer = await service.fetch(`https://api.test/v1/tenants/${tenant}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(200)
    return (await answer.json()) as Record<string, string>
  }
  const { id: clientId = '' } = await call('/applications', {
    type: 'Application',
    name: 'Bank',
    redirect_urls: [`${shop}/callback`],
    metadata: {
      latchkey_profile: 'fapi2',
      latchkey_jwks: jwks,
      latchkey_resources: API,
    },
  })
  const profile = { email: ada.email, email_verified: true, name: 'Ada Lovelace' }
  const { id: userId } = await call('/users', { type: 'User', profile })
  const password = { alg: 'plain', hash: ada.password }
  await call(`/users/${userId}/credentials`, { type: 'PasswordCredential', password })

  const provider: AuthOptions = {
    issuer,
    clientId,
    async fetch(url, init) {
      const { pathname } = new URL(String(url))
      const received = await service.fetch(url as string, init)
      const answer = pathname === '/oidc/token' ? await tamper(received) : received
      sent.push(`${init?.method ?? 'GET'} ${pathname} ${answer.status}`)
      return answer
    },
  }
  const started = await listen(express())
  started.server.removeAllListeners('request')
  api = started.server
  apiUrl = started.url
  const resource = express()
  const ofApi = { ...provider, baseUrl: apiUrl, session: { secret } }
  {
    const app = resource
    const connection = ofApi
    // #region api
    const bearer = { audience: 'https://api.example' }
    app.use(createAuthRouter({ ...connection, profile: 'fapi2', clientKey, bearer }))
    app.all('/accounts', requireUser({ accept: ['bearer'] }), (req, res) => {
      res.json({ sub: getUser(req).sub, method: req.method })
    })
    // #endregion
  }
  api.on('request', resource)

  const store = createMemoryStore()
  const openShop = async () => {
    const app = express()
    const connection = { ...provider, baseUrl: shop, session: { secret, store } }
    // #region application
    const resource = 'https://api.example'
    app.use(
      createAuthRouter({
        ...connection,
        profile: 'fapi2',
        clientKey,
        scope: 'openid profile email offline_access',
        authorizationParams: { resource },
        tokenParams: { resource },
      }),
    )
    app.get('/accounts', requireUser(), async (req, res) => {
      const answer = await getAuth(req).fetch(`${apiUrl}/accounts`, { method: 'POST' })
      res.status(answer.status).send(await answer.text())
    })
    // #endregion
    app.get('/hello', requireUser({ respond: 'redirect' }), (req, res) => {
      res.send(`Hello ${getUser(req).name}`)
    })
    app.get('/refreshed', requireUser({ respond: 'redirect' }), async (req, res) => {
      const token = await req.auth.accessToken({ force: true })
      remember('token', token)
      res.json(token.length > 0)
    })
    app.get('/stolen', requireUser({ respond: 'redirect' }), async (req, res) => {
      const token = await req.auth.accessToken()
      const ask = (scheme: string) =>
        fetch(`${apiUrl}/accounts`, { headers: { authorization: `${scheme} ${token}` } })
      const answers = await Promise.all(['Bearer', 'DPoP'].map(ask))
      res.json(
        answers.map(({ status, headers }) => [status, headers.get('www-authenticate')] as const),
      )
    })
    return listen(app)
  }
  shops = [await openShop(), await openShop()]
})
afterEach(() => {
  tamper = async (response) => response
})
afterAll(async () => {
  for (const { server } of [...shops, { server: api }]) {
    server.closeAllConnections()
    server.close()
  }
  await service.close()
})

/** A browser that is logged in, and whose requests go to both processes in turn. */
function openBrowser() {
  let turn = 0
  const browser = createBrowser({
    url: issuer,
    fetch: (input, init) => {
      const url = new URL(input)
      if (url.origin === issuer) return service.fetch(url.href, init)
      return fetch(new URL(url.pathname + url.search, shops[turn++ % 2]?.url), init)
    },
  })
  const follow = async (from: Page): Promise<Page> => {
    let page = from
    while (page.location) page = await browser.get(new URL(page.location, page.url).href)
    return page
  }
  return { browser, follow, visit: (path: string) => browser.get(shop + path).then(follow) }
}

/** A login up to the response, which the application has not received. */
async function logInTo() {
  const { browser, visit } = openBrowser()
  const { location = '' } = await browser.submit(await visit('/hello'), ada)
  return { browser, callback: new URL(location) }
}

async function logIn() {
  const { browser, visit, follow } = openBrowser()
  const page = await browser.submit(await visit('/hello'), ada).then(follow)
  return { page, visit }
}

test('with profile: fapi2 on both sides, a visitor logs in over two processes', async () => {
  const { page } = await logIn()
  expect(page.html).toBe('Hello Ada Lovelace')
})

test('the browser takes nothing to the authorization endpoint but client_id and request_uri', async () => {
  const answer = await fetch(`${shops[0]?.url}/login`, { redirect: 'manual' })
  const url = new URL(answer.headers.get('location') ?? '')
  expect(url.pathname).toBe('/oidc/auth')
  expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
})

test('a login costs two requests to the issuer once its nonce is known: the pushed request and the code', async () => {
  await logIn()
  await logIn()
  sent = []
  await logIn()
  expect(sent).toEqual(['POST /oidc/par 201', 'POST /oidc/token 200'])
})

test('req.auth.fetch() calls an API with the access token and the proof of its key', async () => {
  const { visit } = await logIn()
  const { status, html } = await visit('/accounts')
  expect([status, JSON.parse(html)]).toEqual([200, { sub: expect.any(String), method: 'POST' }])
})

test('a stolen access token without its key is refused by the guard of the API', async () => {
  const { visit } = await logIn()
  const challenge = expect.stringMatching(/^DPoP realm=.*algs="PS256 ES256 EdDSA Ed25519"$/)
  expect(JSON.parse((await visit('/stolen')).html)).toEqual([
    [401, challenge],
    [401, challenge],
  ])
})

test('the session keeps its key when either process refreshes the tokens', async () => {
  const { visit } = await logIn()
  for (let turn = 0; turn < 3; turn++) {
    expect((await visit('/refreshed')).html).toBe('true')
    expect((await visit('/accounts')).status).toBe(200)
  }
})

test('refreshes by two processes at once all succeed', async () => {
  const { visit } = await logIn()
  const pages = await Promise.all(Array.from({ length: 6 }, () => visit('/refreshed')))
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
})

type Body = Record<string, string>

function changing(change: (body: Body) => Body) {
  return async (response: Response): Promise<Response> => {
    const { status, headers } = response
    const body = (await response.json()) as Body
    return Response.json(status === 200 ? change(body) : body, { status, headers })
  }
}

test('a login whose access token is not bound to a key is refused', async () => {
  tamper = changing((body) => ({ ...body, token_type: 'Bearer' }))
  const { page } = await logIn()
  expect([page.status, page.html]).toEqual([400, expect.stringContaining('LATCHKEY_TOKEN_INVALID')])
})

test('an ID token with RS256 is refused before its key is looked for', async () => {
  tamper = changing((body) => {
    const [head = '', ...rest] = (body.id_token ?? '').split('.')
    const header = JSON.parse(Buffer.from(head, 'base64url').toString())
    const other = Buffer.from(JSON.stringify({ ...header, alg: 'RS256' })).toString('base64url')
    return { ...body, id_token: [other, ...rest].join('.') }
  })
  const { page } = await logIn()
  expect([page.status, page.html]).toEqual([400, expect.stringContaining('LATCHKEY_TOKEN_INVALID')])
})

test('a response without "iss" is refused', async () => {
  const { callback, browser } = await logInTo()
  callback.searchParams.delete('iss')
  const page = await browser.get(callback.href)
  expect([page.status, page.html]).toEqual([
    400,
    expect.stringContaining('LATCHKEY_ISSUER_MISMATCH'),
  ])
})
