import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { serveCommands } from '../parts/child.ts'

/**
 * oidc-provider with its own memory adapter and a login form of one line, as many of them as asked
 * for: `bare-issuer.ts PROVIDERS`.
 */

const [, , count = '1'] = process.argv
const server = createServer()
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo

const clients = Array.from({ length: Number(count) }, (_, n) => ({
  host: `t${n}.localhost:${port}`,
  id: 'shop',
  secret: 'secret',
}))
const handlers = new Map<string, RequestListener>()
server.on('request', (request, response) => {
  const { host = '' } = request.headers
  const handle = handlers.get(host) ?? createHandler(host)
  handlers.set(host, handle)
  handle(request, response)
})

function createHandler(host: string): RequestListener {
  const provider = createProvider(host)
  const handle = provider.callback()
  return (request, response) => {
    if (!request.url?.startsWith('/login/')) return void handle(request, response)
    if (request.method === 'GET') {
      void provider.interactionDetails(request, response).then(() => {
        response.setHeader('content-type', 'text/html')
        response.end('<form method="post"><input type="hidden" name="csrf" value="x"></form>')
      })
      return
    }
    request.resume().on('end', () => {
      const login = { accountId: 'ada' }
      void provider.interactionFinished(request, response, { login })
    })
  }
}

function createProvider(host: string): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return new Provider(`http://${host}`, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: 'shop',
        client_secret: 'secret',
        redirect_uris: ['http://localhost:3000/callback'],
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    routes: { authorization: '/oidc/auth', token: '/oidc/token' },
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' }),
    }),
    async loadExistingGrant(ctx) {
      const { oidc } = ctx
      const known = oidc.session?.grantIdFor('shop')
      if (known !== undefined) return oidc.provider.Grant.find(known)
      const grant = new oidc.provider.Grant({
        accountId: oidc.session?.accountId,
        clientId: oidc.client?.clientId,
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
  })
}

serveCommands(port, { clients: () => clients }, async () => server.close())
