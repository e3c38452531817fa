import { createPrivateKey, sign } from 'node:crypto'
import type { Connection } from '../../store/records.ts'

/**
 * The lifetime of a secret, in seconds. Apple accepts six months, but each secret is used only
 * once, at once.
 */
const LIFETIME_SECONDS = 300

/**
 * The client secret that Apple requires: a JWT signed with the private key of the connection.
 *
 * @param now - The current time, in milliseconds since the epoch.
 * @see
 *   https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
export function appleSecret(
  { issuer, clientId, apple }: Pick<Connection, 'issuer' | 'clientId' | 'apple'>,
  privateKey: string,
  now: number,
): string {
  const at = Math.floor(now / 1000)
  const header = { alg: 'ES256', kid: apple?.keyId }
  const claims = {
    iss: apple?.teamId,
    iat: at,
    exp: at + LIFETIME_SECONDS,
    aud: issuer,
    sub: clientId,
  }
  const signed = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const key = createPrivateKey(privateKey)
  const signature = sign('sha256', Buffer.from(signed.join('.')), {
    key,
    dsaEncoding: 'ieee-p1363',
  })
  return [...signed, signature.toString('base64url')].join('.')
}
