import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixedKeys, type MasterKeys } from '../domain/writes/vault.ts'

/** The source of the master key. Default: the file `master.key` of the data folder. */
export interface MasterKeySource {
  data?: string | undefined
  masterKey?: string | undefined
  masterKeyFile?: string | undefined
}

/**
 * The master keys of a service, from `masterKey`, `masterKeyFile`, or the file in the data folder.
 * Data in memory gets a random key.
 *
 * @throws with a sentence if both options are given, a key is malformed, or a file cannot be read.
 */
export function openMasterKeys({ data, masterKey, masterKeyFile }: MasterKeySource): MasterKeys {
  if (masterKey !== undefined) {
    if (masterKeyFile === undefined) return fixedKeys(parseKeys(masterKey, OPTION))
    throw new Error('Give "masterKey" or "masterKeyFile", and not both.')
  }
  if (masterKeyFile !== undefined) return keysOfFile(masterKeyFile)
  if (data !== undefined) return keysOfFile(fileOf(data))
  return fixedKeys([randomBytes(KEY_BYTES)])
}

/**
 * The master keys for a database. All its processes need the same keys.
 *
 * @throws if no key is given; otherwise like {@link openMasterKeys}.
 */
export function openSharedMasterKeys({
  masterKey,
  masterKeyFile,
}: Omit<MasterKeySource, 'data'>): MasterKeys {
  if (masterKey === undefined && masterKeyFile === undefined) {
    throw new TypeError(
      '"database" needs "masterKey", the same in every process; is LATCHKEY_MASTER_KEY set? ' +
        'Make one with: openssl rand -base64 32',
    )
  }
  return openMasterKeys({ masterKey, masterKeyFile })
}

/**
 * The keys in a file, one per line, the newest first. A key that is removed from the file stays
 * known until the process ends, because old values may still need it.
 */
function keysOfFile(file: string): MasterKeys {
  let text = readKeyFile(file)
  let keys: readonly Buffer[] = keysIn(text, file)
  return {
    list: () => keys,
    refresh() {
      const now = readKeyFile(file)
      if (now === text) return false
      const read = keysIn(now, file)
      keys = [...read, ...keys.filter((known) => !read.some((key) => key.equals(known)))]
      text = now
      return true
    },
  }
}

function readKeyFile(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(`The master key file ${file} cannot be read (${code}).`, { cause })
  }
  if (text.length > MAX_FILE_CHARACTERS) {
    throw new Error(`The master key file ${file} is larger than 64 KiB, so it holds other data.`)
  }
  return text
}

function keysIn(text: string, file: string): Buffer[] {
  if (text.trim() === '') throw new Error(`The master key file ${file} holds no key.`)
  return parseKeys(text, file)
}

/**
 * Splits a list of keys, which spaces, commas or line breaks separate.
 *
 * @param place - The place of the list, for the message of an error.
 */
function parseKeys(text: string, place: string): Buffer[] {
  return text
    .trim()
    .split(/[\s,]+/)
    .map((word, index) => parseMasterKey(word, `Key ${index + 1} in ${place}`))
}

const OPTION = '"masterKey" (LATCHKEY_MASTER_KEY)'
const KEY_BYTES = 32
/** {@link KEY_BYTES} bytes in base64 or base64url, and nothing after them, such as another key. */
const KEY = /^[\w+/-]{43}=?$/
const MAX_FILE_CHARACTERS = 65_536

/**
 * Reads a master key: 32 bytes in base64 or base64url.
 *
 * @param name - The name of the key in the message of an error.
 * @throws for any other text. The message does not contain the text.
 */
function parseMasterKey(text: string, name: string): Buffer {
  if (!KEY.test(text)) {
    throw new Error(
      `A master key must be 32 bytes in base64: 43 characters and "=". ${name} has ${text.length} characters, ` +
        'or other ones than base64. Is it set, whole, without quotes, and on a line of its own? ' +
        'Make one with: openssl rand -base64 32',
    )
  }
  return Buffer.from(text, 'base64')
}

/**
 * The path of the file `master.key` in a data folder. The file is created at the first start, when
 * nothing can be encrypted under another key yet.
 *
 * @throws if the file is missing and the folder has data.
 */
function fileOf(folder: string): string {
  const file = join(folder, 'master.key')
  if (!existsSync(file)) {
    if (existsSync(join(folder, 'data.db'))) {
      throw new Error(
        `${file} is missing, and without it the secrets in ${folder} cannot be read. ` +
          'Restore the file, or set LATCHKEY_MASTER_KEY to the key it held.',
      )
    }
    createKeyFile(file)
  }
  return file
}

/**
 * Writes a random key to a temporary file and links it into place, so that two first starts use one
 * key.
 */
function createKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, {
    mode: 0o600,
    flush: true,
  })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    rmSync(draft)
  }
}
