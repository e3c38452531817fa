import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads a master key: 32 bytes in base64 or base64url.
 *
 * @throws when it is anything else; the message does not repeat it.
 */
export function parseMasterKey(text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) {
    throw new Error(
      '"masterKey" must be 32 bytes in base64; is LATCHKEY_MASTER_KEY set? ' +
        'Make one with: openssl rand -base64 32',
    )
  }
  return key
}

/**
 * The master key of a data folder, in its file `master.key`; made at the first start, when there is
 * nothing yet that another key could have encrypted.
 */
export function masterKeyOf(folder: string): Buffer {
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
  return parseMasterKey(readFileSync(file, 'utf8'))
}

/** Writes the file beside its place and links it there, so that two first starts agree on one key. */
function createKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    rmSync(draft)
  }
}
