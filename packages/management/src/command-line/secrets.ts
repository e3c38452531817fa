import { closeSync, openSync, readSync } from 'node:fs'
import { Option } from 'commander'
import { Exit, exitCodes } from './exit-codes.ts'
import { fileFailure } from './files.ts'

/**
 * An option whose environment variable holds a secret. The variable `<variable>_FILE` can name a
 * file with the secret instead.
 */
export class SecretOption extends Option {}

/** The size of the largest file that is read as a secret, in bytes. */
const MAX_BYTES = 65_536

/**
 * Reads a secret from an environment variable, or from the file that `<variable>_FILE` names. Line
 * breaks at the end of the file are removed.
 *
 * @returns `undefined` if neither is set; an empty variable counts as not set.
 * @throws Exit if both are set, or if the file cannot be read, is empty, is larger than 64 KiB or
 *   is not text. The message contains no part of the secret.
 */
export function secretOf(
  variable: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const given = environment[variable] || undefined
  const fileVariable = `${variable}_FILE`
  const file = environment[fileVariable]
  if (!file) return given
  if (given !== undefined) {
    const message = `${variable} and ${fileVariable} are both set. Remove one of them. (LATCHKEY_SECRET_TWICE)`
    throw new Exit(exitCodes.usage, message)
  }
  const secret = readSecret(file)
  if (typeof secret === 'string') return secret
  throw new Exit(
    exitCodes.failed,
    `${fileVariable}: ${secret.fault} (LATCHKEY_SECRET_FILE_INVALID)`,
  )
}

function readSecret(file: string): string | { fault: string } {
  let bytes: Buffer
  try {
    bytes = readStart(file)
  } catch (error) {
    // Some errors have no path, such as the error for reading a folder.
    const failure = Object.assign(error as NodeJS.ErrnoException, { path: file })
    return { fault: fileFailure(failure, 'read') ?? `${file} cannot be read (${failure.code}).` }
  }
  if (bytes.length > MAX_BYTES) {
    return { fault: `${file} is larger than 64 KiB, so it is not the file of a secret.` }
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { fault: `${file} is not text in UTF-8.` }
  }
  if (text.includes('\0')) return { fault: `${file} is not text in UTF-8.` }
  const secret = text.replace(/[\r\n]+$/, '')
  if (secret.trim() === '') return { fault: `${file} is empty.` }
  return secret
}

/**
 * Reads the start of a file, at most one byte more than the limit. A device such as `/dev/zero`
 * never ends.
 */
function readStart(file: string): Buffer {
  const opened = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    let length = 0
    let read: number
    do {
      read = readSync(opened, bytes, length, bytes.length - length, null)
      length += read
    } while (read > 0 && length < bytes.length)
    return bytes.subarray(0, length)
  } finally {
    closeSync(opened)
  }
}
