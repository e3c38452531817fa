import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthOptions } from '@latchkey/express'
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider'
import type { ApplicationUrls, RunningProvider } from './candidate.ts'
import { close } from './servers.ts'

/** What one configuration changes. */
export interface Setup {
  readonly configuration?: Configuration
  readonly client?: Partial<ClientMetadata>
  /** The application's settings beside the client's credentials; a function gets the issuer. */
  readonly options?: AuthOptions | ((issuer: string) => AuthOptions)
  /** The path of the issuer; default none. */
  readonly path?: string
  /** Called with the provider once it is made. */
  readonly prepare?: (provider: Provider) => void
}

type Jwks = NonNullable<Configuration['jwks']>

const SECRET = 'a client secret of 0123456789 letters - with _ all . signs ~ and + % & ='

/** Keys of the provider, one for each way to sign. */
export const keys: Jwks = {
  keys: [
    jwk(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'rsa'),
    jwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'p256'),
    jwk(generateKeyPairSync('ed25519').privateKey, 'ed25519'),
  ],
}

/** Starts oidc-provider with its own pages for login, consent and logout. */
export async function startOidcProvider(
  application: ApplicationUrls,
  setup: Setup = {},
): Promise<RunningProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { path = '' } = setup
  const issuer = `http://127.0.0.1:${port}${path}`
  const provider = new Provider(issuer, configurationOf(application, setup))
  setup.prepare?.(provider)
  server.on('request', mounted(provider, path))
  return {
    options: {
      issuer,
      clientId: 'app',
      clientSecret: SECRET,
      scope: 'openid profile email offline_access',
      // oidc-provider gives out refresh tokens for `offline_access` only with a consent of this login.
      authorizationParams: { prompt: 'consent' },
      ...(typeof setup.options === 'function' ? setup.options(issuer) : setup.options),
    },
    email: 'ada@example.com',
    async logIn(visitor) {
      await visitor.submit({ login: 'ada', password: 'any password' })
      await visitor.submit({ prompt: 'consent' })
    },
    confirmLogout: (visitor) => visitor.submit({}, 'logout'),
    async endSession(visitor) {
      await visitor.open(`${issuer}/session/end`)
      await visitor.submit({}, 'logout')
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

function configurationOf(application: ApplicationUrls, setup: Setup): Configuration {
  const { features, ...configuration } = setup.configuration ?? {}
  return {
    clients: [
      {
        client_id: 'app',
        client_secret: SECRET,
        redirect_uris: [application.redirectUri],
        post_logout_redirect_uris: [application.postLogoutRedirectUri],
        backchannel_logout_uri: application.backchannelLogoutUri,
        backchannel_logout_session_required: true,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        ...setup.client,
      },
    ],
    jwks: keys,
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: 'Ada', email: `${id}@example.com` }),
    }),
    // Its own dispatcher refuses to call loopback addresses, where this application is.
    fetch: (url, { dispatcher: _its, ...init } = {}) => {
      const { origin } = new URL(application.redirectUri)
      return fetch(String(url).replace(origin, application.servedAt), init)
    },
    features: { backchannelLogout: { enabled: true }, ...features },
    cookies: { keys: ['cookie key of the provider'] },
    ttl: { AccessToken: 600, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
    ...configuration,
  }
}

function mounted(
  provider: Provider,
  path: string,
): (req: IncomingMessage, res: ServerResponse) => void {
  const answer = provider.callback()
  return (req, res) => {
    // As Express does it for what is mounted at a path.
    const mountedRequest = req as IncomingMessage & { originalUrl?: string; baseUrl?: string }
    mountedRequest.originalUrl = req.url ?? '/'
    if (path !== '' && req.url?.startsWith(path)) {
      mountedRequest.baseUrl = path
      req.url = req.url.slice(path.length) || '/'
    }
    void answer(req, res)
  }
}

/** A key as the provider and its clients are told of it. */
export function jwk(key: KeyObject, kid: string): Jwks['keys'][number] {
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig' } as Jwks['keys'][number]
}
