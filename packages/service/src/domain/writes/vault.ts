import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { StoreError } from '../../store/errors.ts'

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
  /** The id of the newest master key, with which everything ends that it has sealed. */
  newestId(): string
  /** The first of these ids whose master key is not known here, after a look for newer keys. */
  firstUnknown(ids: readonly string[]): string | undefined
}

/** A text was sealed under a master key that is not known here. Other processes may know it, so a request may be repeated. */
export class UnknownMasterKeyError extends StoreError {
  override readonly name = 'UnknownMasterKeyError'
  readonly keyId: string

  constructor(keyId: string) {
    super(
      `A secret is encrypted under the master key ${keyId}, which is not known here. ` +
        'Give it to every process, behind the key that encrypts.',
    )
    this.keyId = keyId
  }
}

/** The master keys: the newest seals, all of them open. */
export interface MasterKeys {
  /** 32 bytes each, the newest first. The same array for as long as they are the same. */
  list(): readonly Uint8Array[]
  /** Looks for newer ones; answers whether there are. */
  refresh(): boolean
}

/** The purpose for which the key of a legacy password is sealed. */
export const legacyPurpose = (userId: string): string => `legacy_password:${userId}`

const FORMAT = 'v1.'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * A vault under one master key, or under several while they are rotated.
 *
 * A sealed text has three parts: `v1.`; in base64url, 12 bytes of nonce, the AES-256-GCM ciphertext
 * and its tag; `=` and the id of the master key. Release 0.2 writes no id, and reads no further
 * than the `=`.
 *
 * @param masterKeys - 32 random bytes each.
 */
export function createVault(masterKeys: Uint8Array | MasterKeys): Vault {
  const source = masterKeys instanceof Uint8Array ? fixedKeys([masterKeys]) : masterKeys
  let derivedFrom: readonly Uint8Array[] | undefined
  let derived: readonly SealingKey[] = []

  function keys(): readonly SealingKey[] {
    const current = source.list()
    if (current !== derivedFrom) derived = current.map(derive)
    derivedFrom = current
    return derived
  }

  function tryAll(purpose: string, sealed: string): string {
    const id = keyIdOf(sealed)
    const candidates = keys().filter((key) => id === undefined || key.id === id)
    let failure: unknown = id === undefined ? undefined : new UnknownMasterKeyError(id)
    for (const { key } of candidates) {
      try {
        return openWith(key, purpose, sealed)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  function newest(): SealingKey {
    return keys()[0] as SealingKey
  }

  function seal(purpose: string, text: string): string {
    const iv = randomBytes(IV_BYTES)
    const { id, key } = newest()
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
    const body = Buffer.concat([
      iv,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return `${FORMAT}${body.toString('base64url')}=${id}`
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
    reseal: (purpose, sealed) =>
      keyIdOf(sealed) === newest().id ? undefined : seal(purpose, open(purpose, sealed)),
    newestId: () => newest().id,
    firstUnknown(ids) {
      const find = () => ids.find((id) => !keys().some((key) => key.id === id))
      return find() !== undefined && source.refresh() ? find() : find()
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

/** A master key, ready to seal. Its id reveals nothing about it. */
interface SealingKey {
  id: string
  key: KeyObject
}

const ID_BYTES = 6

function derive(masterKey: Uint8Array): SealingKey {
  if (masterKey.length !== 32) {
    throw new TypeError(`The master key has ${masterKey.length} bytes; it needs exactly 32.`)
  }
  const bytes = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `latchkey-service ${use} v1`, length))
  return {
    id: bytes('key id', ID_BYTES).toString('base64url'),
    key: createSecretKey(bytes('vault', 32)),
  }
}

/** The id of the master key of a sealed text; `undefined` for one of release 0.2. */
function keyIdOf(sealed: string): string | undefined {
  const at = sealed.indexOf('=')
  return at === -1 ? undefined : sealed.slice(at + 1)
}

function openWith(key: KeyObject, purpose: string, sealed: string): string {
  const [text = ''] = sealed.split('=', 1)
  const body = Buffer.from(text.slice(FORMAT.length), 'base64url')
  if (!sealed.startsWith(FORMAT) || body.length < IV_BYTES + TAG_BYTES) {
    throw new Error('The sealed text is damaged or of an unknown format.')
  }
  const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(body.subarray(-TAG_BYTES))
  const opened = decipher.update(body.subarray(IV_BYTES, -TAG_BYTES))
  return Buffer.concat([opened, decipher.final()]).toString('utf8')
}
