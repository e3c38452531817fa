import type { LegacyPasswordInput, LegacyScheme } from '../types.ts'
import { FileFault } from './file-fault.ts'
import { type RowFault, rowFault } from './row-fault.ts'

/** The legacy schemes whose hashes contain all parameters. */
export const ownSchemes = ['argon2', 'aspnet', 'django', 'phpass', 'wordpress'] as const

/** Detects the legacy scheme of a hash from its prefix; `undefined` if the prefix is unknown. */
export function schemeOf(hash: string): (typeof ownSchemes)[number] | undefined {
  if (/^(pbkdf2_sha(1|256)|argon2)\$/.test(hash)) return 'django'
  if (/^\$argon2(id|i|d)\$/.test(hash)) return 'argon2'
  if (/^\$[PH]\$/.test(hash)) return 'phpass'
  if (/^\$wp\$2y\$/.test(hash)) return 'wordpress'
  // The Base64 of the first bytes of version 3: a 1, and the number of the digest.
  if (/^AQAAAA[AEI][A-Za-z0-9+/]{60,}={0,2}$/.test(hash)) return 'aspnet'
  return undefined
}

/** The parameters of Firebase's scrypt, which are the same for all users of a project. */
export type FirebaseParameters = Readonly<Record<string, string | number>>

const firebaseMembers: Readonly<Record<string, string>> = {
  base64_signer_key: 'signer_key',
  signer_key: 'signer_key',
  base64_salt_separator: 'salt_separator',
  salt_separator: 'salt_separator',
  rounds: 'rounds',
  mem_cost: 'mem_cost',
}

/**
 * Reads the parameters in the format of the Firebase console, or as JSON.
 *
 * @throws {@link FileFault} if a parameter is missing, or the algorithm is not SCRYPT. The message
 *   has no value of a parameter that is secret.
 */
export function readFirebaseParameters(text: string): FirebaseParameters {
  const found: Record<string, string | number> = {}
  for (const [, name = '', value = ''] of text.matchAll(/"?(\w+)"?\s*[:=]\s*"?([\w+/=-]+)"?/g)) {
    const member = firebaseMembers[name.toLowerCase()]
    if (member) found[member] = /^\d+$/.test(value) ? Number(value) : value
    if (name === 'algorithm' && value !== 'SCRYPT') {
      throw new FileFault(
        `--firebase-hash names the algorithm ${value}; SCRYPT is the one of Firebase.`,
        'firebase_algorithm',
      )
    }
  }
  const missing = Object.entries(firebaseMembers).filter(
    ([, member]) => member !== 'salt_separator' && found[member] === undefined,
  )
  const [first] = missing
  if (!first) return found
  throw new FileFault(
    `--firebase-hash has no ${first[0]}. In the Firebase console, open Authentication, then "Password hash parameters" in the menu of the list of users, and save what it shows.`,
    'firebase_missing',
    { name: first[0] },
  )
}

/** A password of Keycloak or Firebase with its parameters, or the reason why it cannot be read. */
export type RecordPassword =
  | { kind: 'legacy'; legacy: LegacyPasswordInput }
  | { kind: 'fault'; fault: RowFault }

const KEYCLOAK = /^credentials\.(\d+)\.(type|secretData|credentialData)$/

/** Whether a Keycloak export has a part of a password in this column. */
export function isKeycloakColumn(column: string): boolean {
  return KEYCLOAK.test(column)
}

/** The password of a user in a Keycloak export; `undefined` if the user has none. */
export function keycloakPassword(members: ReadonlyMap<string, string>): RecordPassword | undefined {
  for (const [column, value] of members) {
    const [, n, member] = KEYCLOAK.exec(column) ?? []
    if (member !== 'type' || value !== 'password') continue
    const of = (name: string) => parse(members.get(`credentials.${n}.${name}`))
    const [secret, data] = [of('secretData'), of('credentialData')]
    if (!secret || !data) {
      return { kind: 'fault', fault: rowFault('keycloak_unreadable') }
    }
    const { algorithm, hashIterations: iterations, additionalParameters } = data
    const { value: hash, salt } = secret
    if (typeof hash !== 'string') {
      return { kind: 'fault', fault: rowFault('keycloak_empty') }
    }
    const more = algorithm === 'argon2' ? argon2Parameters(additionalParameters) : {}
    const given = Object.entries({ algorithm, iterations, salt, ...more }).filter(
      (entry): entry is [string, string | number] =>
        typeof entry[1] === 'string' || typeof entry[1] === 'number',
    )
    return {
      kind: 'legacy',
      legacy: { scheme: 'keycloak', hash, parameters: Object.fromEntries(given) },
    }
  }
  return undefined
}

/** The Argon2 parameters in a Keycloak export, where each member is an array of one string. */
function argon2Parameters(additional: unknown): Record<string, unknown> {
  const members = new Map(Object.entries(isObject(additional) ? additional : {}))
  const first = (name: string): unknown => [members.get(name)].flat()[0]
  const number = (name: string) => {
    const value = Number(first(name))
    return Number.isFinite(value) ? value : undefined
  }
  return {
    ...{ type: first('type'), version: first('version') },
    ...{ memory: number('memory'), parallelism: number('parallelism') },
  }
}

/**
 * A Firebase hash with its parameters, or the fault that the salt is missing.
 *
 * @param salt - The salt of this user.
 * @param shared - The parameters of the Firebase project.
 */
export function firebasePassword(
  hash: string,
  salt: string | undefined,
  shared: FirebaseParameters,
): RecordPassword {
  if (salt === undefined) return { kind: 'fault', fault: rowFault('firebase_salt') }
  return { kind: 'legacy', legacy: { scheme: 'firebase', hash, parameters: { ...shared, salt } } }
}

/**
 * The fault of a hash that does not have the form of its scheme; `undefined` if none is found. The
 * service checks the hash again.
 */
export function legacyFault(scheme: LegacyScheme, hash: string): RowFault | undefined {
  if (scheme === 'keycloak' || scheme === 'firebase' || schemeOf(hash) === scheme) return undefined
  // Hashes of version 2 have no prefix that identifies them.
  if (scheme === 'aspnet' && /^AA[A-Za-z0-9+/]{63,}={0,2}$/.test(hash)) return undefined
  return rowFault('hash_other', { name: scheme })
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isObject(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
