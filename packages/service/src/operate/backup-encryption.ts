import { createReadStream, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

/**
 * The secret that encrypts a backup: a passphrase, or keys of age (`age1…`, `AGE-SECRET-KEY-1…`).
 */
export type BackupKeys = { passphrase: string } | { keys: string[] }

/** The paths of files: one with a passphrase, or one with keys. */
export interface KeyFiles {
  passphraseFile?: string | undefined
  keyFile?: string | undefined
}

/**
 * Reads the secret of a backup; `undefined` if the options name no file.
 *
 * @throws if the passphrase is too short, or the file has other lines than keys and comments.
 */
export function readBackupKeys({ passphraseFile, keyFile }: KeyFiles): BackupKeys | undefined {
  if (passphraseFile !== undefined) {
    const passphrase = readFileSync(passphraseFile, 'utf8').replace(/\r?\n$/, '')
    if (passphrase.length < MIN_LENGTH) {
      throw new Error(
        `${passphraseFile} must hold a passphrase of ${MIN_LENGTH} characters or more.`,
      )
    }
    return { passphrase }
  }
  if (keyFile === undefined) return undefined
  const lines = readFileSync(keyFile, 'utf8').split(/\r?\n/)
  const keys = lines.map((line) => line.trim()).filter((line) => line !== '' && line[0] !== '#')
  const isKey = (line: string) => /^(age1|AGE-SECRET-KEY-)/.test(line)
  if (keys.length === 0 || !keys.every(isKey)) {
    throw new Error(`${keyFile} must hold keys of age, one a line. Make one with: age-keygen`)
  }
  return { keys }
}

const MIN_LENGTH = 12

/** Encrypts a stream in the age format, which the program `age` can also read. */
export async function* encrypted(content: Readable, keys: BackupKeys): AsyncGenerator<Uint8Array> {
  const { Encrypter, identityToRecipient } = await import('age-encryption')
  const encrypter = new Encrypter()
  if ('passphrase' in keys) encrypter.setPassphrase(keys.passphrase)
  else {
    for (const key of keys.keys) {
      encrypter.addRecipient(key.startsWith('age1') ? key : await identityToRecipient(key))
    }
  }
  yield* await encrypter.encrypt(toWeb(content))
}

/**
 * Decrypts a stream in the age format.
 *
 * @param name - The name of the file in the message of an error.
 * @throws if the keys do not open the file, or the file was changed.
 */
export async function* decrypted(
  content: Readable,
  keys: BackupKeys,
  name: string,
): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  if ('passphrase' in keys) decrypter.addPassphrase(keys.passphrase)
  else {
    const secret = keys.keys.filter((key) => !key.startsWith('age1'))
    if (secret.length === 0) {
      throw new Error('The key file holds public keys alone; restoring needs AGE-SECRET-KEY-1….')
    }
    for (const key of secret) decrypter.addIdentity(key)
  }
  try {
    yield* await decrypter.decrypt(toWeb(content))
  } catch (cause) {
    throw new Error(`${name} cannot be decrypted: another key encrypted it, or it is damaged.`, {
      cause,
    })
  }
}

const MAGIC = 'age-encryption.org/v1\n'

/** Whether a file is in the age format. */
export async function isEncrypted(file: string): Promise<boolean> {
  let start = ''
  for await (const chunk of createReadStream(file, { end: MAGIC.length - 1 })) start += chunk
  return start === MAGIC
}

function toWeb(content: Readable): globalThis.ReadableStream<Uint8Array> {
  const web: ReadableStream<Uint8Array> = Readable.toWeb(content)
  return web as globalThis.ReadableStream<Uint8Array>
}
