import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { REMEDIES } from '../../errors/remedies.ts'
import type { MaybePromise } from '../../shared/maybe-promise.ts'
import { OldestFirst, remember } from '../../shared/oldest-first.ts'
import { presentMembers } from '../../shared/present-members.ts'
import { isRecord } from '../../shared/records.ts'
import { printable } from '../errors.ts'
import { type DecodedJws, decodeJws, type JwtHeader } from './jwt.ts'

/** The accepted algorithms of signatures. All are asymmetric. */
const ALGORITHMS = {
  RS256: { kty: 'RSA', hash: 'sha256' },
  RS384: { kty: 'RSA', hash: 'sha384' },
  RS512: { kty: 'RSA', hash: 'sha512' },
  PS256: { kty: 'RSA', hash: 'sha256', pss: true },
  PS384: { kty: 'RSA', hash: 'sha384', pss: true },
  PS512: { kty: 'RSA', hash: 'sha512', pss: true },
  ES256: { kty: 'EC', crv: 'P-256', hash: 'sha256' },
  ES384: { kty: 'EC', crv: 'P-384', hash: 'sha384' },
  ES512: { kty: 'EC', crv: 'P-521', hash: 'sha512' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
} as const

const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
}
const MIN_RSA_BITS = 2048
/**
 * The most keys that are tried for one signature. Some providers publish a key twice, or reuse its
 * name.
 */
const MAX_TRIED = 8
/** The most tokens whose valid signature a key set remembers: about 150 bytes each. */
const MAX_REMEMBERED = 5_000

type Algorithm = keyof typeof ALGORITHMS

const ALL: ReadonlySet<string> = new Set(Object.keys(ALGORITHMS))

interface Jwk {
  readonly kty?: unknown
  readonly kid?: unknown
  readonly use?: unknown
  readonly alg?: unknown
  readonly crv?: unknown
}

/** A provider's published keys. */
export interface KeySet {
  /** Whether a key fits the header of a token. */
  has(header: JwtHeader): boolean
  /**
   * Whether the header identifies one key: by its `kid`, or because only one fits (OIDC Core 1.0
   * §10.1).
   */
  isClear(header: JwtHeader): boolean
  /**
   * Whether one of the keys that fit the header made the signature of a compact JWS. The first
   * eight of them are tried.
   *
   * @param name - A SHA-256 of the whole JWS. With it, a valid signature is remembered as long as
   *   this key set is used, because verifying one costs more than all other checks of a token.
   *   Leave it out for a token that is used once.
   */
  verify(jws: DecodedJws, name?: string): boolean
}

/** The hashes that providers use with an algorithm. Empty for an algorithm that is not accepted. */
export function hashesOf(alg: string): readonly string[] {
  if (!isAccepted(alg)) return []
  const algorithm = ALGORITHMS[alg]
  // No specification names the hash for EdDSA. Most use that of Ed25519; Glewlwyd uses SHA-256.
  return 'hash' in algorithm ? [algorithm.hash] : ['sha512', 'sha256']
}

function isAccepted(alg: string): alg is Algorithm {
  return Object.hasOwn(ALGORITHMS, alg)
}

/** Reads a JWKS document; `undefined` if it is not valid (RFC 7517 §5). */
export function parseKeySet(json: string): KeySet | undefined {
  const keys = jwksOf(json)
  if (!keys) return undefined
  const imported = new Map<Jwk, KeyObject | undefined>()
  const good = new OldestFirst<string, true>()
  const candidates = (header: JwtHeader): Jwk[] => keys.filter((jwk) => fits(jwk, header))
  return {
    has: (header) => candidates(header).length > 0,
    isClear: (header) => header.kid !== undefined || candidates(header).length === 1,
    verify({ header, signed, signature }, name) {
      if (name !== undefined && good.has(name)) return true
      const algorithm = ALGORITHMS[header.alg as Algorithm]
      const isGood = candidates(header)
        .slice(0, MAX_TRIED)
        .some((jwk) => {
          if (!imported.has(jwk)) imported.set(jwk, importKey(jwk))
          const key = imported.get(jwk)
          if (!key) return false
          const options =
            'pss' in algorithm
              ? { key, ...PSS }
              : algorithm.kty === 'EC'
                ? { key, dsaEncoding: 'ieee-p1363' as const }
                : key
          const hash = 'hash' in algorithm ? algorithm.hash : null
          return verify(hash, Buffer.from(signed), options, signature)
        })
      if (isGood && name !== undefined) remember(good, name, true, MAX_REMEMBERED)
      return isGood
    },
  }
}

/**
 * The header of a token with a valid signature, or the reason why it is not valid, such as
 * `is wrong`.
 */
export type SignatureAnswer =
  | { readonly header: JwtHeader; readonly fault?: undefined; readonly remedy?: undefined }
  | { readonly header?: undefined; readonly fault: string; readonly remedy: string }

const { algorithm: ALGORITHM, signature: SIGNATURE } = REMEDIES.LATCHKEY_TOKEN_INVALID

/**
 * Verifies only the signature of a token.
 *
 * @param accepted - Default: every algorithm with a public key.
 * @param name - See `KeySet.verify`.
 */
export async function verifySignature(
  token: string | DecodedJws,
  keysFor: (header: JwtHeader) => MaybePromise<KeySet>,
  accepted: ReadonlySet<string> = ALL,
  name?: string,
): Promise<SignatureAnswer> {
  const jws = typeof token === 'string' ? decodeJws(token) : token
  const faulty = (fault: string): SignatureAnswer => ({ fault, remedy: SIGNATURE })
  if (!jws || jws.header.crit !== undefined) return faulty('cannot be read')
  const { header } = jws
  if (!accepted.has(header.alg)) {
    return { fault: refusedAlgorithm(header.alg, accepted), remedy: ALGORITHM }
  }
  const set = await keysFor(header)
  if (!set.has(header)) {
    return faulty(`is by a key that the provider does not publish${keyName(header)}`)
  }
  if (!set.isClear(header)) return faulty(`could be by several keys${keyName(header)}`)
  return set.verify(jws, name) ? { header } : faulty('is wrong')
}

/** The message about a refused algorithm: its name, and the accepted algorithms. */
function refusedAlgorithm(alg: string, accepted: ReadonlySet<string>): string {
  return `has the algorithm "${printable(alg)}"; accepted are ${[...accepted].join(', ')}`
}

function keyName({ kid, alg }: JwtHeader): string {
  const name = kid === undefined ? 'missing' : `"${printable(kid)}"`
  return ` ("kid" ${name}, "alg" "${printable(alg)}")`
}

function jwksOf(json: string): Jwk[] | undefined {
  try {
    const { keys } = JSON.parse(json) as { keys?: unknown }
    if (!Array.isArray(keys)) return undefined
    return keys.filter(isRecord).map(presentMembers)
  } catch {
    return undefined
  }
}

function fits(jwk: Jwk, header: JwtHeader): boolean {
  if (!isAccepted(header.alg)) return false
  const algorithm = ALGORITHMS[header.alg]
  return (
    jwk.kty === algorithm.kty &&
    (header.kid === undefined || jwk.kid === header.kid) &&
    (jwk.alg === undefined || jwk.alg === header.alg) &&
    (jwk.use === undefined || jwk.use === 'sig') &&
    (!('crv' in algorithm) || jwk.crv === algorithm.crv)
  )
}

/**
 * Imports a key; `undefined` if it is invalid, or an RSA key that is shorter than RFC 7518 §3.3
 * allows.
 */
function importKey(jwk: Jwk): KeyObject | undefined {
  try {
    const key = createPublicKey({ format: 'jwk', key: jwk as never })
    const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS
    return bits < MIN_RSA_BITS ? undefined : key
  } catch {
    return undefined
  }
}
