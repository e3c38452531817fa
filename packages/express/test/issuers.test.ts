import { createNodeTransport } from '@latchkey/core/node'
import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { expect, test } from 'vitest'
import { fetchOver } from '../../../test/support/fetch-over.ts'
import { isPublicAddress } from '../../core/src/node/address-guard.ts'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

/** An application that takes the tenant from a cookie of its own, and the tenant's provider with it. */
async function startTenants(): Promise<{
  site: Site
  other: Awaited<ReturnType<typeof startMisbehavingProvider>>
}> {
  const other = await startMisbehavingProvider()
  let site: Site | undefined
  site = await startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
      })
      app.get('/private', requireUser({ respond: 'redirect' }), (req, res) => {
        res.send(`private ${getUser(req).sub}`)
      })
    },
    {
      allowPrivateIssuers: true,
      issuer: (request) => {
        const second = request.headers.get('cookie')?.includes('tenant=second')
        const { issuer, clientId, clientSecret } = second ? other : (site as Site).provider
        return { issuer, clientId, clientSecret }
      },
    },
  )
  return { site, other }
}

function choose(browser: Browser, site: Site, tenant: string): void {
  const { host } = new URL(site.url)
  browser.cookies.set(`${host}/ tenant`, { value: tenant, path: '/', host, attributes: '' })
}

test('each tenant logs in at its own provider', async () => {
  const { site, other } = await startTenants()
  other.user = { sub: 'olga' }
  const browser = createBrowser()

  choose(browser, site, 'first')
  expect((await browser.open(`${site.url}/private`)).text).toBe('private ada')
  choose(browser, site, 'second')
  expect((await browser.open(`${site.url}/private`)).text).toBe('private olga')
  await Promise.all([site.close(), other.close()])
})

test('the issuer function is called once for each request', async () => {
  let calls = 0
  let site: Site | undefined
  site = await startSite(
    (app) => {
      app.get('/everything', requireUser({ respond: 'redirect' }), async (req, res) => {
        await req.auth.accessToken()
        await req.auth.fetchUserInfo()
        await req.auth.refreshUser()
        await req.auth.login({ prompt: 'none' })
        res.locals.sent = true
      })
    },
    {
      allowPrivateIssuers: true,
      userinfo: 'login',
      issuer() {
        calls++
        const { issuer, clientId, clientSecret } = (site as Site).provider
        return { issuer, clientId, clientSecret }
      },
    },
  )
  const browser = createBrowser()
  const callsOf = async (path: string): Promise<number> => {
    calls = 0
    await browser.open(site.url + path, () => true)
    return calls
  }

  const begun = await browser.open(`${site.url}/login`, ({ pathname }) => pathname === '/auth')
  const back = await browser.open(begun.url.href, ({ pathname }) =>
    pathname.startsWith('/callback'),
  )

  for (const path of [back.url.pathname + back.url.search, '/everything', '/session']) {
    expect({ path, calls: await callsOf(path) }).toEqual({ path, calls: 1 })
  }
  await site.close()
})

test('a session of one tenant is not valid at another', async () => {
  const { site, other } = await startTenants()
  const browser = createBrowser()
  choose(browser, site, 'first')
  await browser.open(`${site.url}/login`)
  expect((await browser.open(site.url)).text).toBe('in as ada')

  choose(browser, site, 'second')

  expect((await browser.open(site.url)).text).toBe('out')
  const visit = await browser.open(`${site.url}/private`, (url) => url.pathname === '/auth')
  expect(visit.url.origin).toBe(other.issuer)
  await Promise.all([site.close(), other.close()])
})

test('a login begun with one provider cannot be finished with another', async () => {
  const { site, other } = await startTenants()
  const browser = createBrowser()
  choose(browser, site, 'first')
  const begun = await browser.open(`${site.url}/login`, (url) =>
    url.pathname.startsWith('/callback/'),
  )

  choose(browser, site, 'second')
  const visit = await browser.open(begun.url.href)

  expect(visit.text).toContain('LATCHKEY_ISSUER_MISMATCH')
  expect(other.count('/token')).toBe(0)
  await Promise.all([site.close(), other.close()])
})

test('a login begun with one provider cannot be finished with another that sends no iss', async () => {
  const { site, other } = await startTenants()
  for (const provider of [site.provider, other]) {
    provider.metadata = { authorization_response_iss_parameter_supported: false }
    provider.fault = 'iss missing'
  }
  const browser = createBrowser()
  choose(browser, site, 'first')
  const begun = await browser.open(`${site.url}/login`, (url) =>
    url.pathname.startsWith('/callback/'),
  )

  choose(browser, site, 'second')
  const visit = await browser.open(begun.url.href)

  expect(visit.text).toContain('LATCHKEY_ISSUER_MISMATCH')
  expect(other.count('/token')).toBe(0)
  await Promise.all([site.close(), other.close()])
})

test('a code of one provider is never sent to another, regardless of iss', async () => {
  const { site, other } = await startTenants()
  const browser = createBrowser()
  choose(browser, site, 'first')
  const begun = await browser.open(`${site.url}/login`, (url) =>
    url.pathname.startsWith('/callback/'),
  )
  const forged = new URL(begun.url)
  forged.searchParams.set('iss', other.issuer)

  const visit = await browser.open(forged.href)

  expect(visit.text).toContain('LATCHKEY_ISSUER_MISMATCH')
  expect(other.requests).toEqual([])
  expect(site.provider.count('/token')).toBe(0)
  await Promise.all([site.close(), other.close()])
})

test.each([
  'http://login.example.com',
  'http://127.0.0.1:8080',
  'https://127.0.0.1',
  'https://[::1]',
  'https://10.0.0.1',
  'https://169.254.169.254',
  'https://[::ffff:10.0.0.1]',
  'https://2130706433',
  'https://0x7f.1',
  'https://localhost',
  'https://user:password@login.example.com',
  'ftp://login.example.com',
  'nonsense',
])('a tenant cannot make this server call %s', async (issuer) => {
  await using site = await startSite(() => {}, {
    issuer: () => ({ issuer, clientId: 'app', clientSecret: 'secret' }),
  })

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(visit.response.status).toBeGreaterThanOrEqual(500)
  expect(visit.trail).toHaveLength(1)
})

test('a resolver that names no provider is an error of the configuration, and lets no request in', async () => {
  await using site = await startSite(
    (app) => {
      app.get('/private', requireUser({ respond: 'redirect' }), (_req, res) => {
        res.send('private')
      })
    },
    { issuer: () => undefined as never },
  )

  expect((await createBrowser().open(`${site.url}/private`)).response.status).toBe(500)
})

test.each([
  ['8.8.8.8', true],
  ['93.184.216.34', true],
  ['2606:4700::1111', true],
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['172.16.0.1', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['::127.0.0.1', false],
  ['64:ff9b::7f00:1', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['ff02::1', false],
  ['::ffff:0:7f00:1', false],
  ['3fff::1', false],
  ['fe80::1%lo', false],
  ['localhost', false],
  ['', false],
])('%s is a public address: %s', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected)
})

test('a name that ends in .localhost is this machine, as in a browser', async () => {
  const provider = await startMisbehavingProvider()
  const fetch = fetchOver(createNodeTransport())
  const { port } = new URL(provider.issuer)

  const response = await fetch(`http://acme.localhost:${port}/jwks`)

  expect(response.status).toBe(200)
  expect(await response.json()).toHaveProperty('keys')
  await provider.close()
})

test('two routers in one application share nothing', async () => {
  await using first = await startSite()
  const second = createAuthRouter({
    issuer: first.provider.issuer,
    clientId: 'other',
    clientSecret: 'secret',
    baseUrl: first.url,
    session: { secret: 'o'.repeat(32), cookie: { name: 'other' } },
    routes: { login: '/other/login', callback: '/other/callback' },
  })
  first.app.use(second)
  const browser = createBrowser()
  await browser.open(`${first.url}/login`)

  const response = await browser.send(`${first.url}/other/login`)

  expect(response.headers.get('location')).toContain('client_id=other')
  expect(second.health().provider).toBe('ok')
})
