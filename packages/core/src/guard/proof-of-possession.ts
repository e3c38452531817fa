import { createHash } from 'node:crypto'
import type { RequestContext } from '../context.ts'
import { AccessError } from '../errors/errors.ts'
import { printable } from '../provider/errors.ts'
import { FAPI_ALGORITHMS } from '../provider/fapi.ts'
import { type DecodedJwt, decodeJwt } from '../provider/signed/jwt.ts'
import { type KeySet, parseKeySet } from '../provider/signed/signature.ts'
import { OldestFirst, remember } from '../shared/oldest-first.ts'

/** The seconds for which a proof is valid, and by which the sender's clock may be ahead of ours. */
const GOOD_SECONDS = 60
/**
 * The seconds for which a used proof is remembered: the two minutes in which it is valid, and one
 * minute because the clocks of several processes may differ.
 */
const MARKED_SECONDS = 3 * GOOD_SECONDS
const MAX_JTI = 256

/**
 * The most keys of senders that are kept. A key takes about 2 KB, and never more than a header,
 * which Node limits to 16 KiB.
 */
const MAX_KEYS = 1_000

type Jwk = Readonly<Record<string, unknown>>

/**
 * The keys to which tokens are bound, by thumbprint. They are kept because a sender uses the same
 * key for each request, and parsing it is a third of the work.
 */
const knownKeys = new OldestFirst<string, KeySet>()

/**
 * Checks that the sender of an access token has the key that the token is bound to. The request
 * must have a proof that this key signed for this token, method and URL. Each proof is single use.
 *
 * @param thumbprint - The `jkt` of the token.
 * @throws {@link AccessError} with `LATCHKEY_BEARER_INVALID` naming the check that the proof does
 *   not pass.
 * @see RFC 9449 §4.3, §7.1, §11.1
 */
export async function checkProof(
  { request, context }: RequestContext,
  token: string,
  thumbprint: string,
): Promise<void> {
  const text = request.headers.get('dpop')
  if (text === null) throw invalid('is missing: the request has no header "DPoP"')
  const proof = decodeJwt(text)
  if (!proof) throw invalid('is not one JWT')
  const { jwk } = proof.header as { jwk?: unknown }
  const isPublic = typeof jwk === 'object' && jwk !== null && !('d' in jwk)
  if (!isPublic) throw invalid('has no public key in its header')
  const proven = thumbprintOf(jwk as Jwk)
  const keys = checkSignature(proof, jwk as Jwk, knownKeys.get(proven))
  if (proven !== thumbprint) throw invalid('is by another key than that of the token')
  // Only keys of tokens that the provider issued are kept.
  remember(knownKeys, proven, keys, MAX_KEYS)
  const { htm, htu, iat, jti, ath } = proof.payload
  if (htm !== request.method) throw invalid('is for another method')
  const address = addressOf(request.url)
  if (typeof htu !== 'string' || addressOf(htu) !== address) {
    throw invalid(`is for another address than ${address}`)
  }
  if (ath !== createHash('sha256').update(token).digest('base64url')) {
    throw invalid('is for another access token')
  }
  const now = context.options.now()
  if (typeof iat !== 'number' || Math.abs(now - iat) > GOOD_SECONDS) {
    throw invalid(`was not made within the last ${GOOD_SECONDS} s; are the clocks right?`)
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI) throw invalid('has no "jti"')
  const key = `proof:${createHash('sha256').update(`${thumbprint} ${jti}`).digest('base64url')}`
  if (!(await context.replays.consume(key, MARKED_SECONDS))) throw invalid('has been used before')
}

/**
 * The canonical form of a URL, without query and fragment; `undefined` for a text that is no URL.
 * Reserved characters stay encoded, because `%2F` does not separate segments.
 *
 * @see RFC 9449 §4.3, RFC 3986 §6.2.2, §6.2.3
 */
function addressOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return undefined
  const path = url.pathname.replace(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
  })
  return url.origin + path
}

/**
 * Verifies the signature of a proof with the key in its header. @returns The key set of that key.
 */
function checkSignature(
  { header, signed, signature }: DecodedJwt,
  jwk: Jwk,
  known: KeySet | undefined,
): KeySet {
  if (header.typ !== 'dpop+jwt' || header.crit !== undefined) {
    throw invalid('is another kind of token')
  }
  if (!FAPI_ALGORITHMS.has(header.alg)) {
    throw invalid(`has the algorithm "${printable(header.alg)}", which the challenge does not list`)
  }
  const { kid: _kid, alg: _alg, use: _use, key_ops: _operations, ...key } = jwk
  const keys = known ?? parseKeySet(JSON.stringify({ keys: [key] }))
  const { kid: _none, ...named } = header
  if (!keys?.verify({ header: named, signed, signature })) throw invalid('has a wrong signature')
  return keys
}

/** The members of a key that its thumbprint covers, by type of key (RFC 7638 §3.2, RFC 8037 §2). */
const MEMBERS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['EC', ['crv', 'kty', 'x', 'y']],
  ['OKP', ['crv', 'kty', 'x']],
  ['RSA', ['e', 'kty', 'n']],
])

function thumbprintOf(jwk: Jwk): string {
  const members = (MEMBERS.get(jwk.kty) ?? []).map((name) => [name, jwk[name]])
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url')
}

function invalid(what: string): AccessError {
  const message = `The proof of possession (DPoP) ${what}.`
  return new AccessError('LATCHKEY_BEARER_INVALID', message, { failed: 'token.proof' })
}
