import {
  createCipheriv,
  createHash,
  createHmac,
  pbkdf2,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'

/** A hash of another system with its parameters, as it is stored. Bytes are base64. */
export type Verifier =
  | {
      kind: 'pbkdf2'
      digest: 'sha1' | 'sha256' | 'sha512'
      rounds: number
      salt: string
      hash: string
    }
  | { kind: 'phpass'; log2Rounds: number; salt: string; hash: string }
  | { kind: 'wordpress'; hash: string }
  | {
      kind: 'firebase'
      memCost: number
      rounds: number
      salt: string
      separator: string
      hash: string
    }
  | {
      kind: 'argon2'
      variant: Argon2Variant
      version: Argon2Version
      memoryKib: number
      passes: number
      lanes: number
      salt: string
      hash: string
    }

/** The variant of Argon2. */
export type Argon2Variant = 'd' | 'i' | 'id'

/** The version of Argon2: 16 is 1.0, 19 is 1.3. */
type Argon2Version = 16 | 19

const derivePbkdf2 = promisify(pbkdf2)

/** The number of phpass rounds after which other requests get their turn: about a millisecond. */
const SLICE = 1_000

/**
 * The kinds of work of a verification. The speed of a machine at one kind says nothing about
 * another kind.
 */
export const workKinds = [
  'pbkdf2-sha1',
  'pbkdf2-sha256',
  'pbkdf2-sha512',
  'phpass',
  'wordpress',
  'firebase',
  'argon2',
] as const

/** One of {@link workKinds}. */
export type WorkKind = (typeof workKinds)[number]

/**
 * Whether a password matches the hash.
 *
 * @param key - The key that the other system uses for all of its users. Only Firebase hashes need
 *   it.
 */
export async function matchesVerifier(
  verifier: Verifier,
  password: string,
  key: string | undefined,
): Promise<boolean> {
  switch (verifier.kind) {
    case 'pbkdf2': {
      const { digest, rounds, salt } = verifier
      const expected = bytes(verifier.hash)
      const found = await derivePbkdf2(password, bytes(salt), rounds, expected.length, digest)
      return isEqual(found, expected)
    }
    case 'phpass':
      return anyOf(slashed(password), (text) => matchesPhpass(verifier, text))
    case 'wordpress':
      return anyOf(slashed(password), (text) => verifyBcrypt(wordpressInput(text), verifier.hash))
    case 'firebase': {
      const derived = await firebaseKey(verifier, password)
      const cipher = createCipheriv('aes-256-ctr', derived, Buffer.alloc(16))
      return isEqual(cipher.update(bytes(key ?? '')), bytes(verifier.hash))
    }
    case 'argon2': {
      const expected = bytes(verifier.hash)
      return isEqual(await deriveArgon2(verifier, password, expected.length), expected)
    }
  }
}

/** The kind of work of a verification. */
export function workKindOf(verifier: Verifier): WorkKind {
  return verifier.kind === 'pbkdf2' ? `pbkdf2-${verifier.digest}` : verifier.kind
}

/**
 * The amount of work of a verification, in the unit of its kind. For Argon2, it is KiB times
 * passes; for the others, rounds or powers of two of the cost.
 */
export function workOf(verifier: Verifier): number {
  switch (verifier.kind) {
    case 'pbkdf2': {
      const { digest, rounds, hash } = verifier
      return rounds * Math.ceil(bytes(hash).length / digestBytes[digest])
    }
    case 'phpass':
      return 2 ** verifier.log2Rounds
    case 'wordpress':
      return 2 ** Number(verifier.hash.slice(4, 6))
    case 'firebase':
      return 2 ** verifier.memCost * verifier.rounds
    case 'argon2':
      return verifier.memoryKib * verifier.passes
  }
}

/**
 * The memory of a verification that counts against the limit, in KiB. It is 0 for all kinds but
 * Argon2.
 */
export function memoryOf(verifier: Verifier): number {
  return verifier.kind === 'argon2' ? verifier.memoryKib : 0
}

/**
 * The verifications whose work makes up the difference between `own` and `other`, which are of the
 * same kind. Even a large difference takes few of them, because anyone who knows an address can
 * cause them.
 */
export function missingWork(own: Verifier, other: Verifier): Verifier[] {
  const missing = workOf(other) - workOf(own)
  if (missing <= 0) return []
  switch (other.kind) {
    case 'pbkdf2': {
      const hash = Buffer.alloc(digestBytes[other.digest], 1).toString('base64')
      return [{ ...other, rounds: missing, hash }]
    }
    // The difference of two powers of two is a sum of powers of two: 2^own to 2^(other - 1).
    case 'phpass':
      return powersOf(missing).map((log2Rounds) => ({ ...other, log2Rounds }))
    case 'wordpress':
      return powersOf(missing).map((cost) => {
        const hash = `$2y$${String(cost).padStart(2, '0')}${other.hash.slice(6)}`
        return { ...other, hash }
      })
    case 'firebase': {
      const rounds = Math.round(missing / 2 ** other.memCost)
      return rounds > 0 ? [{ ...other, rounds }] : []
    }
    case 'argon2': {
      const memoryKib = Math.round(missing / other.passes)
      // RFC 9106 §3.1: at least 8 KiB for each lane.
      return memoryKib >= 8 * other.lanes ? [{ ...other, memoryKib }] : []
    }
  }
}

/** The exponents of the powers of two that add up to `sum`. */
function powersOf(sum: number): number[] {
  const digits = [...sum.toString(2)].toReversed()
  return digits.flatMap((digit, exponent) => (digit === '1' ? [exponent] : []))
}

const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const

/**
 * The forms of a password that WordPress may have hashed. WordPress puts a backslash before each
 * quote and backslash that a form sends, but not if a program sets the password.
 */
function slashed(password: string): string[] {
  const text = password.replace(/['"\\]/g, '\\$&')
  return text === password ? [password] : [password, text]
}

async function anyOf(
  texts: readonly string[],
  matches: (text: string) => Promise<boolean>,
): Promise<boolean> {
  let isMatch = false
  // Tries all texts, so that the time does not reveal which one matches.
  for (const text of texts) isMatch = (await matches(text)) || isMatch
  return isMatch
}

/** The input of bcrypt for a password in WordPress 6.8 or newer. */
function wordpressInput(password: string): string {
  return createHmac('sha384', 'wp-sha384').update(password.trim()).digest('base64')
}

async function matchesPhpass(
  { log2Rounds, salt, hash }: Extract<Verifier, { kind: 'phpass' }>,
  password: string,
): Promise<boolean> {
  const text = Buffer.from(password)
  let digest = md5(Buffer.from(salt), text)
  for (let left = 2 ** log2Rounds; left > 0; left -= SLICE) {
    for (let n = Math.min(left, SLICE); n > 0; n--) digest = md5(digest, text)
    await setImmediate()
  }
  return isEqual(Buffer.from(toPhpass(digest)), Buffer.from(hash))
}

function md5(...parts: Buffer[]): Buffer {
  return createHash('md5').update(Buffer.concat(parts)).digest()
}

const PHPASS_DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The value of a digit of phpass. */
export function phpassDigit(digit: string): number {
  return PHPASS_DIGITS.indexOf(digit)
}

/** Encodes a digest for phpass. Each three bytes become four digits, the lowest first. */
function toPhpass(digest: Buffer): string {
  let text = ''
  for (let at = 0; at < digest.length; at += 3) {
    const left = digest.length - at
    const value = (digest[at] ?? 0) | ((digest[at + 1] ?? 0) << 8) | ((digest[at + 2] ?? 0) << 16)
    const digits = left >= 3 ? 4 : left + 1
    for (let n = 0; n < digits; n++) text += PHPASS_DIGITS[(value >> (6 * n)) & 63]
  }
  return text
}

/** The key with which Firebase encrypts its signer key. The encrypted signer key is the hash. */
function firebaseKey(
  { memCost, rounds, salt, separator }: Extract<Verifier, { kind: 'firebase' }>,
  password: string,
): Promise<Buffer> {
  const [N, r] = [2 ** memCost, rounds]
  const limits = { N, r, p: 1, maxmem: 256 * N * r + 1024 * 1024 }
  return new Promise((resolve, reject) => {
    const salts = Buffer.concat([bytes(salt), bytes(separator)])
    scrypt(password, salts, 32, limits, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

const argon2Variants = { d: 0, i: 1, id: 2 } as const
const argon2Versions = { 16: 0, 19: 1 } as const

/**
 * Derives the Argon2 hash of a password. The library is native code and is loaded at the first
 * call.
 */
async function deriveArgon2(
  { variant, version, memoryKib, passes, lanes, salt }: Extract<Verifier, { kind: 'argon2' }>,
  password: string,
  outputLen: number,
): Promise<Buffer> {
  const { hashRaw } = await import('@node-rs/argon2')
  return hashRaw(password, {
    algorithm: argon2Variants[variant],
    version: argon2Versions[version],
    memoryCost: memoryKib,
    timeCost: passes,
    parallelism: lanes,
    salt: bytes(salt),
    outputLen,
  })
}

function bytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64')
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && a.length > 0 && timingSafeEqual(a, b)
}
