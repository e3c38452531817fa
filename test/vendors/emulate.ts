import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter, requireUser } from '@latchkey/express'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import express from 'express'
import { close } from '../interop/servers.ts'
import { createVisitor, type Visitor } from '../interop/visitor.ts'
import type { Vendor } from './vendor.ts'

/** A vendor under its own host name, and an application that has it for its provider. */
export interface Emulation extends AsyncDisposable {
  readonly visitor: Visitor
  readonly provider: MisbehavingProvider
  readonly errors: { readonly code: string; readonly message: string; readonly remedy?: string }[]
  /** Opens the protected page of the application and comes back from the vendor. */
  logIn(): Promise<void>
  /** The authorization request of the latest login. */
  request(): URL
  /** Logs out; where the application sends the visitor. */
  logOut(): Promise<URL>
}

const BASE_URL = 'https://app.example.com'
const WAY_TO_VENDOR = 'https://app.example.com/vendor'

/** Emulates a vendor: the kit reaches its addresses by the option `fetch`. */
export async function emulate(vendor: Vendor): Promise<Emulation> {
  const provider = await startMisbehavingProvider()
  provider.metadata = { ...withoutDefaults, ...vendor.metadata }
  provider.user = { iss: vendor.metadata.issuer, sub: 'ada', ...vendor.claims }
  provider.fault = vendor.signsWithSecret ? 'id_token with alg HS256' : undefined
  const { server, errors } = await startApplication(vendor, provider)
  const servedAt = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const visitor = createVisitor({ [BASE_URL]: servedAt })
  let request = new URL(WAY_TO_VENDOR)
  return {
    visitor,
    provider,
    errors,
    request: () => request,
    async logIn() {
      const login = await visitor.send(`${BASE_URL}/login?returnTo=/profile`)
      const location = login.headers.get('location')
      if (location === null) return
      request = new URL(location)
      const answer = await answerOf(vendor, provider, request)
      if (vendor.options.responseMode === 'form_post') await comeBackByPost(visitor, answer)
      else await visitor.open(`${BASE_URL}/callback?${answer}`)
    },
    async logOut() {
      const answer = await visitor.send(`${BASE_URL}/logout`, {
        method: 'POST',
        headers: { origin: BASE_URL, 'sec-fetch-site': 'same-origin' },
      })
      return new URL(answer.headers.get('location') ?? '', BASE_URL)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([close(server), provider.close()])
    },
  }
}

/** Of the misbehaving provider's own document; a vendor has what it says it has. */
const withoutDefaults = {
  token_endpoint: undefined,
  userinfo_endpoint: undefined,
  end_session_endpoint: undefined,
  pushed_authorization_request_endpoint: undefined,
  authorization_response_iss_parameter_supported: undefined,
}

async function startApplication(
  vendor: Vendor,
  provider: MisbehavingProvider,
): Promise<{ server: Server; errors: Emulation['errors'] }> {
  const errors: Emulation['errors'] = []
  const app = express()
  app.set('env', 'test')
  app.use(
    createAuthRouter({
      ...vendor.options,
      clientId: provider.clientId,
      clientSecret: vendor.options.clientSecret ?? provider.clientSecret,
      baseUrl: BASE_URL,
      session: { secret: 'the session secret of the emulated vendors' },
      fetch: vendorFetch(vendor, provider),
      hooks: { ...vendor.options.hooks, onError: (error) => void errors.push(error) },
    }),
  )
  app.get('/profile', requireUser(), (req, res) => void res.json(req.auth.user))
  if (vendor.role) {
    app.get(
      '/role',
      requireUser({ roles: [vendor.role] }),
      (_req, res) => void res.send('admitted'),
    )
  }
  app.get('/', (_req, res) => void res.send('home'))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, errors }
}

/** Leads the addresses of the vendor to the emulation, and changes what comes back. */
function vendorFetch(vendor: Vendor, provider: MisbehavingProvider): typeof fetch {
  const { metadata, change = {}, hasDiscovery = true } = vendor
  const issuer = String(vendor.options.issuer).replace(/\/$/, '')
  const wellKnown = '/.well-known/openid-configuration'
  const document = String(vendor.options.discoveryUrl ?? issuer + wellKnown)
  const paths: Record<string, string> = {
    [hasDiscovery ? document : '']: wellKnown,
    [metadata.jwks_uri]: '/jwks',
    [metadata.token_endpoint ?? '']: '/token',
    [metadata.userinfo_endpoint ?? '']: '/userinfo',
  }
  return async (input, init) => {
    const path = paths[String(input)]
    if (!path) return new Response('there is nothing at this address', { status: 404 })
    const response = await fetch(provider.issuer + path, init)
    const body = (await response.json()) as Record<string, unknown>
    if (path === '/jwks') {
      const keys = (body.keys as Record<string, unknown>[]).map(change.key ?? ((key) => key))
      return Response.json({ keys: change.keys?.(keys) ?? keys })
    }
    if (path === '/token' && change.token) {
      const changed = change.token(body, new URLSearchParams(String(init?.body)))
      return Response.json(changed.body, { status: changed.status ?? response.status })
    }
    return Response.json(body, { status: response.status, headers: headersOf(response) })
  }
}

function headersOf(response: Response): Record<string, string> {
  const challenge = response.headers.get('www-authenticate')
  return challenge ? { 'www-authenticate': challenge } : {}
}

/** What the vendor sends back with the visitor. */
async function answerOf(
  vendor: Vendor,
  provider: MisbehavingProvider,
  request: URL,
): Promise<URLSearchParams> {
  const query = new URLSearchParams(request.search)
  query.delete('response_mode')
  const response = await fetch(`${provider.issuer}/auth?${query}`, { redirect: 'manual' })
  const answer = new URL(response.headers.get('location') ?? '').searchParams
  if (vendor.sendsIss) answer.set('iss', vendor.metadata.issuer)
  else answer.delete('iss')
  return answer
}

async function comeBackByPost(visitor: Visitor, answer: URLSearchParams): Promise<void> {
  const response = await visitor.send(`${BASE_URL}/callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: answer.toString(),
  })
  const location = response.headers.get('location')
  if (location) await visitor.open(new URL(location, BASE_URL).href)
}
