import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { oauthProvider } from '@better-auth/oauth-provider'
import { type BetterAuthPlugin, betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import type { ApplicationUrls, Candidate, RunningProvider } from './candidate.ts'
import { close } from './servers.ts'
import { npmVersion } from './versions.ts'
import type { Visitor } from './visitor.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

/** Its type does not fit `exactOptionalPropertyTypes`, so what it adds to the API is declared here. */
const oauthPlugin = oauthProvider({
  loginPage: '/sign-in',
  consentPage: '/consent',
}) as unknown as BetterAuthPlugin

interface ClientApi {
  adminCreateOAuthClient(request: {
    headers: Headers
    body: Readonly<Record<string, unknown>>
  }): Promise<{ client_id: string; client_secret: string }>
}

/** better-auth with its plugin `@better-auth/oauth-provider`. */
export const betterAuthCandidate: Candidate = {
  provider: 'better-auth',
  version: () => npmVersion('better-auth'),
  // It wants https of web applications, on this machine too.
  isSecure: true,
  remarks:
    "The issuer ends in `/api/auth`; `userinfo: 'login'`; `enable_end_session` at the client.",
  start,
}

async function start(application: ApplicationUrls): Promise<RunningProvider> {
  const restoreFetch = sendNoticesTo(application)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const auth = betterAuth({
    baseURL: origin,
    secret: 'a secret of the provider, long enough for it',
    database: memoryAdapter(emptyTables()),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    plugins: [jwt(), oauthPlugin],
  })
  const api = auth.api as typeof auth.api & ClientApi
  const handle = toNodeHandler(auth)
  server.on('request', (req, res) => {
    if (req.url?.startsWith('/api/auth/')) void handle(req, res)
    // Both pages send JSON to the API, as those of its users do.
    else res.end('<main>page of the provider</main>')
  })
  const signedUp = await auth.api.signUpEmail({
    body: { email: EMAIL, password: PASSWORD, name: 'Ada' },
    returnHeaders: true,
  })
  const cookie = signedUp.headers.getSetCookie().map((line) => line.split(';')[0])
  const client = await api.adminCreateOAuthClient({
    headers: new Headers({ cookie: cookie.join('; ') }),
    body: {
      redirect_uris: [application.redirectUri],
      post_logout_redirect_uris: [application.postLogoutRedirectUri],
      backchannel_logout_uri: application.backchannelLogoutUri,
      backchannel_logout_session_required: true,
      enable_end_session: true,
      scope: 'openid profile email offline_access',
    },
  })
  return {
    options: {
      issuer: `${origin}/api/auth`,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      scope: 'openid profile email offline_access',
      userinfo: 'login',
    },
    email: EMAIL,
    async logIn(visitor) {
      await post(visitor, '/api/auth/sign-in/email', { email: EMAIL, password: PASSWORD })
      if (visitor.url.pathname === '/consent') {
        await post(visitor, '/api/auth/oauth2/consent', { accept: true })
      }
    },
    endSession: (visitor) => post(visitor, `${origin}/api/auth/sign-out`, {}),
    async [Symbol.asyncDispose]() {
      restoreFetch()
      await close(server)
    },
  }
}

/** Sends what a page of the provider would, and goes where the answer leads. */
async function post(visitor: Visitor, path: string, fields: object): Promise<void> {
  const target = new URL(path, visitor.url)
  const response = await visitor.send(target.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: target.origin },
    body: JSON.stringify({ ...fields, oauth_query: visitor.url.search.slice(1) || undefined }),
  })
  const answer = (await response.json()) as { url?: string; redirect?: boolean }
  if (!response.ok) throw new Error(`${target.pathname}: ${JSON.stringify(answer)}`)
  if (answer.url) await visitor.open(answer.url)
}

/** Its logout tokens go out by the global `fetch`, and the application has no proxy that ends TLS. */
function sendNoticesTo({ backchannelLogoutUri, servedAt }: ApplicationUrls): () => void {
  const direct = globalThis.fetch
  globalThis.fetch = (input, init) =>
    String(input) === backchannelLogoutUri
      ? direct(servedAt + new URL(backchannelLogoutUri).pathname, init)
      : direct(input, init)
  return () => {
    globalThis.fetch = direct
  }
}

function emptyTables(): Record<string, never[]> {
  const names =
    'user session account verification jwks oauthClient oauthAccessToken oauthRefreshToken oauthConsent'
  return Object.fromEntries(names.split(' ').map((name) => [name, []]))
}
