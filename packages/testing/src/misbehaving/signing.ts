import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Fault } from './faults.ts'

/** The algorithms that a provider can sign with. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

/** A key with which a provider signs. */
export interface SigningKey {
  readonly alg: SigningAlgorithm
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const KEY_PAIRS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

/** Makes a key. */
function createSigningKey(kid: string, alg: SigningAlgorithm = 'RS256'): SigningKey {
  return { alg, kid, ...KEY_PAIRS[alg]() }
}

/** The keys of closed providers, to be used again. Making a key takes longer than most tests. */
const idle: SigningKey[] = []

/** The keys of one provider. No other provider uses them until they are released. */
export interface OwnKeys {
  take(kid: string, alg?: SigningAlgorithm): SigningKey
  release(): void
}

/**
 * Makes the keys of a provider. `take` uses a key of a closed provider again, or makes a new key.
 */
export function ownKeys(): OwnKeys {
  const own: SigningKey[] = []
  return {
    take(kid, alg = 'RS256') {
      const at = idle.findIndex((key) => key.alg === alg)
      const [key = createSigningKey(kid, alg)] = at < 0 ? [] : idle.splice(at, 1)
      own.push(key)
      return { ...key, kid }
    },
    release: () => void idle.push(...own.splice(0)),
  }
}

let foreign: SigningKey | undefined

/** The key that no provider publishes. All callers share it, because making a key takes a while. */
export function foreignKey(): SigningKey {
  foreign ??= createSigningKey('foreign')
  return foreign
}

/** The public half as a JWK. */
export function toJwk(key: SigningKey): Record<string, unknown> {
  const { alg, kid } = key
  return { ...key.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg }
}

/** Makes a JWT. */
export function signJwt(
  claims: Readonly<Record<string, unknown>>,
  key: SigningKey,
  header: Readonly<Record<string, unknown>> = {},
  rewrite: (json: string) => string = (json) => json,
): string {
  const payload = Buffer.from(rewrite(JSON.stringify(claims))).toString('base64url')
  const signed = `${encode({ alg: key.alg, kid: key.kid, ...header })}.${payload}`
  const hash = key.alg === 'EdDSA' ? null : 'sha256'
  const privateKey = { key: key.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${signed}.${sign(hash, Buffer.from(signed), privateKey).toString('base64url')}`
}

/** Makes an ID Token with the given fault. */
export function signIdToken(
  claims: Readonly<Record<string, unknown>>,
  key: SigningKey,
  clientSecret: string,
  fault: Fault | undefined,
  rewrite?: (json: string) => string,
): string {
  const wrong = withClaimFault(claims, fault)
  switch (fault) {
    case 'id_token signed with a foreign key under a known kid':
      // The key is shared, because making a key could take longer than a client waits.
      return signJwt(wrong, { ...foreignKey(), kid: key.kid })
    case 'id_token signed with an unknown kid':
      return signJwt(wrong, foreignKey())
    case 'id_token with a changed payload': {
      const [header, , signature] = signJwt(wrong, key).split('.')
      return `${header}.${encode({ ...wrong, sub: 'mallory' })}.${signature}`
    }
    case 'id_token without a signature':
      return signJwt(wrong, key).replace(/[^.]*$/, '')
    case 'id_token with alg none':
      return `${encode({ alg: 'none' })}.${encode(wrong)}.`
    case 'id_token with alg HS256': {
      const signed = `${encode({ alg: 'HS256', kid: key.kid })}.${encode(wrong)}`
      return `${signed}.${createHmac('sha256', clientSecret).update(signed).digest('base64url')}`
    }
    case 'id_token is not a JWT':
      return 'this-is-not-a-jwt'
    case 'no kid':
    case 'no kid and several keys':
      return signJwt(wrong, key, { kid: undefined })
    case 'id_token with a critical header':
      return signJwt(wrong, key, { crit: ['exp'] })
    default:
      return signJwt(wrong, key, {}, rewrite)
  }
}

function withClaimFault(
  claims: Readonly<Record<string, unknown>>,
  fault: Fault | undefined,
): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  const { [missingClaim(fault) ?? '']: _missing, ...kept } = claims
  switch (fault) {
    case 'id_token from another issuer':
      return { ...kept, iss: 'https://other.example' }
    case 'id_token for another client':
      return { ...kept, aud: 'another-client' }
    case 'id_token for several clients without azp':
      return { ...kept, aud: [claims.aud, 'another-client'] }
    case 'id_token with the azp of another client':
      return { ...kept, aud: [claims.aud, 'another-client'], azp: 'another-client' }
    case 'id_token expired':
      return { ...kept, iat: now - 7200, exp: now - 3600 }
    case 'id_token not valid yet':
      return { ...kept, nbf: now + 3600 }
    case 'id_token with another nonce':
      return { ...kept, nonce: 'another-nonce' }
    case 'id_token with an empty sub':
      return { ...kept, sub: '' }
    case 'id_token with a sub of 256 characters':
      return { ...kept, sub: 'a'.repeat(256) }
    case 'id_token with a sub that is not ASCII':
      return { ...kept, sub: 'ada\u00eb' }
    case 'id_token for one client with the azp of another':
      return { ...kept, azp: 'another-client' }
    case 'id_token of another user':
      return { ...kept, sub: 'mallory' }
    case 'id_token issued in the future':
      return { ...kept, iat: now + 90 }
    case 'id_token issued before the login':
      return { ...kept, iat: now - 90 }
    case 'id_token dated five minutes back':
      return { ...kept, iat: now - 300, nbf: now - 300 }
    case 'id_token with a wrong at_hash':
      return { ...kept, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }
    case 'id_token with an old auth_time':
      return { ...kept, auth_time: now - 86_400 }
    default:
      return kept
  }
}

function missingClaim(fault: Fault | undefined): string | undefined {
  return /^id_token without (iss|aud|exp|iat|nonce|sub|auth_time)$/.exec(fault ?? '')?.[1]
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
