import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

/** Encrypts what must not lie in the database in clear text: client secrets and signing keys. */
export interface Vault {
  /** @param purpose - Bound to the result; {@link open} asks for the same, such as `application:<id>`. */
  seal(purpose: string, text: string): string
  /** @throws when the text was sealed under another master key or for another purpose. */
  open(purpose: string, sealed: string): string
}

const FORMAT = 'v1.'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * A vault under one master key.
 *
 * A sealed text is `v1.` and, in base64url, 12 bytes of nonce, the AES-256-GCM ciphertext and its tag.
 *
 * @param masterKey - 32 random bytes.
 */
export function createVault(masterKey: Uint8Array): Vault {
  if (masterKey.length !== 32) {
    throw new TypeError(`The master key has ${masterKey.length} bytes; it needs exactly 32.`)
  }
  const key = createSecretKey(
    new Uint8Array(hkdfSync('sha256', masterKey, '', 'latchkey-service vault v1', 32)),
  )

  return {
    seal(purpose, text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([
        iv,
        cipher.update(text, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return FORMAT + body.toString('base64url')
    },

    open(purpose, sealed) {
      const body = Buffer.from(sealed.slice(FORMAT.length), 'base64url')
      if (!sealed.startsWith(FORMAT) || body.length < IV_BYTES + TAG_BYTES) {
        throw new Error('The sealed text is damaged or of an unknown format.')
      }
      const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(body.subarray(-TAG_BYTES))
      const text = decipher.update(body.subarray(IV_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}
