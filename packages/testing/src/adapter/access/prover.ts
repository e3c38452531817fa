import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { BASE_URL } from '../bench.ts'

/** The parts of a proof that a case changes. */
interface ProofChanges {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly alg?: 'ES256' | 'ES384' | 'RS256' | 'RS512' | 'PS256'
}

/** A client that proves the possession of its keys (RFC 9449). */
export interface Prover {
  /** The `cnf` of tokens that are bound to the key of an algorithm. Default ES256. */
  cnf(alg?: ProofChanges['alg']): { readonly jkt: string }
  /** The headers of `GET /api` with a token and its proof. */
  headers(token: string, changes?: ProofChanges): Record<string, string>
}

const KEYS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}
/** The options of RSA-PSS in node:crypto: padding, and a salt as long as the digest. */
const PSS = { padding: 6, saltLength: -1 }

interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Makes a client. Its keys are made when a case first needs them. */
export function createProver(): Prover {
  const made = new Map<string, KeyPair>()
  const keyOf = (alg: NonNullable<ProofChanges['alg']>): KeyPair => {
    const kind = alg === 'ES256' || alg === 'ES384' ? alg : 'RSA'
    const found = made.get(kind) ?? KEYS[kind]()
    made.set(kind, found)
    return found
  }
  const jwkOf = (alg: NonNullable<ProofChanges['alg']>) =>
    keyOf(alg).publicKey.export({ format: 'jwk' }) as Record<string, string>
  return {
    cnf(alg = 'ES256') {
      const sorted = Object.entries(jwkOf(alg)).sort(([one], [other]) => (one < other ? -1 : 1))
      return { jkt: sha256(JSON.stringify(Object.fromEntries(sorted))) }
    },
    headers(token, { claims = {}, alg = 'ES256' } = {}) {
      const usual = {
        ...{ htm: 'GET', htu: `${BASE_URL}/api`, jti: randomUUID() },
        ...{ iat: Math.floor(Date.now() / 1000), ath: sha256(token) },
      }
      const header = { typ: 'dpop+jwt', alg, jwk: jwkOf(alg) }
      const signed = `${encode(header)}.${encode({ ...usual, ...claims })}`
      const key = {
        ...{ key: keyOf(alg).privateKey, dsaEncoding: 'ieee-p1363' as const },
        ...(alg === 'PS256' && PSS),
      }
      const signature = sign(`sha${alg.slice(2)}`, Buffer.from(signed), key).toString('base64url')
      return { authorization: `DPoP ${token}`, dpop: `${signed}.${signature}` }
    },
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
