import { generateKeyPairSync, hash, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Child, start } from './parts/child.ts'
import { get, load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The cost of a guard for bearer tokens: CPU of an API for a request with a JWT access token (RFC 9068, RS256), beside
 * peers and a page without a guard. Each of a hundred tokens comes often, as with clients that keep theirs, or once; or
 * often with a proof (DPoP, RFC 9449, ES256) that comes once; or is opaque, and the issuer is asked each time (RFC 7662).
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const REQUESTS = Number(process.env.REQUESTS ?? 3_000)
const CONNECTIONS = (process.env.CONNECTIONS ?? '1,16').split(',').map(Number)
const ONLY = process.env.ONLY?.split(';')
const JWT = ['express', 'jose', 'express-oauth2-jwt-bearer', 'latchkey']
/** Contestants for each kind of tokens; the others are compared with the second. */
const NAMES: Record<string, readonly string[]> = {
  often: JWT,
  once: JWT,
  proof: JWT,
  opaque: ['express', 'openid-client', 'latchkey'],
}
const TOKENS = (process.env.TOKENS ?? Object.keys(NAMES).join()).split(',')

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
/** The key that a client proves, and its thumbprint (RFC 7638 §3). */
const client = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { crv, kty, x, y } = client.publicKey.export({ format: 'jwk' })
const jkt = hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
const issuer = await serveKeys(publicKey)
const names = Array.from({ length: 100 }, (_, n) => `user-${n}`)
const known: Record<string, readonly string[]> = {
  often: names.map((sub) => accessToken(sub)),
  proof: names.map((sub) => accessToken(sub, { cnf: { jkt } })),
  opaque: names.map((sub) => `${sub}-${randomUUID()}`),
}
let made = 0

for (const tokens of TOKENS) {
  const kind = tokens in known && tokens !== 'often' ? tokens : 'jwt'
  const contestants: { name: string; child: Child; cpu: number[] }[] = []
  for (const name of NAMES[tokens] ?? []) {
    if (ONLY && !ONLY.includes(name)) continue
    contestants.push({ name, child: await start('api', name, issuer, kind), cpu: [] })
  }
  for (const connections of CONNECTIONS) {
    for (const one of contestants) one.cpu.length = 0
    for (let round = -1; round < ROUNDS; round++) {
      for (const one of contestants) {
        const cpu = await measure(one.child, connections, tokens)
        // The first round warms up.
        if (round >= 0) one.cpu.push(cpu)
      }
    }
    const [bare, floor] = [contestants[0]?.cpu ?? [], contestants[1]?.cpu ?? []]
    console.log(
      row(`each token ${tokens}, ${connections} at a time`, 'CPU µs', 'ratio', 'guard alone'),
    )
    for (const { name, cpu } of contestants) {
      const ratio = median(cpu.map((one, n) => one / (floor[n] ?? Number.NaN)))
      const guard = median(cpu.map((one, n) => one - (bare[n] ?? Number.NaN)))
      console.log(row(name, median(cpu), ratio, guard))
    }
  }
  for (const { child } of contestants) await child.stop()
}
process.exit()

/** CPU of a request in microseconds. */
async function measure(child: Child, connections: number, tokens: string) {
  const own = known[tokens] ?? Array.from({ length: REQUESTS }, () => accessToken(`user-${made++}`))
  const address = `http://127.0.0.1:${child.port}/page`
  const proofs =
    tokens === 'proof'
      ? Array.from({ length: REQUESTS }, (_, n) => proof(address, own[n % own.length] ?? ''))
      : []
  const request = (n: number) => {
    const dpop = proofs[n]
    const authorization = `${dpop ? 'DPoP' : 'Bearer'} ${own[n % own.length]}`
    return get('/page', { authorization, ...(dpop && { dpop }) }, `127.0.0.1:${child.port}`)
  }
  const before = await child.cpu()
  await load({ port: child.port, connections, requests: REQUESTS, request })
  return (((await child.cpu()) - before) / REQUESTS) * 1e6
}

/** A proof of the client's key for one request (RFC 9449 §4.2). */
function proof(htu: string, token: string): string {
  const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } }
  const ath = hash('sha256', token, 'base64url')
  const claims = { htm: 'GET', htu, ath, iat: Math.floor(Date.now() / 1000), jti: randomUUID() }
  return jwt(header, claims, { key: client.privateKey, dsaEncoding: 'ieee-p1363' })
}

/** An access token of an hour. */
function accessToken(sub: string, bound: object = {}): string {
  const header = { alg: 'RS256', typ: 'at+jwt', kid: 'key' }
  return jwt(header, { ...claimsOf(sub), ...bound }, privateKey)
}

/** The answer of the issuer about an opaque token (RFC 7662 §2.2). */
function introspected(token: string): object {
  return { active: true, token_type: 'Bearer', ...claimsOf(token.split('-', 2).join('-')) }
}

function claimsOf(sub: string): object {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: 'https://notes.example.com', sub, client_id: 'agent' }
  const times = { iat: now, exp: now + 3600 }
  return { ...claims, ...times, scope: 'notes:read notes:write', jti: `${sub}-${now}` }
}

function jwt(header: object, claims: object, key: Parameters<typeof sign>[2]): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

/** Serves discovery and the key, and says of any opaque token that it is active. @returns The issuer. */
async function serveKeys(key: KeyObject): Promise<string> {
  const jwk = { ...key.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }
  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const discovery = {
      issuer: url,
      jwks_uri: `${url}/jwks`,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      introspection_endpoint: `${url}/introspect`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }
    res.setHeader('content-type', 'application/json')
    if (req.url === '/introspect') {
      const token = new URLSearchParams(await text(req)).get('token') ?? ''
      res.end(JSON.stringify(introspected(token)))
    } else res.end(JSON.stringify(req.url === '/jwks' ? { keys: [jwk] } : discovery))
  }
  const server = createServer((req, res) => void serve(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return url
}
