import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import express, { type Express, type RequestHandler } from 'express'
import { serveCommands } from '../parts/child.ts'

/** An API that takes bearer tokens: `api.ts NAME ISSUER`. `/page` needs the scope `notes:read`, and says the subject. */
const [name = '', issuer = ''] = process.argv.slice(2)
const audience = 'https://notes.example.com'
const scope = 'notes:read'

interface Peer {
  auth(options: object): RequestHandler
  requiredScopes(scopes: string): RequestHandler
}

const require = createRequire(import.meta.url)

type Guard = (app: Express, baseUrl: string) => Promise<void>

/** Each as its documentation has it; all check signature, issuer, audience, times and scope. */
const guards: Record<string, Guard> = {
  async express(app) {
    app.get('/page', (_req, res) => void res.send('Hello ada'))
  },

  async jose(app) {
    const { createRemoteJWKSet, jwtVerify } = await import('jose')
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
    const wanted = { issuer, audience, typ: 'at+jwt', algorithms: ['RS256'] }
    app.get('/page', async (req, res) => {
      const [, token = ''] = req.headers.authorization?.split(' ') ?? []
      const { payload } = await jwtVerify(token, keys, wanted)
      if (!String(payload.scope).split(' ').includes(scope)) return void res.sendStatus(403)
      res.send(`Hello ${payload.sub}`)
    })
  },

  async 'express-oauth2-jwt-bearer'(app) {
    // Its types say that every `req.auth` is its own.
    const { auth, requiredScopes }: Peer = require('express-oauth2-jwt-bearer')
    app.use(auth({ issuerBaseURL: issuer, audience, strict: true, tokenSigningAlg: 'RS256' }))
    app.get('/page', requiredScopes(scope), ({ auth }: { auth?: unknown }, res) => {
      res.send(`Hello ${(auth as { payload: { sub: string } }).payload.sub}`)
    })
  },

  async latchkey(app, baseUrl) {
    const { createAuthRouter, getUser, requireUser } = await import('@latchkey/express')
    const clientSecret = 'client-secret-0123456789-client-secret'
    const session = { secret: 'session-secret-0123456789-session-secret' }
    const bearer = { audience }
    app.use(createAuthRouter({ issuer, clientId: 'app', clientSecret, baseUrl, session, bearer }))
    const guard = requireUser({ accept: ['bearer'], scopes: [scope] })
    app.get('/page', guard, (req, res) => void res.send(`Hello ${getUser(req).sub}`))
  },
}

const app = express()
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
await guards[name]?.(app, `http://127.0.0.1:${port}`)
serveCommands(port, {}, async () => server.closeAllConnections())
