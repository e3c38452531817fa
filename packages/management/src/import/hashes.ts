import type { ImportAlgorithm } from '../types.ts'
import { ownSchemes } from './legacy.ts'
import { type RowFault, rowFault } from './row-fault.ts'

export const algorithms: readonly ImportAlgorithm[] = [
  'bcrypt',
  'plain',
  'md5',
  'sha1',
  'sha256',
  'sha512',
]

/** The names of hash algorithms that a file or `--hash-algorithm` can use. */
export const hashNames: readonly HashName[] = [...algorithms, ...ownSchemes]

/** One of {@link hashNames}. */
export type HashName = ImportAlgorithm | (typeof ownSchemes)[number]

/** The maximum size of a password in bytes. bcrypt ignores further bytes. */
const MOST_BYTES = 72

/** The range of bcrypt costs that the API accepts. */
const costs = { least: 8, most: 12 }

const digestBytes = { md5: 16, sha1: 20, sha256: 32, sha512: 64 } as const

export function isAlgorithm(text: string): text is ImportAlgorithm {
  return (algorithms as readonly string[]).includes(text)
}

export function isHashName(text: string): text is HashName {
  return (hashNames as readonly string[]).includes(text)
}

/**
 * The fault of a hash or plain password, without its text; `undefined` if none is found. The
 * service checks the hash again.
 */
export function hashFault(alg: ImportAlgorithm, hash: string): RowFault | undefined {
  switch (alg) {
    case 'plain':
      return Buffer.byteLength(hash.normalize('NFC')) > MOST_BYTES
        ? rowFault('password_long', { most: MOST_BYTES })
        : undefined
    case 'bcrypt':
      return bcryptFault(hash)
    default:
      return digestFault(alg, hash)
  }
}

function bcryptFault(hash: string): RowFault | undefined {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? []
  if (cost === undefined) return rowFault('hash_bcrypt')
  const isTolerated = Number(cost) >= costs.least && Number(cost) <= costs.most
  return isTolerated ? undefined : rowFault('hash_cost', { cost: Number(cost), ...costs })
}

function digestFault(alg: keyof typeof digestBytes, hash: string): RowFault | undefined {
  const bytes = digestBytes[alg]
  if (hash.length === bytes * 2 && /^[0-9a-f]+$/i.test(hash)) return undefined
  const decoded = Buffer.from(hash, 'base64')
  if (decoded.length === bytes && decoded.toString('base64') === hash) return undefined
  return rowFault('hash_digest', { name: alg, digits: bytes * 2, bytes })
}

/** Whether a password looks like a hash, as some frameworks store hashes in a column `password`. */
export function looksHashed(password: string): boolean {
  return /^(\$(2[abxy]|argon2|scrypt|pbkdf2|[156]|[PH]\$|wp\$)|\{S?SHA|(pbkdf2|bcrypt|argon2|scrypt|md5|sha1)[\w]*[$:])/i.test(
    password,
  )
}
