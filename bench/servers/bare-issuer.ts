import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { serveCommands } from '../parts/child.ts'

/** oidc-provider with its own memory adapter and a login form of one line. */

const client = { host: '', id: 'shop', secret: 'secret' }
const server = createServer()
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
client.host = `localhost:${port}`

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const provider = new Provider(`http://${client.host}`, {
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
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
    const known = oidc.session?.grantIdFor(client.id)
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
const handle = provider.callback()
server.on('request', (request, response) => {
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
})

serveCommands(port, { clients: () => [client] }, async () => server.close())
