import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { redirectUriFor } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

const WITHOUT_ISS = { authorization_response_iss_parameter_supported: false }

interface Tenants {
  readonly site: Site
  readonly honest: Site['provider']
  readonly malicious: Site['provider']
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * An application with two tenants, neither of whose providers names itself in its answers. The
 * malicious one sends its visitors on to the honest one.
 */
async function startTenants(shared = false): Promise<Tenants> {
  const malicious = await startMisbehavingProvider()
  let honest: Site['provider'] | undefined
  const site = await startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
      })
    },
    {
      allowPrivateIssuers: true,
      issuer(request) {
        const isVictim = request.headers.get('cookie')?.includes('tenant=malicious')
        const { issuer, clientId, clientSecret } = isVictim
          ? malicious
          : (honest as typeof malicious)
        return { issuer, clientId, clientSecret, sharedCallback: shared }
      },
    },
  )
  honest = site.provider
  honest.metadata = WITHOUT_ISS
  honest.fault = 'iss missing'
  const observed = shared ? undefined : await observe(site)
  const forwarder = createServer((req, res) => {
    const sent = new URL(req.url ?? '/', site.url).searchParams
    for (const name of ['client_id', 'redirect_uri']) {
      sent.set(name, observed?.get(name) ?? '')
    }
    res.writeHead(302, { location: `${honest.issuer}/auth?${sent}` }).end()
  })
  await new Promise<void>((resolve) => forwarder.listen(0, '127.0.0.1', resolve))
  const { port } = forwarder.address() as AddressInfo
  malicious.metadata = { ...WITHOUT_ISS, authorization_endpoint: `http://127.0.0.1:${port}/` }
  return {
    site,
    honest,
    malicious,
    async [Symbol.asyncDispose]() {
      forwarder.close()
      forwarder.closeAllConnections()
      await Promise.all([site.close(), malicious.close()])
    },
  }
}

/** What the honest provider is asked for; an attacker sees it by logging in there once. */
async function observe(site: Site): Promise<URLSearchParams> {
  const visit = await createBrowser().open(`${site.url}/login`, (url) => url.pathname === '/auth')
  return visit.url.searchParams
}

function choose(browser: Browser, site: Site, tenant: string): void {
  const { host } = new URL(site.url)
  browser.cookies.set(`${host}/ tenant`, { value: tenant, path: '/', host, attributes: '' })
}

test('a malicious tenant that forwards a visitor to an honest provider never receives the code', async () => {
  await using tenants = await startTenants()
  const { site, honest, malicious } = tenants
  const victim = createBrowser()
  choose(victim, site, 'malicious')

  const visit = await victim.open(`${site.url}/login`)

  expect(visit.trail.some((url) => url.startsWith(`${honest.issuer}/auth`))).toBe(true)
  const codes = malicious.requests.map(({ body }) => body.get('code')).filter(Boolean)
  expect(codes).toEqual([])
  expect(visit.text).toContain('LATCHKEY_ISSUER_MISMATCH')
  expect((await victim.open(site.url)).text).toBe('out')
})

test('a code sent by hand to the redirect URI of a malicious tenant is not redeemed there', async () => {
  await using tenants = await startTenants()
  const { site, malicious } = tenants
  const victim = createBrowser()
  choose(victim, site, 'honest')
  const back = await victim.open(`${site.url}/login`, (url) => url.pathname.startsWith('/callback'))
  const moved = new URL(back.url)
  moved.pathname = new URL(redirectUriFor({ baseUrl: site.url, issuer: malicious.issuer })).pathname

  const visit = await victim.open(moved.href)

  expect(visit.text).toContain('LATCHKEY_ISSUER_MISMATCH')
  expect(malicious.count('/token')).toBe(0)
})

test('each issuer of an issuer function has a redirect URI of its own, which redirectUriFor tells', async () => {
  await using tenants = await startTenants()
  const { site, honest, malicious } = tenants
  const sent = (await observe(site)).get('redirect_uri')

  expect(sent).toBe(redirectUriFor({ baseUrl: site.url, issuer: honest.issuer }))
  expect(sent).toMatch(/\/callback\/[\da-f]{24}$/)
  expect(redirectUriFor({ baseUrl: site.url, issuer: malicious.issuer })).not.toBe(sent)
  expect((await createBrowser().open(`${site.url}/login`)).url.href).toBe(`${site.url}/`)
})

test('a provider that names itself in its answers may share the callback', async () => {
  await using tenants = await startTenants(true)
  const { site, honest } = tenants
  honest.metadata = {}
  honest.fault = undefined
  const browser = createBrowser()

  const visit = await browser.open(`${site.url}/login`)

  expect(visit.trail.some((url) => url.startsWith(`${site.url}/callback?`))).toBe(true)
  expect(visit.text).toBe('in as ada')
})

test('a provider that does not name itself in its answers may not share the callback', async () => {
  await using tenants = await startTenants(true)
  const browser = createBrowser()

  const visit = await browser.open(`${tenants.site.url}/login`)

  expect(visit.text).toContain('LATCHKEY_PROVIDER_INVALID')
  expect(visit.trail).toHaveLength(1)
})
