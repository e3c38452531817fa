import { generateKeyPairSync } from 'node:crypto'
import { getUser, requireUser } from '@latchkey/express'
import type { Express } from 'express'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

function home(app: Express): void {
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
  })
}

async function authorizationRequest(url: string, path: string): Promise<URLSearchParams> {
  const response = await createBrowser().send(url + path)
  expect(response.status).toBe(302)
  return new URL(response.headers.get('location') as string).searchParams
}

test('login_hint and ui_locales are passed on, and nothing else that a visitor sends', async () => {
  await using site = await startSite()

  const sent = await authorizationRequest(
    site.url,
    '/login?login_hint=ada&ui_locales=fr&scope=admin&redirect_uri=https://evil.example&state=x&nonce=y&client_id=z&audience=all&request=r&response_type=token&code_challenge_method=plain',
  )

  expect(sent.get('login_hint')).toBe('ada')
  expect(sent.get('ui_locales')).toBe('fr')
  expect(sent.get('scope')).toBe('openid profile email')
  expect(sent.get('client_id')).toBe('app')
  expect(sent.get('redirect_uri')).toBe(`${site.url}/callback`)
  expect(sent.get('response_type')).toBe('code')
  expect(sent.get('code_challenge_method')).toBe('S256')
  expect(sent.get('state')).not.toBe('x')
  expect(sent.get('nonce')).not.toBe('y')
  expect(sent.has('audience')).toBe(false)
  expect(sent.has('request')).toBe(false)
  for (const name of new Set(sent.keys())) expect(sent.getAll(name)).toHaveLength(1)
})

test.each(['GET', 'POST'])(
  'a login that a portal starts by %s ends at target_link_uri, at the provider that iss names',
  async (method) => {
    await using site = await startSite(home)
    const browser = createBrowser()
    const start = (changed: Record<string, string>): Promise<Response> => {
      const sent = new URLSearchParams({
        iss: site.provider.issuer,
        login_hint: 'ada',
        target_link_uri: `${site.url}/?from=portal`,
        ...changed,
      })
      return method === 'GET'
        ? browser.send(`${site.url}/login?${sent}`)
        : browser.send(`${site.url}/login`, { method, body: sent.toString() })
    }

    const location = (await start({})).headers.get('location') as string

    expect(new URL(location).searchParams.get('login_hint')).toBe('ada')
    expect((await browser.open(location)).url.search).toBe('?from=portal')
    expect((await start({ iss: 'https://other.example' })).status).toBe(400)
    const elsewhere = await start({ target_link_uri: 'https://evil.example/' })
    const visit = await browser.open(elsewhere.headers.get('location') as string)
    expect(visit.url.href).toBe(`${site.url}/`)
  },
)

test('two applications under different paths of one origin keep their logins apart', async () => {
  const { createAuthRouter } = await import('@latchkey/express')
  const express = (await import('express')).default
  await using site = await startSite()
  const { clientId, clientSecret, issuer } = site.provider
  const app = express()
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${(server.address() as import('node:net').AddressInfo).port}`
  for (const path of ['/shop', '/blog']) {
    const session = { secret: path.padEnd(32, 's') }
    const baseUrl = origin + path
    app.use(path, createAuthRouter({ issuer, clientId, clientSecret, baseUrl, session }))
    app.get(`${path}/me`, requireUser({ respond: 'redirect' }), (req, res) => {
      res.send(`${path} ${req.auth.user?.sub}`)
    })
  }
  const browser = createBrowser()

  expect((await browser.open(`${origin}/shop/me`)).text).toBe('/shop ada')
  expect((await browser.open(`${origin}/blog/me`)).text).toBe('/blog ada')
  const again = await browser.open(`${origin}/shop/me`)

  expect(again.trail).toHaveLength(1)
  expect(again.text).toBe('/shop ada')
  server.closeAllConnections()
  server.close()
})

test('parameters smuggled through returnTo stay in returnTo', async () => {
  await using site = await startSite(home)

  const sent = await authorizationRequest(
    site.url,
    `/login?returnTo=${encodeURIComponent('/?scope=admin&prompt=none')}`,
  )

  expect(sent.get('scope')).toBe('openid profile email')
  expect(sent.has('prompt')).toBe(false)
})

test.each(['login_hint', 'returnTo', 'prompt', 'max_age', 'ui_locales'])(
  'a %s that is repeated is refused',
  async (name) => {
    await using site = await startSite()

    const response = await createBrowser().send(`${site.url}/login?${name}=1&${name}=2`)

    expect(response.status).toBe(400)
  },
)

test.each(['prompt=evil', 'max_age=soon', 'max_age=-1', `login_hint=${'a'.repeat(300)}`])(
  'the malformed parameter %s is refused',
  async (query) => {
    await using site = await startSite()

    expect((await createBrowser().send(`${site.url}/login?${query}`)).status).toBe(400)
  },
)

test('options add parameters to every login', async () => {
  await using site = await startSite(() => {}, {
    scope: 'openid offline_access',
    authorizationParams: { audience: 'https://api.example.com' },
  })

  const sent = await authorizationRequest(site.url, '/login')

  expect(sent.get('scope')).toBe('openid offline_access')
  expect(sent.get('audience')).toBe('https://api.example.com')
})

test('a silent login logs in a user who is logged in at the provider, without a question', async () => {
  await using site = await startSite(home)
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/login?prompt=none`)

  expect(visit.trail[1]).toContain('prompt=none')
  expect(visit.text).toBe('in as ada')
})

test('a silent login of a visitor whom the provider does not know returns to the page, logged out', async () => {
  await using site = await startSite(home)
  site.provider.fault = 'login_required'
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/login?prompt=none&returnTo=/?from=silent`)

  expect(visit.url.search).toBe('?from=silent')
  expect(visit.text).toBe('out')
})

test('a silent login never ends on another site, logged in or not', async () => {
  await using site = await startSite(home)
  site.provider.fault = 'login_required'

  const visit = await createBrowser().open(`${site.url}/login?prompt=none&returnTo=//evil.example`)

  expect(visit.url.origin).toBe(site.url)
})

test('a sign-up sends prompt=create if the provider supports it, and otherwise begins a login', async () => {
  await using site = await startSite()
  const plain = await authorizationRequest(site.url, '/login?prompt=create')
  await using other = await startSite()
  other.provider.metadata = { prompt_values_supported: ['none', 'login', 'create'] }
  const created = await authorizationRequest(other.url, '/login?prompt=create')

  expect(plain.has('prompt')).toBe(false)
  expect(created.get('prompt')).toBe('create')
})

test('form_post works behind a body parser that has read the form already', async () => {
  const express = (await import('express')).default
  const baseUrl = 'https://app.example.com'
  await using site = await startSite(home, { baseUrl, responseMode: 'form_post' }, (app) => {
    app.use(express.urlencoded({ extended: true }), express.json())
  })
  const browser = createBrowser({ [baseUrl]: site.url })
  const form = JSON.parse((await browser.open(`${baseUrl}/login`)).text) as {
    action: string
    fields: Record<string, string>
  }
  const answered = await browser.send(form.action, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form.fields).toString(),
  })
  await browser.open(new URL(answered.headers.get('location') as string, baseUrl).href)

  expect((await browser.open(baseUrl)).text).toBe('in as ada')
})

test('form_post: a second login ends the session of the first and keeps its data', async () => {
  const baseUrl = 'https://app.example.com'
  await using site = await startSite(
    (app) => {
      app.get('/count', requireUser(), (req, res) => {
        const data = req.session as unknown as { count?: number }
        data.count = (data.count ?? 0) + 1
        res.send(String(data.count))
      })
    },
    { baseUrl, responseMode: 'form_post' },
  )
  const browser = createBrowser({ [baseUrl]: site.url })
  const session = () =>
    [...browser.cookies].find(([key]) => key.endsWith(' __Host-latchkey'))?.[1].value
  const logIn = async (): Promise<void> => {
    const { action, fields } = JSON.parse((await browser.open(`${baseUrl}/login`)).text)
    // A browser sends no lax cookie with the form of another site.
    const login = [...browser.cookies].filter(([key]) => key.includes('latchkey.login.'))
    const cookie = login.map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; ')
    const response = await browser.send(action, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
    expect(response.status).toBe(303)
    await browser.open(new URL(response.headers.get('location') as string, baseUrl).href)
  }
  await logIn()
  const first = session()
  expect((await browser.open(`${baseUrl}/count`)).text).toBe('1')

  await logIn()

  expect(session()).not.toBe(first)
  expect((await browser.open(`${baseUrl}/count`)).text).toBe('2')
  const old = createBrowser({ [baseUrl]: site.url })
  const headers = { cookie: `__Host-latchkey=${first}` }
  expect((await old.send(`${baseUrl}/count`, { headers })).status).toBe(401)
})

test('with a pushed authorization request, the URL has no parameters of the login', async () => {
  await using site = await startSite(home)
  site.provider.metadata = { require_pushed_authorization_requests: true }
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/login`)

  const sent = new URL(visit.trail[1] as string).searchParams
  expect([...sent.keys()].sort()).toEqual(['client_id', 'request_uri'])
  expect(visit.text).toBe('in as ada')
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const ed = generateKeyPairSync('ed25519').privateKey

test.each([
  ['client_secret_basic', {}],
  ['client_secret_post', { clientAuth: 'client_secret_post' }],
  ['none', { clientAuth: 'none', clientSecret: undefined }],
  ['private_key_jwt', { clientAuth: 'private_key_jwt', clientKey: rsa }],
  ['private_key_jwt', { clientAuth: 'private_key_jwt', clientKey: ec }],
  ['private_key_jwt', { clientAuth: 'private_key_jwt', clientKey: ed }],
  [
    'private_key_jwt',
    { clientAuth: 'private_key_jwt', clientKey: rsa.export({ format: 'pem', type: 'pkcs8' }) },
  ],
] as const)(
  'the client proves itself with %s, and sends the PKCE verifier',
  async (method, options) => {
    await using site = await startSite(home, options as Parameters<typeof startSite>[1])

    expect((await createBrowser().open(`${site.url}/login`)).text).toBe('in as ada')

    const request = site.provider.requests.find(({ path }) => path === '/token')
    expect(request?.body.get('code_verifier')).toMatch(/^[\w-]{43}$/)
    expect(request?.authorization?.startsWith('Basic ') ?? false).toBe(
      method === 'client_secret_basic',
    )
    expect(request?.body.has('client_secret')).toBe(method === 'client_secret_post')
    expect(request?.body.has('client_assertion')).toBe(method === 'private_key_jwt')
  },
)

test('client_secret_post is used for a provider that supports only this method', async () => {
  await using site = await startSite(home)
  site.provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }

  expect((await createBrowser().open(`${site.url}/login`)).text).toBe('in as ada')

  const request = site.provider.requests.find(({ path }) => path === '/token')
  expect(request?.body.has('client_secret')).toBe(true)
})

test('userinfo read at login adds its claims to the user', async () => {
  await using site = await startSite(
    (app) => {
      app.get('/user', requireUser(), (req, res) => {
        res.json(req.auth.user)
      })
    },
    { userinfo: 'login' },
  )
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  expect(JSON.parse((await browser.open(`${site.url}/user`)).text)).toMatchObject({
    sub: 'ada',
    from_userinfo: true,
  })
})

test('an application mounted under a path has its routes and its callback there', async () => {
  await using site = await startSite(home)
  const baseUrl = `${site.url}/app`
  const { createAuthRouter } = await import('@latchkey/express')
  const { clientId, clientSecret, issuer } = site.provider
  const router = createAuthRouter({
    issuer,
    clientId,
    clientSecret,
    baseUrl,
    session: { secret: 's'.repeat(32), cookie: { name: 'second' } },
  })
  site.app.use('/app', router)
  site.app.get('/app/me', requireUser(), (req, res) => {
    res.send(`second ${getUser(req).sub}`)
  })
  const browser = createBrowser()

  const visit = await browser.open(`${baseUrl}/me`)

  expect(visit.text).toBe('second ada')
  expect((await browser.open(site.url)).text).toBe('out')
})
