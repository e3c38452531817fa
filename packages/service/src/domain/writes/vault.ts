import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** Encrypts what must not lie in the database in clear text: client secrets and signing keys. */
export interface Vault {
  /** @param purpose - Bound to the result; {@link open} asks for the same, such as `application:<id>`. */
  seal(purpose: string, text: string): string
  /** @throws when the text was sealed under an unknown master key or for another purpose. */
  open(purpose: string, sealed: string): string
  /**
   * The same text sealed under the newest master key; `undefined` when it is already.
   *
   * @throws as {@link open} does.
   */
  reseal(purpose: string, sealed: string): string | undefined
}

/** The master keys: the newest seals, all of them open. */
export interface MasterKeys {
  /** 32 bytes each, the newest first. The same array for as long as they are the same. */
  list(): readonly Uint8Array[]
  /** Looks for newer ones; answers whether there are. */
  refresh(): boolean
}

const FORMAT = 'v1.'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * A vault under one master key, or under several while they are rotated.
 *
 * A sealed text is `v1.` and, in base64url, 12 bytes of nonce, the AES-256-GCM ciphertext and its tag.
 *
 * @param masterKeys - 32 random bytes each.
 */
export function createVault(masterKeys: Uint8Array | MasterKeys): Vault {
  const source = masterKeys instanceof Uint8Array ? fixedKeys([masterKeys]) : masterKeys
  let derivedFrom: readonly Uint8Array[] | undefined
  let derived: readonly KeyObject[] = []

  function keys(): readonly KeyObject[] {
    const current = source.list()
    if (current !== derivedFrom) derived = current.map(derive)
    derivedFrom = current
    return derived
  }

  function tryAll(purpose: string, sealed: string): string {
    let failure: unknown
    for (const key of keys()) {
      try {
        return openWith(key, purpose, sealed)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  function seal(purpose: string, text: string): string {
    const iv = randomBytes(IV_BYTES)
    const [key] = keys()
    const cipher = createCipheriv('aes-256-gcm', key as KeyObject, iv).setAAD(Buffer.from(purpose))
    const body = Buffer.concat([
      iv,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return FORMAT + body.toString('base64url')
  }

  function open(purpose: string, sealed: string): string {
    try {
      return tryAll(purpose, sealed)
    } catch (error) {
      // Another process may have sealed it under a key that this one has not read yet.
      if (!source.refresh()) throw error
      return tryAll(purpose, sealed)
    }
  }

  keys()
  return {
    seal,
    open,
    reseal(purpose, sealed) {
      try {
        openWith(keys()[0] as KeyObject, purpose, sealed)
        return undefined
      } catch {
        return seal(purpose, open(purpose, sealed))
      }
    },
  }
}

/**
 * The opened value, or `undefined` when its master key is gone: for what begins again then, such as
 * a code that was mailed.
 */
export function openIfKnown(vault: Vault, purpose: string, sealed: string): string | undefined {
  try {
    return vault.open(purpose, sealed)
  } catch {
    return undefined
  }
}

/** Master keys that stay the same. */
export function fixedKeys(keys: readonly Uint8Array[]): MasterKeys {
  return { list: () => keys, refresh: () => false }
}

function derive(masterKey: Uint8Array): KeyObject {
  if (masterKey.length !== 32) {
    throw new TypeError(`The master key has ${masterKey.length} bytes; it needs exactly 32.`)
  }
  return createSecretKey(
    new Uint8Array(hkdfSync('sha256', masterKey, '', 'latchkey-service vault v1', 32)),
  )
}

function openWith(key: KeyObject, purpose: string, sealed: string): string {
  const body = Buffer.from(sealed.slice(FORMAT.length), 'base64url')
  if (!sealed.startsWith(FORMAT) || body.length < IV_BYTES + TAG_BYTES) {
    throw new Error('The sealed text is damaged or of an unknown format.')
  }
  const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(body.subarray(-TAG_BYTES))
  const text = decipher.update(body.subarray(IV_BYTES, -TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}
