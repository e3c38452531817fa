import { presentMembers } from '../../shared/present-members.ts'
import { parseRecord } from '../../shared/records.ts'

/** The members of a JWT header that the kit reads. */
export interface JwtHeader {
  readonly alg: string
  readonly kid?: string | undefined
  readonly typ?: string | undefined
  readonly crit?: unknown
}

/** The decoded parts of a compact JWS. They are not verified. */
export interface DecodedJws {
  readonly header: JwtHeader
  /** The text that the signature covers. */
  readonly signed: string
  readonly signature: Buffer
}

/** The decoded parts of a compact JWT. They are not verified. */
export interface DecodedJwt extends DecodedJws {
  readonly payload: Readonly<Record<string, unknown>>
}

/** Decodes a compact JWS; `undefined` for any other text (RFC 7515 §3.1). */
export function decodeJws(token: string): DecodedJws | undefined {
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  const [head = '', body = '', signature = ''] = parts
  const found = parseObject(head)
  // A header with `crit` has critical members, even if the list is empty (RFC 7515 §4.1.11).
  const header: Record<string, unknown> | undefined = found && {
    ...presentMembers(found),
    ...('crit' in found && { crit: found.crit }),
  }
  if (!header || typeof header.alg !== 'string') return undefined
  if (header.kid !== undefined && typeof header.kid !== 'string') return undefined
  return {
    header: header as unknown as JwtHeader,
    signed: `${head}.${body}`,
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** Decodes a compact JWT; `undefined` for any other text. */
export function decodeJwt(token: string): DecodedJwt | undefined {
  const jws = decodeJws(token)
  const payload = jws && parseObject(jws.signed.slice(jws.signed.indexOf('.') + 1))
  return payload && { ...jws, payload }
}

function parseObject(base64url: string): Record<string, unknown> | undefined {
  return parseRecord(Buffer.from(base64url, 'base64url').toString('utf8'))
}
