import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'

/** A secret of an endpoint. */
export interface WebhookSecret {
  readonly key: KeyObject
  /**
   * The start of a hash of the secret. It names the endpoint in the replay cache, and reveals
   * nothing about the secret.
   */
  readonly fingerprint: string
}

const PREFIX = 'whsec_'
/** The size of a secret in bytes: 24 to 64 by Standard Webhooks. */
const MIN_BYTES = 24
const MAX_BYTES = 64
/** The most signatures that are checked. The service sends at most two. */
const MAX_SIGNATURES = 16

/** Reads a secret such as `whsec_…`; `undefined` for any other text. */
export function readSecret(text: string): WebhookSecret | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  const encoded = text.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Decoding ignores characters outside of the alphabet. Encoding again shows whether a secret was
  // cut or changed.
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  if (!isWhole || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return undefined
  const digest = createHash('sha256').update('latchkey-webhook:').update(bytes).digest('base64url')
  return { key: createSecretKey(bytes), fingerprint: digest.slice(0, 22) }
}

/** The signed parts of a request. */
export interface Signed {
  readonly id: string
  readonly timestamp: string
  readonly body: Uint8Array
}

/**
 * The secrets with which a request was signed; none if no signature is valid. Each secret is
 * compared with each signature, in constant time, so the time does not reveal which one fits.
 *
 * @param header - `webhook-signature`: signatures such as `v1,…`, separated by spaces. Versions
 *   other than `v1` are ignored.
 * @see Standard Webhooks 1.0, "Verifying signatures"
 */
export function secretsThatSigned(
  { id, timestamp, body }: Signed,
  header: string,
  secrets: readonly WebhookSecret[],
): WebhookSecret[] {
  const signatures = header.split(' ').slice(0, MAX_SIGNATURES).flatMap(decode)
  return secrets.filter(({ key }) => {
    const own = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
    let fits = false
    for (const signature of signatures) fits = timingSafeEqual(own, signature) || fits
    return fits
  })
}

/**
 * The 32 bytes of a signature `v1,…`. Empty for any other text, also for another base64 encoding of
 * the same bytes: the last two bits of the last character must be 0.
 */
function decode(signature: string): Buffer[] {
  const encoded = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/.exec(signature)?.[1]
  return encoded === undefined ? [] : [Buffer.from(encoded, 'base64')]
}
