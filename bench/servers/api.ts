import { createHash, hash } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import express, { type Express, type Request, type RequestHandler } from 'express'
import { serveCommands } from '../parts/child.ts'

/**
 * An API that takes bearer tokens: `api.ts NAME ISSUER KIND`. `/page` needs the scope `notes:read`, and says the subject.
 * KIND: `jwt`, `proof` for JWTs that are bound to a key (DPoP), `opaque` for tokens that the issuer is asked about.
 */
const [name = '', issuer = '', kind = 'jwt'] = process.argv.slice(2)
const audience = 'https://notes.example.com'
const scope = 'notes:read'

interface Peer {
  auth(options: object): RequestHandler
  requiredScopes(scopes: string): RequestHandler
}

const require = createRequire(import.meta.url)

type Guard = (app: Express, baseUrl: string) => Promise<void>

const clientSecret = 'client-secret-0123456789-client-secret'

/** Each as its documentation has it; all check signature or state, issuer, audience, times, proof and scope. */
const guards: Record<string, Guard> = {
  async express(app) {
    app.get('/page', (_req, res) => void res.send('Hello ada'))
  },

  async jose(app, baseUrl) {
    const { calculateJwkThumbprint, createRemoteJWKSet, EmbeddedJWK, jwtVerify } = await import(
      'jose'
    )
    /** The proofs of the last minutes: when each came. */
    const used = new Map<string, number>()
    const checkProof = async (req: Request, token: string, cnf: unknown) => {
      const options = { typ: 'dpop+jwt', algorithms: ['ES256'], maxTokenAge: 60 }
      const proof = await jwtVerify(String(req.headers.dpop), EmbeddedJWK, options)
      const { htm, htu, ath, jti } = proof.payload
      const jkt = await calculateJwkThumbprint(proof.protectedHeader.jwk ?? {})
      const once = hash('sha256', `${jkt} ${jti}`, 'base64url')
      const good =
        htm === req.method &&
        htu === `${baseUrl}${req.path}` &&
        ath === createHash('sha256').update(token).digest('base64url') &&
        jkt === (cnf as { jkt?: string }).jkt &&
        !used.has(once)
      if (!good) throw new Error('The proof does not fit.')
      used.set(once, Date.now())
      for (const [key, at] of used) {
        if (at > Date.now() - 180_000) break
        used.delete(key)
      }
    }
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
    const wanted = { issuer, audience, typ: 'at+jwt', algorithms: ['RS256'] }
    app.get('/page', async (req, res) => {
      const [, token = ''] = req.headers.authorization?.split(' ') ?? []
      const { payload } = await jwtVerify(token, keys, wanted)
      if (kind === 'proof') await checkProof(req, token, payload.cnf)
      if (!String(payload.scope).split(' ').includes(scope)) return void res.sendStatus(403)
      res.send(`Hello ${payload.sub}`)
    })
  },

  async 'express-oauth2-jwt-bearer'(app) {
    // Its types say that every `req.auth` is its own.
    const { auth, requiredScopes }: Peer = require('express-oauth2-jwt-bearer')
    const dpop = { enabled: kind === 'proof', required: kind === 'proof' }
    app.use(auth({ issuerBaseURL: issuer, audience, strict: true, tokenSigningAlg: 'RS256', dpop }))
    app.get('/page', requiredScopes(scope), ({ auth }: { auth?: unknown }, res) => {
      res.send(`Hello ${(auth as { payload: { sub: string } }).payload.sub}`)
    })
  },

  async 'openid-client'(app) {
    const { allowInsecureRequests, discovery, tokenIntrospection } = await import('openid-client')
    const execute = [allowInsecureRequests]
    const client = await discovery(new URL(issuer), 'app', clientSecret, undefined, { execute })
    app.get('/page', async (req, res) => {
      const [, token = ''] = req.headers.authorization?.split(' ') ?? []
      const claims = await tokenIntrospection(client, token)
      if (!claims.active || claims.aud !== audience || Number(claims.exp) * 1_000 < Date.now()) {
        return void res.sendStatus(401)
      }
      if (!String(claims.scope).split(' ').includes(scope)) return void res.sendStatus(403)
      res.send(`Hello ${claims.sub}`)
    })
  },

  async latchkey(app, baseUrl) {
    const { createAuthRouter, getUser, requireUser } = await import('@latchkey/express')
    const session = { secret: 'session-secret-0123456789-session-secret' }
    const bearer = {
      audience,
      introspection: kind === 'opaque',
      ...(kind === 'proof' && { dpop: 'required' as const }),
    }
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
