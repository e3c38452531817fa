import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { StoreError } from '../../store/errors.ts'

/**
 * The encryption of data that must not be in the database in clear text, such as client secrets and
 * signing keys.
 */
export interface Vault {
  /**
   * Encrypts a text under the newest master key.
   *
   * @param purpose - Bound to the result, such as `application:<id>`. {@link open} needs the same
   *   purpose.
   */
  seal(purpose: string, text: string): string
  /**
   * Decrypts a sealed text.
   *
   * @throws when the text is damaged, or was sealed under an unknown master key or for another
   *   purpose.
   */
  open(purpose: string, sealed: string): string
  /**
   * The text sealed again under the newest master key; `undefined` if it already is sealed under
   * that key.
   *
   * @throws as {@link open} does.
   */
  reseal(purpose: string, sealed: string): string | undefined
  /** The id of the newest master key. Every text that the key sealed ends with this id. */
  newestId(): string
  /**
   * The first of these ids whose master key this process does not have, after it has looked for
   * newer keys.
   */
  firstUnknown(ids: readonly string[]): string | undefined
}

/**
 * The error for a text that was sealed under a master key that this process does not have. Another
 * process may have the key, so a request can be retried.
 */
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

/**
 * Whether an error is a failure of the store as a whole. Work for other tenants would fail as well;
 * after another error, such as a secret that cannot be opened, only that of one tenant does.
 */
export function isStoreDown(error: unknown): boolean {
  return error instanceof StoreError && !(error instanceof UnknownMasterKeyError)
}

/** The master keys. The newest key seals; all keys open. */
export interface MasterKeys {
  /**
   * The keys of 32 bytes each, the newest first. The same array is returned until the keys change.
   */
  list(): readonly Uint8Array[]
  /** Looks for newer keys. Returns whether there are any. */
  refresh(): boolean
}

/** The purpose for which the key of a legacy password is sealed. */
export const legacyPurpose = (userId: string): string => `legacy_password:${userId}`

const FORMAT = 'v1.'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Creates a vault with one master key, or with several during a rotation.
 *
 * A sealed text has three parts: `v1.`; in base64url, 12 bytes of nonce, the AES-256-GCM ciphertext
 * and its tag; `=` and the id of the master key. Release 0.2 writes no id, and ignores the text
 * from `=` on.
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
      // Another process may have sealed the text under a key that this process has not read yet.
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
 * Opens a text; `undefined` if it cannot be opened, for example because its master key was removed.
 * Used for data that can be made again, such as a mailed code.
 */
export function openIfKnown(vault: Vault, purpose: string, sealed: string): string | undefined {
  try {
    return vault.open(purpose, sealed)
  } catch {
    return undefined
  }
}

/** A source of master keys that do not change. */
export function fixedKeys(keys: readonly Uint8Array[]): MasterKeys {
  return { list: () => keys, refresh: () => false }
}

/**
 * A key for sealing, derived from a master key, and the master key's id. The id reveals nothing
 * about the key.
 */
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

/** The id of the master key that sealed a text; `undefined` for a text of release 0.2. */
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
