import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A new key for signatures: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/**
 * The header `webhook-signature`: a signature with each secret, separated by spaces.
 *
 * @param seconds - The header `webhook-timestamp`.
 * @see Standard Webhooks 1.0, "Signature scheme"
 */
export function sign(
  secrets: readonly string[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
    })
    .join(' ')
}
