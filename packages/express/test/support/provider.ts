import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { remember } from '../../../../test/support/leaks.ts'

/** A provider of another make, on a loopback port of its own. */
export interface TestProvider {
  readonly issuer: string
  readonly provider: Provider
  readonly server: Server
  /** Every request that came in, as `METHOD /path`. */
  readonly requests: string[]
  /** Who logs in at the login page. */
  user: string
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export const CLIENT = { clientId: 'app', clientSecret: 'app-secret-0123456789-app-secret' }

const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const jwks = { keys: [{ ...signingKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' }] }

/** Starts oidc-provider with one client; whoever comes to its login page is logged in as `user`. */
export async function startProvider(
  redirectUris: string[],
  more: Configuration = {},
): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configuration(redirectUris, more))
  const requests: string[] = []
  const state: TestProvider = {
    issuer,
    provider,
    server,
    requests,
    user: 'ada',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    [Symbol.asyncDispose]: () => state.close(),
  }
  provider.on('authorization_code.saved', ({ jti }) => remember('token', jti))
  provider.on('grant.success', ({ body, oidc }) => {
    const { access_token, refresh_token, id_token } = body as Record<string, string | undefined>
    remember('token', access_token, refresh_token, id_token)
    remember('token', (oidc.params as Record<string, string | undefined>).code_verifier)
  })
  const answer = provider.callback()
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    requests.push(`${req.method} ${req.url?.split('?')[0]}`)
    if (!req.url?.startsWith('/interaction/')) return void answer(req, res)
    interact(provider, state.user, req, res).catch((error) => res.writeHead(500).end(String(error)))
  })
  return state
}

async function interact(
  provider: Provider,
  user: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(req, res)
  if (prompt.name === 'login') {
    return provider.interactionFinished(req, res, { login: { accountId: user, acr: 'pwd' } })
  }
  const grant = new provider.Grant({
    accountId: session?.accountId as string,
    clientId: params.client_id as string,
  })
  grant.addOIDCScope(String(params.scope))
  const grantId = await grant.save()
  return provider.interactionFinished(
    req,
    res,
    { consent: { grantId } },
    { mergeWithLastSubmission: true },
  )
}

function configuration(redirectUris: string[], more: Configuration): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: redirectUris,
        post_logout_redirect_uris: redirectUris.map((uri) => `${new URL(uri).origin}/`),
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    jwks: jwks as NonNullable<Configuration['jwks']>,
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `Name of ${id}`, email: `${id}@example.com` }),
    }),
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['provider-cookie-key'] },
    ttl: { AccessToken: 600, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
    ...more,
  }
}
