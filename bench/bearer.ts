import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Child, start } from './parts/child.ts'
import { load } from './parts/load.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The cost of a guard for bearer tokens: CPU of an API for a request with a JWT access token (RFC 9068, RS256), beside two
 * peers and a page without a guard. Each of a hundred tokens comes often, as with clients that keep theirs, or once.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const REQUESTS = Number(process.env.REQUESTS ?? 3_000)
const CONNECTIONS = (process.env.CONNECTIONS ?? '1,16').split(',').map(Number)
const ONLY = process.env.ONLY?.split(';')
const NAMES = ['express', 'jose', 'express-oauth2-jwt-bearer', 'latchkey'].filter(
  (name) => !ONLY || ONLY.includes(name),
)

const TOKENS = (process.env.TOKENS ?? 'often,once').split(',')

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const issuer = await serveKeys(publicKey)
const known = Array.from({ length: 100 }, (_, n) => accessToken(`user-${n}`))
let made = 0

const contestants: { name: string; child: Child; cpu: number[] }[] = []
for (const name of NAMES)
  contestants.push({ name, child: await start('api', name, issuer), cpu: [] })
for (const tokens of TOKENS) {
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
}
for (const { child } of contestants) await child.stop()
process.exit()

/** CPU of a request in microseconds. */
async function measure(child: Child, connections: number, tokens: string) {
  const own =
    tokens === 'often'
      ? known
      : Array.from({ length: REQUESTS }, () => accessToken(`user-${made++}`))
  const request = (n: number) =>
    `GET /page HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${own[n % own.length]}\r\n\r\n`
  const before = await child.cpu()
  await load({ port: child.port, connections, requests: REQUESTS, request })
  return (((await child.cpu()) - before) / REQUESTS) * 1e6
}

/** An access token of an hour. */
function accessToken(sub: string): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: 'https://notes.example.com', sub, client_id: 'agent' }
  const more = { scope: 'notes:read notes:write', iat: now, exp: now + 3600, jti: `${sub}-${now}` }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'RS256', typ: 'at+jwt', kid: 'key' })}.${part({ ...claims, ...more })}`
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** Serves discovery and the key. @returns The issuer. */
async function serveKeys(key: KeyObject): Promise<string> {
  const jwk = { ...key.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }
  const server = createServer((req, res) => {
    const discovery = {
      issuer: url,
      jwks_uri: `${url}/jwks`,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify(req.url === '/jwks' ? { keys: [jwk] } : discovery))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return url
}
