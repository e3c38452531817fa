import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  authorizationResponse,
  discoveryDocument,
  issuerName,
  keySet,
} from './misbehaving/answers.ts'
import { answerBadly, breakHttp } from './misbehaving/network.ts'
import type {
  JsonAnswer,
  MisbehavingProvider,
  MisbehavingProviderOptions,
  ProviderRequest,
} from './misbehaving/provider.ts'
import { isClient, networkFault, shownBy, tokenError } from './misbehaving/requests.ts'
import { close, json, jsonText, listen, readAll } from './misbehaving/server.ts'
import { ownKeys, signIdToken, signJwt } from './misbehaving/signing.ts'

export type { Fault } from './misbehaving/faults.ts'
export type {
  JsonAnswer,
  MisbehavingProvider,
  MisbehavingProviderOptions,
  ProviderRequest,
} from './misbehaving/provider.ts'

interface Grant {
  readonly nonce: string | undefined
  readonly codeChallenge: string | undefined
  readonly claims: Record<string, unknown>
  readonly authTime: number
  readonly sid: string
}

const CLIENT_SECRET = 'client-secret-that-nobody-may-ever-see'

/** Starts a misbehaving provider on a free loopback port. */
export async function startMisbehavingProvider(
  options: MisbehavingProviderOptions = {},
): Promise<MisbehavingProvider> {
  let server = createServer(listener)
  const port = await listen(server, 0)
  const url = `http://127.0.0.1:${port}`
  const issuer = options.issuer ?? url
  const { origin, pathname } = new URL(issuer)
  const base = pathname.replace(/\/$/, '')
  const keys = ownKeys()
  let key = keys.take('first')
  const codes = new Map<string, Grant>()
  const refreshTokens = new Map<string, Grant>()
  const pushed = new Map<string, URLSearchParams>()
  const accessTokens = new Map<string, Grant>()
  const sids: string[] = []
  let held: (() => void)[] = []

  const provider: MisbehavingProvider = {
    issuer,
    url,
    fetch: (input, init) => fetch(String(input).replace(origin, url), init),
    clientId: 'app',
    clientSecret: CLIENT_SECRET,
    fault: undefined,
    user: { sub: 'ada', name: 'Ada', email: 'ada@example.com' },
    metadata: {},
    accessTokenSeconds: 600,
    errorDescription: undefined,
    tokenAnswer: undefined,
    rewrite: undefined,
    requests: [],
    secrets: [CLIENT_SECRET],
    count: (path) => provider.requests.filter((request) => request.path === path).length,
    rotateKey(alg) {
      key = keys.take(randomBytes(6).toString('hex'), alg)
    },
    logoutToken(claims, header) {
      const now = Math.floor(Date.now() / 1000)
      const all = {
        iss: issuer,
        aud: provider.clientId,
        iat: now,
        ...(provider.fault === 'logout token without exp' ? {} : { exp: now + 120 }),
        jti: randomBytes(9).toString('hex'),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      }
      const token = signJwt(all, key, { typ: 'logout+jwt', ...header })
      provider.secrets.push(token)
      return token
    },
    accessToken(claims, header) {
      const now = Math.floor(Date.now() / 1000)
      const all = {
        ...{ iss: issuer, aud: 'https://api.example', sub: String(provider.user.sub) },
        ...{ iat: now, exp: now + provider.accessTokenSeconds, client_id: 'mobile' },
        jti: randomBytes(9).toString('hex'),
        ...claims,
      }
      const token = signJwt(all, key, { typ: 'at+jwt', ...header })
      provider.secrets.push(token)
      return token
    },
    issuedSids: () => [...sids],
    release() {
      provider.fault = undefined
      for (const resume of held) resume()
      held = []
    },
    stop: () => close(server),
    async start() {
      server = createServer(listener)
      await listen(server, port)
    },
    close: end,
    [Symbol.asyncDispose]: end,
  }

  async function end(): Promise<void> {
    await close(server)
    keys.release()
  }

  function listener(req: IncomingMessage, res: ServerResponse): void {
    serve(req, res).catch((error) => {
      res.statusCode = 500
      res.end(String(error))
    })
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', issuer)
    const path = url.pathname.replace(base, '')
    const request: ProviderRequest = {
      method: req.method ?? 'GET',
      path,
      query: url.searchParams,
      body: new URLSearchParams(await readAll(req)),
      authorization: req.headers.authorization,
    }
    provider.requests.push(request)
    provider.secrets.push(...shownBy(request))
    const bad = networkFault(provider.fault, path)
    if (bad === 'delayed') await new Promise<void>((resume) => held.push(resume))
    else if (bad) return answerBadly(bad, res)
    // A client that is gone by now needs no answer.
    if (req.socket.destroyed) return
    switch (path) {
      case '/.well-known/openid-configuration':
        if (provider.fault === 'discovery redirects to a slash') {
          res.writeHead(301, { location: `${url.pathname}/` })
          res.end()
          return
        }
        return send(res, 'discovery', discoveryDocument(provider))
      case '/.well-known/openid-configuration/':
        return send(res, 'discovery', discoveryDocument(provider))
      case '/jwks':
        return send(res, 'jwks', keySet(provider.fault, key))
      case '/auth':
        return authorize(request, res)
      case '/par': {
        const id = `urn:request:${randomBytes(9).toString('hex')}`
        pushed.set(id, request.body)
        return json(res, { request_uri: id, expires_in: 60 }, 201)
      }
      case '/token':
        return token(request, res)
      case '/userinfo':
        return userinfo(request, res)
      case '/logout':
        res.writeHead(200, { 'content-type': 'text/html' })
        res.end('<main>logged out</main>')
        return
      default:
        res.writeHead(404)
        res.end()
    }
  }

  function rewritten(answer: JsonAnswer, text: string): string {
    return provider.rewrite?.(answer, text) ?? text
  }

  function send(res: ServerResponse, answer: JsonAnswer, body: unknown): void {
    jsonText(res, rewritten(answer, JSON.stringify(body)))
  }

  function authorize({ query }: ProviderRequest, res: ServerResponse): void {
    const parameters = pushed.get(query.get('request_uri') ?? '') ?? query
    const code = randomBytes(16).toString('hex')
    provider.secrets.push(code)
    codes.set(code, {
      nonce: parameters.get('nonce') ?? undefined,
      codeChallenge: parameters.get('code_challenge') ?? undefined,
      claims: { ...provider.user },
      authTime: Math.floor(Date.now() / 1000),
      sid: newSid(sids),
    })
    const answer = authorizationResponse(
      provider.fault,
      issuer,
      code,
      parameters.get('state') ?? '',
    )
    const redirectUri = parameters.get('redirect_uri') ?? issuer
    if (parameters.get('response_mode') === 'form_post') {
      json(res, { action: redirectUri, fields: Object.fromEntries(answer) })
      return
    }
    res.writeHead(302, { location: `${redirectUri}?${answer}` })
    res.end()
  }

  function token({ body, authorization }: ProviderRequest, res: ServerResponse): void {
    const { fault, errorDescription, tokenAnswer } = provider
    if (tokenAnswer) {
      for (const [name, value] of Object.entries(tokenAnswer.headers ?? {}))
        res.setHeader(name, value)
      json(res, tokenAnswer.body, tokenAnswer.status)
      return
    }
    if (fault === 'error_description repeats the request') {
      const given = `${authorization} ${body} ${[...body.values()].join(' ')}`
      json(res, tokenError('invalid_request', given), 400)
      return
    }
    if (fault === 'invalid_client' || !isClient(provider, authorization)) {
      res.setHeader('www-authenticate', 'Basic realm="misbehaving", error="invalid_client"')
      json(res, tokenError('invalid_client', errorDescription), 401)
      return
    }
    if (fault?.startsWith('invalid_grant')) {
      if (fault === 'invalid_grant with WWW-Authenticate') {
        res.setHeader('www-authenticate', 'Bearer realm="Doorkeeper", error="invalid_grant"')
      }
      json(res, tokenError('invalid_grant', errorDescription), 400)
      return
    }
    const grants = body.get('grant_type') === 'refresh_token' ? refreshTokens : codes
    const name = body.get('refresh_token') ?? body.get('code') ?? ''
    const grant = grants.get(name)
    grants.delete(name)
    const verifier = body.get('code_verifier')
    const challenge =
      verifier === null ? undefined : createHash('sha256').update(verifier).digest('base64url')
    if (!grant || (grants === codes && grant.codeChallenge !== challenge)) {
      json(res, { error: 'invalid_grant' }, 400)
      return
    }
    const answer = tokenResponse(grant, grants === codes)
    if (fault === 'token response in broken HTTP') breakHttp(res, answer)
    else send(res, grants === codes ? 'code' : 'refresh', answer)
  }

  /** The claims of a grant; those of the same user may have changed since the login. */
  function claimsOf({ claims }: Grant): Record<string, unknown> {
    return provider.user.sub === claims.sub ? { ...provider.user } : claims
  }

  function tokenResponse(grant: Grant, withNonce: boolean): unknown {
    const { fault } = provider
    if (fault === 'token response is an array') return []
    const now = Math.floor(Date.now() / 1000)
    const accessToken = `access-${randomBytes(16).toString('hex')}`
    const refreshToken = `refresh-${randomBytes(16).toString('hex')}`
    accessTokens.set(accessToken, grant)
    refreshTokens.set(refreshToken, grant)
    const claims = {
      iss: issuerName(issuer, fault, grant.claims.tid),
      aud: provider.clientId,
      iat: now,
      exp: now + 600,
      auth_time: grant.authTime,
      sid: grant.sid,
      ...(fault === 'at_hash by SHA-256' ? { at_hash: leftHalfOfHash(accessToken) } : {}),
      ...(withNonce && grant.nonce ? { nonce: grant.nonce } : {}),
      ...(fault === 'refreshed id_token with sub alone' && !withNonce
        ? { sub: grant.claims.sub }
        : claimsOf(grant)),
    }
    const idToken = signIdToken(claims, key, provider.clientSecret, fault, (text) =>
      rewritten('id_token', text),
    )
    provider.secrets.push(accessToken, refreshToken, idToken)
    return {
      ...(fault === 'token response without access_token' ? {} : { access_token: accessToken }),
      ...(fault === 'token response with a list of scopes' ? { scope: ['openid', 'email'] } : {}),
      ...(fault === 'token response without token_type' ? {} : { token_type: 'Bearer' }),
      expires_in:
        fault === 'token response with malformed expires_in' ? [] : provider.accessTokenSeconds,
      refresh_token: refreshToken,
      ...(fault === 'token response without id_token' ? {} : { id_token: idToken }),
    }
  }

  function userinfo({ authorization }: ProviderRequest, res: ServerResponse): void {
    const grant = accessTokens.get(authorization?.replace('Bearer ', '') ?? '')
    if (!grant || provider.fault === 'userinfo refused') {
      res.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' })
      res.end()
      return
    }
    const { sub, ...claims } = { ...claimsOf(grant), from_userinfo: true } as Record<
      string,
      unknown
    >
    if (provider.fault === 'userinfo without sub') {
      json(res, claims)
      return
    }
    if (provider.fault === 'userinfo is signed') {
      const now = Math.floor(Date.now() / 1000)
      const about = { iss: issuer, aud: provider.clientId, iat: now, exp: now + 600 }
      const token = signJwt({ ...about, ...claims, sub }, key)
      res.writeHead(200, { 'content-type': 'application/jwt' })
      res.end(token)
      return
    }
    send(res, 'userinfo', {
      ...claims,
      sub: provider.fault === 'userinfo of another user' ? 'mallory' : sub,
    })
  }

  return provider
}

/** @see OpenID Connect Core 1.0 §3.1.3.6 */
function leftHalfOfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

function newSid(sids: string[]): string {
  const sid = randomBytes(9).toString('hex')
  sids.push(sid)
  return sid
}
