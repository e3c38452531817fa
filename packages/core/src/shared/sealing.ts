import type { KeyObject } from 'node:crypto'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
} from 'node:crypto'
import { randomBytes } from './random.ts'

/** The purpose of a sealed value. A value sealed for one purpose never opens for another. */
export type SealPurpose =
  | 'login'
  | 'state'
  | 'answer'
  | 'logout'
  | 'session'
  | 'session-cookie'
  | 'session-record'
  | 'session-index'
  | 'ended-login'
  | 'adopted-session'
  | 'device'
  | 'address'
  | 'form'
  | 'development'

const IV_BYTES = 12
const TAG_BYTES = 16

/** Seals and opens small values for one purpose (AES-256-GCM). */
export interface Sealer {
  /**
   * Encrypts and authenticates `plain`. The result is base64url. It can be opened only with the
   * same `context`, which is authenticated but not part of the result.
   */
  seal(plain: string, context?: string): string
  /**
   * The plain text; `undefined` if the value was not sealed with one of the secrets, or was
   * changed.
   */
  open(sealed: string, context?: string): string | undefined
}

/**
 * Derives the key of a purpose from a secret (HKDF-SHA-256), 32 bytes. The result is a key object,
 * because Node would prepare a key in bytes at every use, which takes five times as long as the
 * use.
 *
 * @see RFC 5869
 */
export function deriveKey(secret: string, purpose: SealPurpose): KeyObject {
  const bytes = hkdfSync('sha256', secret, 'latchkey', `latchkey/1/${purpose}`, 32)
  return createSecretKey(Buffer.from(bytes))
}

/** The HMAC-SHA-256 of a text, as base64url. */
export function macOf(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/**
 * A {@link Sealer} whose results are bytes: a random nonce of 12 bytes, the ciphertext and its tag.
 */
export interface ByteSealer {
  seal(plain: string | Uint8Array, context?: string): Buffer
  open(sealed: Buffer, context?: string): Buffer | undefined
}

/**
 * Makes the sealer of a purpose.
 *
 * @param secrets - The first secret seals, and all secrets open, so that they can be rotated.
 */
export function createSealer(secrets: readonly string[], purpose: SealPurpose): Sealer {
  const { seal, open } = createByteSealer(secrets, purpose)
  return {
    seal: (plain, context) => seal(plain, context).toString('base64url'),
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url')
      // Decoding ignores characters outside of the alphabet. Encoding again shows whether the text
      // was changed.
      return bytes.toString('base64url') === sealed ? open(bytes, context)?.toString() : undefined
    },
  }
}

/**
 * Makes the sealer of bytes for one purpose. Nonces are random, so a secret may seal 2^32 times at
 * most.
 *
 * @see NIST SP 800-38D §8.3 for the number of writes
 */
export function createByteSealer(secrets: readonly string[], purpose: SealPurpose): ByteSealer {
  const keys = secrets.map((secret) => deriveKey(secret, purpose))
  const [sealing] = keys
  if (!sealing) throw new TypeError('at least one secret is needed')
  return {
    seal(plain, context = '') {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(context))
      const body = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain)
      cipher.final()
      return Buffer.concat([iv, body, cipher.getAuthTag()])
    },
    open(bytes, context = '') {
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
      for (const key of keys) {
        const plain = decrypt(key, bytes, context)
        if (plain !== undefined) return plain
      }
      return undefined
    },
  }
}

function decrypt(key: KeyObject, bytes: Buffer, context: string): Buffer | undefined {
  try {
    const iv = bytes.subarray(0, IV_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    // In GCM, `update` returns all plaintext. `final` throws only if the tag is wrong.
    const plain = decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES))
    decipher.final()
    return plain
  } catch {
    return undefined
  }
}
