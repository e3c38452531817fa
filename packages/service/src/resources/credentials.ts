import type { Metadata, Micros } from './values.ts'

/** The form in which a password is stored: bcrypt, or bcrypt over a hexadecimal legacy digest. */
export type StoredAlgorithm =
  | 'bcrypt'
  | 'md5|bcrypt'
  | 'sha1|bcrypt'
  | 'sha256|bcrypt'
  | 'sha512|bcrypt'

/** A stored password. */
export interface StoredPassword {
  alg: StoredAlgorithm
  /** The bcrypt hash. */
  hash: string
  /** The cost parameter of the bcrypt hash. */
  cost: number
}

/** The members of every credential. */
interface CredentialRecord {
  /**
   * The id, which is unique among the credentials of the user. It is the kind if a user can have
   * only one credential of that kind.
   */
  id: string
  tenantId: string
  userId: string
  createdAt: Micros
  /**
   * The time at which an API request, an operator or the user last changed the credential. A use is
   * no change.
   */
  updatedAt: Micros
  metadata: Metadata
  disabled: boolean
  /** A number that grows with every write, also with writes of `state`. Set by the store. */
  rev: number
}

/** A password of a user. A user has at most one. */
export interface PasswordCredential extends CredentialRecord {
  kind: 'password'
  password: StoredPassword
  /** The service's own data, which is not part of the API. */
  state: PasswordState
}

/** The service's own data about a password. */
export interface PasswordState {
  /**
   * SHA-256, in hexadecimal, of the hash that a login replaced. With it, the service recognizes an
   * update with a stale copy that would undo the upgrade.
   */
  upgradedFrom?: string
}

/** The service's own data about any other credential. */
export interface FactorState {
  /** The time of the last use in a login; `undefined` before the first use. */
  usedAt?: Micros
}

/** An authenticator app, whose codes a user enters in a second step. */
export interface TotpAppCredential extends CredentialRecord {
  kind: 'totp_app'
  /** The seed, encrypted under the master key. */
  sealedSeed: string
  /**
   * `lastStep`: the time step of the newest code that was used. Only codes of later time steps are
   * accepted.
   */
  state: FactorState & { lastStep: number }
}

/** Codes by mail, which a user enters in a second step. */
export interface TotpEmailCredential extends CredentialRecord {
  kind: 'totp_email'
  state: FactorState
}

/** Single-use codes that a user enters if every other second step is lost. */
export interface RecoveryCredential extends CredentialRecord {
  kind: 'recovery_codes'
  /** The key for the hashes, encrypted under the master key. */
  sealedKey: string
  /** Keyed hashes of the unused codes, in base64url. */
  hashes: string[]
  state: FactorState
}

/** The purpose for which a key was added; see {@link HardwareCredential.purpose}. */
export type KeyPurpose = 'passkey' | 'second_step'

/** A passkey or security key. A user may have several. */
export interface HardwareCredential extends CredentialRecord {
  kind: 'hardware'
  /** The name that the user gave the key; may be empty. */
  name: string
  /** The host for which the key was made. The key works at no other host. */
  rpId: string
  /**
   * The authenticator's id of the key, in base64url. {@link CredentialRecord.id} is made from this
   * id.
   */
  keyId: string
  /** The public key in COSE form, as base64url. */
  publicKey: string
  /** The id of the authenticator's model, as the authenticator states it. */
  aaguid: string
  /** The ways in which the browser reaches the authenticator, such as `usb`. */
  transports: string[]
  /**
   * `passkey`: the key logs its user in without a password. It was added as a passkey, and the
   * authenticator verified its user at that time. `second_step`: the key is used only after another
   * factor.
   */
  purpose: KeyPurpose
  /** Whether the key may be copied to other devices of the user. */
  isSyncable: boolean
  /**
   * `counter`: the authenticator's count of signatures, or always 0 if it does not count.
   * `isBackedUp`: whether the key is copied to another place.
   */
  state: FactorState & { counter: number; isBackedUp: boolean }
}

/**
 * A user's account at a provider of a {@link Connection}. A user may have several accounts. An
 * account belongs to only one user of the tenant.
 */
export interface SocialCredential extends CredentialRecord {
  kind: 'social'
  connectionId: string
  /**
   * The issuer of the account. {@link CredentialRecord.id} is made from `connectionId`, `issuer`
   * and `subject`.
   */
  issuer: string
  /** The provider's id of the account. */
  subject: string
  /** The email address that the provider stated when the account was connected; may be empty. */
  email: string
  state: FactorState
}

/** A credential of a user, of any kind. */
export type Credential =
  | PasswordCredential
  | TotpAppCredential
  | TotpEmailCredential
  | RecoveryCredential
  | HardwareCredential
  | SocialCredential

/** The kind of a credential. */
export type CredentialKind = Credential['kind']

/**
 * The part of a credential in a login. The part of a `hardware` credential depends on its
 * `purpose`.
 */
type Role =
  | 'first' // a login begins with this credential
  | 'second' // a login uses this credential after another one
  | 'either'
  | 'substitute' // replaces a lost second step; deleted with the user's last second factor

/** The description of a kind of credential. */
interface Description {
  /** The name of the kind in the API, in events and in rows. */
  readonly type: string
  /** The name of the kind in the console, in English. */
  readonly label: string
  readonly role: Role
  /**
   * The prefix of ids of this kind. Without a prefix, a user has at most one credential of the
   * kind, whose id is the kind.
   */
  readonly idPrefix?: string
  /** The maximum number of credentials of this kind of a user. Default: 1. */
  readonly most?: number
  /** Whether credentials of this kind have a secret that is encrypted under the master key. */
  readonly isSealed?: true
}

/**
 * The descriptions of the kinds of credentials, in the order of the API. ARCHITECTURE.md lists the
 * further places that a new kind needs.
 */
export const credentialKinds = {
  password: { type: 'PasswordCredential', label: 'Password', role: 'first' },
  totp_app: {
    type: 'TotpAppCredential',
    label: 'Authenticator app',
    role: 'second',
    isSealed: true,
  },
  totp_email: { type: 'TotpEmailCredential', label: 'Codes by mail', role: 'second' },
  recovery_codes: {
    type: 'RecoveryCredential',
    label: 'Recovery codes',
    role: 'substitute',
    isSealed: true,
  },
  hardware: {
    type: 'HardwareCredential',
    label: 'Passkey or security key',
    role: 'either',
    idPrefix: 'hwk',
    most: 10,
  },
  social: {
    type: 'SocialCredential',
    label: 'Account at a provider',
    role: 'first',
    idPrefix: 'soc',
    most: 20,
  },
} as const satisfies Readonly<Record<CredentialKind, Description>>

type Kinds = typeof credentialKinds

/** The name of a kind in the API, such as `PasswordCredential`. */
export type CredentialType = Kinds[CredentialKind]['type']

type KindOf<R extends Role> = {
  [K in CredentialKind]: Kinds[K]['role'] extends R ? K : never
}[CredentialKind]

/** The kinds that a login can begin with. */
export type FirstKind = KindOf<'first' | 'either'>

/** The kinds of second factors. */
export type FactorKind = KindOf<'second' | 'either'>

/** The kinds of second steps: second factors, and recovery codes in their place. */
export type SecondStepKind = FactorKind | KindOf<'substitute'>

/** Pairs of each kind and its description, in the order of the API. */
export const describedKinds = Object.entries(credentialKinds) as [
  CredentialKind,
  Description & { type: CredentialType },
][]

/** Makes a record with a value for each kind. `of`: makes the value of a kind. */
export function eachKind<T>(
  of: (kind: CredentialKind, description: { type: CredentialType }) => T,
): Record<CredentialKind, T> {
  const entries = describedKinds.map(([kind, description]) => [kind, of(kind, description)])
  return Object.fromEntries(entries) as Record<CredentialKind, T>
}

/** The kind with a name in the API. */
export function kindOfType(type: CredentialType): CredentialKind {
  return kindsByType.get(type) as CredentialKind
}

const kindsByType = new Map(describedKinds.map(([kind, { type }]) => [type, kind]))

/**
 * The name in the API of the kind whose credentials have ids like this; `undefined` if no kind has.
 */
export function typeOfId(id: string): CredentialType | undefined {
  return describedKinds.find(([kind, { idPrefix }]) =>
    idPrefix === undefined ? id === kind : id.startsWith(`${idPrefix}_`),
  )?.[1].type
}

/** Whether the kind of the credential is a second factor, or can be used as a second factor. */
export function isSecondFactor({ kind }: Pick<Credential, 'kind'>): boolean {
  const { role } = credentialKinds[kind]
  return role === 'second' || role === 'either'
}
