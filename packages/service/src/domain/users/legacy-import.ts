import { ServiceError } from '../writes/errors.ts'
import { nearestName } from '../writes/nearest-name.ts'
import { type ReasonName, reason, type Value, type ValuesOf } from '../writes/reasons/index.ts'
import { limits } from '../writes/rules.ts'
import { type Argon2Variant, phpassDigit, type Verifier } from './legacy-verifier.ts'
import { MAX_MEMORY_KIB } from './password-engine.ts'

/** The systems whose hashes can be imported. */
export const legacySchemes = [
  'argon2',
  'aspnet',
  'django',
  'firebase',
  'keycloak',
  'phpass',
  'wordpress',
] as const

/** One of {@link legacySchemes}. */
export type LegacyScheme = (typeof legacySchemes)[number]

/** A hash of another system, as a caller sent it. */
export interface ImportedLegacyPassword {
  scheme: string
  hash: string
  parameters?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * A parsed hash. `key` is the secret key of the other system, if its hashes need one; `verifier`
 * contains the rest.
 */
export interface ReadLegacy {
  verifier: Verifier
  key: string | undefined
}

/** The maximum number of rounds, because each login has to compute them. Django 6 has 1,200,000. */
const MAX_ROUNDS = 2_000_000

const MAX_SALT_BYTES = 1_024
const MIN_ARGON2_SALT_BYTES = 8
const MIN_HASH_BYTES = 16
const MAX_HASH_BYTES = 128

/** The maximum memory cost of a Firebase hash, as an exponent of two: 16 MiB at 8 rounds. */
const MAX_MEM_COST = 14
const MAX_FIREBASE_ROUNDS = 8

/** The minimum and maximum of phpass rounds, as exponents of two. WordPress has 13. */
const MIN_PHPASS = 7
const MAX_PHPASS = 16

/**
 * The maximum product of Argon2's passes and its memory in KiB. Laravel has 4 passes over 64 MiB.
 */
const MAX_ARGON2_KIB = 1_048_576

/**
 * The maximum number of Argon2 lanes. Kratos uses two for each core. A verification runs at most
 * one thread for each core.
 */
const MAX_ARGON2_LANES = 128

const parametersOf: Readonly<Record<LegacyScheme, readonly string[]>> = {
  argon2: [],
  aspnet: [],
  django: [],
  firebase: ['salt', 'salt_separator', 'signer_key', 'rounds', 'mem_cost'],
  keycloak: ['algorithm', 'iterations', 'salt', 'type', 'version', 'memory', 'parallelism'],
  phpass: [],
  wordpress: [],
}

/**
 * Parses the hash of another system.
 *
 * @throws ServiceError `unsupported_algorithm` or `invalid_hash`.
 */
export function readLegacy({ scheme, hash, parameters }: ImportedLegacyPassword): ReadLegacy {
  if (!isLegacyScheme(scheme)) throw unknownScheme(scheme)
  const given = Object.entries(parameters ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  for (const [name] of given) checkName(scheme, name)
  if (hash.length > limits.legacyHashLength) {
    throw invalid('legacy_too_long', { count: hash.length, most: limits.legacyHashLength })
  }
  const read = (name: string) => new Map(given).get(name)
  const verifier = (one: Verifier): ReadLegacy => ({ verifier: one, key: undefined })
  switch (scheme) {
    case 'argon2':
      return verifier(readArgon2(hash))
    case 'django':
      return verifier(
        hash.startsWith('argon2$') ? readArgon2(hash.slice('argon2'.length)) : readDjango(hash),
      )
    case 'aspnet':
      return verifier(readAspNet(hash))
    case 'keycloak':
      return verifier(readKeycloak(hash, read))
    case 'phpass':
      return verifier(readPhpass(hash))
    case 'wordpress':
      return verifier(readWordPress(hash))
    case 'firebase':
      return readFirebase(hash, read)
  }
}

type Read = (name: string) => unknown

function isLegacyScheme(text: string): text is LegacyScheme {
  return (legacySchemes as readonly string[]).includes(text)
}

function unknownScheme(scheme: string): ServiceError {
  const nearest = nearestName(scheme, legacySchemes)
  const all = legacySchemes.join(', ')
  return new ServiceError(
    'unsupported_algorithm',
    nearest === undefined
      ? reason('legacy_scheme', { all })
      : reason('legacy_scheme_nearest', { all, nearest }),
  )
}

function checkName(scheme: LegacyScheme, name: string): void {
  const known = parametersOf[scheme]
  if (known.includes(name)) return
  const nearest = nearestName(name, known)
  const remedy =
    known.length === 0
      ? reason('legacy_no_parameters', { scheme })
      : reason('legacy_parameters', { scheme, known: known.join(', ') })
  throw new ServiceError(
    'invalid_hash',
    nearest === undefined
      ? reason('legacy_parameter', { remedy })
      : reason('legacy_parameter_nearest', { remedy, nearest }),
  )
}

/** Parses a PBKDF2 hash of Django, `pbkdf2_sha256$rounds$salt$hash`, also with `sha1`. */
function readDjango(hash: string): Verifier {
  const [, name = '', digits = '', salt = '', base64 = ''] =
    /^pbkdf2_(sha1|sha256)\$(\d{1,12})\$([^$]+)\$([^$]+)$/.exec(hash) ?? []
  if (name === '') {
    throw invalid('legacy_not_django')
  }
  return readPbkdf2({
    digest: name as 'sha1' | 'sha256',
    rounds: Number(digits),
    salt: Buffer.from(salt).toString('base64'),
    hash: base64,
  })
}

/** Parses a hash of ASP.NET Core Identity, version 2 or 3. */
function readAspNet(hash: string): Verifier {
  const all = decode(hash) ?? Buffer.alloc(0)
  const [version] = all
  if (version === 0 && all.length === 49) {
    const [salt, key] = [all.subarray(1, 17), all.subarray(17)]
    return readPbkdf2({ digest: 'sha1', rounds: 1_000, ...asBase64({ salt, hash: key }) })
  }
  const saltBytes = all.length > 13 ? all.readUInt32BE(9) : 0
  const digest =
    all.length > 13 ? (['sha1', 'sha256', 'sha512'] as const)[all.readUInt32BE(1)] : undefined
  if (version !== 1 || digest === undefined || saltBytes > all.length - 13) {
    throw invalid('legacy_not_aspnet')
  }
  const [salt, key] = [all.subarray(13, 13 + saltBytes), all.subarray(13 + saltBytes)]
  return readPbkdf2({ digest, rounds: all.readUInt32BE(5), ...asBase64({ salt, hash: key }) })
}

const keycloakDigests: Readonly<Record<string, 'sha1' | 'sha256' | 'sha512'>> = {
  pbkdf2: 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
}

function readKeycloak(hash: string, read: Read): Verifier {
  const algorithm = read('algorithm')
  if (algorithm === 'argon2') return readKeycloakArgon2(hash, read)
  const digest = Object.hasOwn(keycloakDigests, String(algorithm))
    ? keycloakDigests[String(algorithm)]
    : undefined
  if (digest === undefined) {
    throw invalid('legacy_not_keycloak')
  }
  return readPbkdf2({
    digest,
    rounds: wholeNumber(read, 'iterations', MAX_ROUNDS),
    salt: requiredText(read, 'salt'),
    hash,
  })
}

function readPbkdf2(found: Omit<Extract<Verifier, { kind: 'pbkdf2' }>, 'kind'>): Verifier {
  const { rounds, digest } = found
  const key = checkBytes(reason('legacy_part_key'), found.hash, MIN_HASH_BYTES, MAX_HASH_BYTES)
  const salt = checkBytes(reason('legacy_part_salt'), found.salt, 1, MAX_SALT_BYTES)
  const blocks = Math.ceil(key.length / { sha1: 20, sha256: 32, sha512: 64 }[digest])
  if (rounds < 1 || rounds * blocks > MAX_ROUNDS) {
    throw invalid('legacy_pbkdf2_rounds', { rounds, blocks, most: MAX_ROUNDS })
  }
  return { kind: 'pbkdf2', digest, rounds, ...asBase64({ salt, hash: key }) }
}

const ARGON2 =
  /^\$argon2(id|i|d)\$(?:v=(16|19)\$)?m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,10})\$([^$]+)\$([^$]+)$/

/** Parses an Argon2 hash in PHC form. A hash without a version has version 1.0 (16). */
function readArgon2(text: string): Verifier {
  const [, variant = '', version, memory, passes, lanes, salt = '', hash = ''] =
    ARGON2.exec(text) ?? []
  if (variant === '') {
    throw invalid('legacy_not_argon2')
  }
  return checkArgon2({
    variant: variant as Argon2Variant,
    version: version === '19' ? 19 : 16,
    memoryKib: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    ...{ salt, hash },
  })
}

function readKeycloakArgon2(hash: string, read: Read): Verifier {
  const [type, version] = [requiredText(read, 'type'), requiredText(read, 'version')]
  if (type !== 'id' && type !== 'i' && type !== 'd') {
    throw invalid('legacy_argon2_type')
  }
  if (version !== '1.3' && version !== '1.0') {
    throw invalid('legacy_argon2_version')
  }
  return checkArgon2({
    variant: type,
    version: version === '1.3' ? 19 : 16,
    memoryKib: wholeNumber(read, 'memory', MAX_MEMORY_KIB),
    passes: wholeNumber(read, 'iterations', MAX_ARGON2_KIB),
    lanes: wholeNumber(read, 'parallelism', MAX_ARGON2_LANES),
    salt: requiredText(read, 'salt'),
    hash,
  })
}

/** Checks the memory, passes and lanes of an Argon2 hash, because each login has to compute it. */
function checkArgon2(found: Omit<Extract<Verifier, { kind: 'argon2' }>, 'kind'>): Verifier {
  const { memoryKib, passes, lanes } = found
  if (lanes < 1 || lanes > MAX_ARGON2_LANES) {
    throw invalid('legacy_argon2_lanes', { lanes, most: MAX_ARGON2_LANES })
  }
  if (memoryKib < 8 * lanes || memoryKib > MAX_MEMORY_KIB) {
    throw invalid('legacy_argon2_memory', { memory: memoryKib, most: MAX_MEMORY_KIB })
  }
  if (passes < 1 || passes * memoryKib > MAX_ARGON2_KIB) {
    throw invalid('legacy_argon2_passes', {
      ...{ passes, memory: memoryKib, all: passes * memoryKib, most: MAX_ARGON2_KIB },
    })
  }
  const salt = checkBytes(
    reason('legacy_part_salt'),
    found.salt,
    MIN_ARGON2_SALT_BYTES,
    MAX_SALT_BYTES,
  )
  const hash = checkBytes(reason('legacy_part_key'), found.hash, MIN_HASH_BYTES, MAX_HASH_BYTES)
  return { kind: 'argon2', ...found, ...asBase64({ salt, hash }) }
}

/** Parses a hash of phpass: `$P$` of WordPress, or `$H$` of phpBB. */
function readPhpass(hash: string): Verifier {
  const [, digit = '', salt = '', rest = ''] =
    /^\$[PH]\$([./0-9A-Za-z])([!-~]{8})([./0-9A-Za-z]{22})$/.exec(hash) ?? []
  if (digit === '') throw invalid('legacy_not_phpass')
  const log2Rounds = phpassDigit(digit)
  if (log2Rounds < MIN_PHPASS || log2Rounds > MAX_PHPASS) {
    throw invalid('legacy_phpass_rounds', {
      rounds: log2Rounds,
      least: MIN_PHPASS,
      most: MAX_PHPASS,
    })
  }
  return { kind: 'phpass', log2Rounds, salt, hash: rest }
}

/** Parses a hash of WordPress 6.8 or newer, `$wp$2y$`. */
function readWordPress(hash: string): Verifier {
  const [, bcrypt = '', digits = ''] = /^\$wp(\$2y\$(\d\d)\$[./A-Za-z0-9]{53})$/.exec(hash) ?? []
  if (bcrypt === '') throw invalid('legacy_not_wordpress')
  const cost = Number(digits)
  if (cost < 8 || cost > 12) {
    throw invalid('legacy_wordpress_cost', { cost })
  }
  return { kind: 'wordpress', hash: bcrypt }
}

function readFirebase(hash: string, read: Read): ReadLegacy {
  const memCost = wholeNumber(read, 'mem_cost', MAX_MEM_COST)
  const rounds = wholeNumber(read, 'rounds', MAX_FIREBASE_ROUNDS)
  const key = checkBytes('"parameters.signer_key"', requiredText(read, 'signer_key'), 16, 128)
  const separator = checkBytes(
    '"parameters.salt_separator"',
    optionalText(read, 'salt_separator'),
    0,
    64,
  )
  const salt = checkBytes('"parameters.salt"', requiredText(read, 'salt'), 1, MAX_SALT_BYTES)
  const found = checkBytes(reason('legacy_part_hash'), hash, MIN_HASH_BYTES, MAX_HASH_BYTES)
  if (found.length !== key.length) {
    throw invalid('legacy_firebase_lengths', { bytes: found.length, other: key.length })
  }
  const verifier = {
    ...({ kind: 'firebase', memCost, rounds } as const),
    ...asBase64({ salt, separator, hash: found }),
  }
  return { verifier, key: key.toString('base64') }
}

function asBase64<K extends string>(parts: Record<K, Buffer>): Record<K, string> {
  const entries = Object.entries<Buffer>(parts).map(([name, part]) => [
    name,
    part.toString('base64'),
  ])
  return Object.fromEntries(entries)
}

function wholeNumber(read: Read, name: string, most: number): number {
  const value = read(name)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) {
    return value
  }
  const kind = reason(value === undefined ? 'legacy_nothing' : 'legacy_no_number')
  const found = typeof value === 'number' ? value : kind
  throw invalid('legacy_not_number', { found, name, most })
}

function optionalText(read: Read, name: string): string {
  const value = read(name)
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  throw invalid('legacy_not_text', { name })
}

function requiredText(read: Read, name: string): string {
  const value = optionalText(read, name)
  if (value === '') throw invalid('legacy_needs', { name })
  return value
}

function checkBytes(part: Value, base64: string, least: number, most: number): Buffer {
  const decoded = decode(base64)
  if (!decoded) throw invalid('legacy_not_base64', { part })
  if (decoded.length >= least && decoded.length <= most) return decoded
  throw invalid('legacy_bytes', { bytes: decoded.length, part, least, most })
}

/** Decodes base64 or base64url, with or without padding. Returns `undefined` for other text. */
function decode(text: string): Buffer | undefined {
  const plain = text.replace(/=+$/, '')
  if (!/^[A-Za-z0-9+/_-]*$/.test(plain) || plain.length % 4 === 1) return undefined
  return Buffer.from(plain, 'base64')
}

function invalid<N extends ReasonName>(name: N, ...values: ValuesOf<N>): ServiceError {
  const fault = reason(name, ...values)
  return new ServiceError('invalid_hash', reason('legacy_hash', { fault }))
}
