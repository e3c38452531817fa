import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveCommands } from '../parts/child.ts'

/** A provider that signs everybody in at once, so that a login measures the application alone. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }
let logins = 0
interface Grant {
  readonly nonce: string | null
  readonly challenge: string | null
  readonly isOffline: boolean
}

const grants = new Map<string, Grant>()
const refreshTokens = new Map<string, string>()
const server = createServer((req, res) => void serve(req, res))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const issuer = `http://127.0.0.1:${port}`

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', issuer)
  switch (pathname) {
    case '/.well-known/openid-configuration':
      return json(res, {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        end_session_endpoint: `${issuer}/logout`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      })
    case '/jwks':
      return json(res, { keys: [jwk] })
    case '/auth': {
      const code = randomBytes(16).toString('hex')
      const [nonce, challenge] = [searchParams.get('nonce'), searchParams.get('code_challenge')]
      const isOffline = searchParams.get('scope')?.includes('offline_access') ?? false
      grants.set(code, { nonce, challenge, isOffline })
      const answer = new URLSearchParams({ code })
      const state = searchParams.get('state')
      if (state) answer.set('state', state)
      res.writeHead(302, { location: `${searchParams.get('redirect_uri')}?${answer}` }).end()
      return
    }
    case '/token':
      return json(res, tokens(new URLSearchParams(await text(req))))
    default:
      res.writeHead(404).end()
  }
}

function tokens(body: URLSearchParams): unknown {
  if (body.get('grant_type') === 'refresh_token') {
    const old = body.get('refresh_token') ?? ''
    const sub = refreshTokens.get(old)
    refreshTokens.delete(old)
    return sub === undefined
      ? { error: 'invalid_grant' }
      : { ...answerOf(sub, null), ...offline(sub) }
  }
  const grant = grants.get(body.get('code') ?? '')
  grants.delete(body.get('code') ?? '')
  const verifier = body.get('code_verifier') ?? ''
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  if (!grant || (grant.challenge && grant.challenge !== challenge))
    return { error: 'invalid_grant' }
  const sub = `user-${++logins % 1000}`
  return { ...answerOf(sub, grant.nonce), ...(grant.isOffline && offline(sub)) }
}

/** A refresh token, which is used once. */
function offline(sub: string): object {
  const token = randomBytes(32).toString('base64url')
  refreshTokens.set(token, sub)
  return { refresh_token: token }
}

function answerOf(sub: string, nonce: string | null): object {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: 'app',
    sub,
    name: 'Ada',
    email: 'ada@example.com',
    iat: now,
    exp: now + 3600,
    ...(nonce ? { nonce } : {}),
  }
  const signed = `${encode({ alg: 'RS256', kid: 'key' })}.${encode(claims)}`
  return {
    access_token: randomBytes(32).toString('base64url'),
    token_type: 'Bearer',
    expires_in: 3600,
    id_token: `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`,
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function json(res: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body)
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
  res.end(text)
}

async function text(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req.setEncoding('utf8') as AsyncIterable<string>) body += chunk
  return body
}

serveCommands(port, {}, async () => server.closeAllConnections())
