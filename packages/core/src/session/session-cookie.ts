import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../crypto/sealing.ts'

const MAX_LENGTH = 256
/** 32 bytes as base64, without the padding. */
const SIGNATURE_LENGTH = 43

/** Signs session ids, and reads them back, in the format of express-session. */
export interface CookieSigner {
  /** The secrets as express-session is given them: derived, for this purpose alone. */
  readonly secrets: readonly string[]
  sign(id: string): string
  /** The id of a signed cookie value, `undefined` unless one of the secrets signed it. */
  verify(value: string | undefined): string | undefined
}

/**
 * Makes the signer.
 *
 * @param secrets - The first signs; every one verifies.
 */
export function createCookieSigner(secrets: readonly string[]): CookieSigner {
  const derived = secrets.map((secret) =>
    deriveKey(secret, 'session-cookie').export().toString('base64url'),
  )
  const keys = derived.map((secret) => createSecretKey(Buffer.from(secret)))
  const [signing] = keys
  if (!signing) throw new TypeError('at least one secret is needed')
  return {
    secrets: derived,
    sign: (id) => `s:${id}.${signatureOf(id, signing)}`,
    verify(value) {
      if (!value?.startsWith('s:') || value.length > MAX_LENGTH) return undefined
      const dot = value.lastIndexOf('.')
      if (dot < 3) return undefined
      const id = value.slice(2, dot)
      const given = Buffer.from(value.slice(dot + 1))
      for (const key of keys) {
        const expected = Buffer.from(signatureOf(id, key))
        if (given.length === expected.length && timingSafeEqual(given, expected)) return id
      }
      return undefined
    },
  }
}

function signatureOf(id: string, key: KeyObject): string {
  return createHmac('sha256', key).update(id).digest('base64').slice(0, SIGNATURE_LENGTH)
}
