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
  /** The cost of {@link hash}. */
  cost: number
}

/** The members of every credential. */
interface CredentialRecord {
  /**
   * Unique among the credentials of the user. It is the kind, if a user can have only one of that
   * kind.
   */
  id: string
  tenantId: string
  userId: string
  createdAt: Micros
  /** The time at which a caller or the user last changed it. A use is no change. */
  updatedAt: Micros
  metadata: Metadata
  disabled: boolean
  /** Counts every write, those of `state` too. Set by the store. */
  rev: number
}

/** A password by which a user proves who they are. At most one per user. */
export interface PasswordCredential extends CredentialRecord {
  kind: 'password'
  password: StoredPassword
  /** The service's own data, which callers do not see. */
  state: PasswordState
}

/** The service's own data about a password. */
export interface PasswordState {
  /**
   * SHA-256 of the hash that a login replaced, hexadecimal. It recognizes a stale copy that would
   * undo the upgrade.
   */
  upgradedFrom?: string
}

/** The service's own data about a further factor. */
export interface FactorState {
  /** When the user proved it last; `undefined` until then. */
  usedAt?: Micros
}

/** An authenticator app, by which a user proves who they are in a second step. */
export interface TotpAppCredential extends CredentialRecord {
  kind: 'totp_app'
  /** The seed, encrypted under the master key. */
  sealedSeed: string
  /**
   * `lastStep` is the time step of the newest code that was used. Only codes of later steps are
   * accepted.
   */
  state: FactorState & { lastStep: number }
}

/** Codes by mail, in a second step. */
export interface TotpEmailCredential extends CredentialRecord {
  kind: 'totp_email'
  state: FactorState
}

/** Single-use codes that replace another second step if the user has lost it. */
export interface RecoveryCredential extends CredentialRecord {
  kind: 'recovery_codes'
  /** The key of the hashes, encrypted under the master key. */
  sealedKey: string
  /** Keyed hashes of the codes that were not used yet, base64url. */
  hashes: string[]
  state: FactorState
}

/** How a key was asked for when it was added; see {@link HardwareCredential.purpose}. */
export type KeyPurpose = 'passkey' | 'second_step'

/** A passkey or security key. A user may have several. */
export interface HardwareCredential extends CredentialRecord {
  kind: 'hardware'
  /** The user's name for it; may be empty. */
  name: string
  /** The host that it was made for: it answers no other. */
  rpId: string
  /** The authenticator's id of the key, base64url; {@link CredentialRecord.id} is made from it. */
  keyId: string
  /** The public key in COSE form, as base64url. */
  publicKey: string
  /** The model of the authenticator, as it says itself. */
  aaguid: string
  /** How the browser reaches it. */
  transports: string[]
  /**
   * `passkey`: it logs its user in without a password. It was added as such, and verified its user
   * then. `second_step`: it follows another factor.
   */
  purpose: KeyPurpose
  /** Whether it may be copied to other devices of the user. */
  isSyncable: boolean
  /**
   * `counter` is how often the authenticator has signed, or 0 for ever; `isBackedUp`: there is a copy
   * elsewhere.
   */
  state: FactorState & { counter: number; isBackedUp: boolean }
}

/**
 * A user's account at a provider of a {@link Connection}. A user may have several; an account at a provider
 * belongs to one user of the tenant.
 */
export interface SocialCredential extends CredentialRecord {
  kind: 'social'
  connectionId: string
  /** The provider that has asserted it; {@link CredentialRecord.id} is made from these three. */
  issuer: string
  /** How the provider calls the account. */
  subject: string
  /** The address that the provider named when it was connected; may be empty. */
  email: string
  state: FactorState
}

/** A way for a user to prove who they are. */
export type Credential =
  | PasswordCredential
  | TotpAppCredential
  | TotpEmailCredential
  | RecoveryCredential
  | HardwareCredential
  | SocialCredential

/** The kind of a credential. */
export type CredentialKind = Credential['kind']

/** The part that a credential has in a login. That of a `hardware` credential depends on its purpose. */
type Role =
  | 'first' // a login begins with it
  | 'second' // it follows another proof
  | 'either'
  | 'substitute' // it stands for a second step that is lost, and goes with the last of them

/** How a kind is described. */
interface Description {
  /** Its name in the API, in events and in rows. */
  readonly type: string
  /** Its name in the console, in English. */
  readonly label: string
  readonly role: Role
  /** The prefix of its ids. Without one, a user has one of the kind at most, whose id is the kind. */
  readonly idPrefix?: string
  /** How many of it a user can have. Default: 1. */
  readonly most?: number
  /** Whether a secret of it is encrypted under the master key. */
  readonly isSealed?: true
}

/** The kinds of credentials, each described once, in the order of the API. ARCHITECTURE.md says what else a kind needs. */
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

/** Every kind with its description, in the order of the API. */
export const describedKinds = Object.entries(credentialKinds) as [
  CredentialKind,
  Description & { type: CredentialType },
][]

/** A value for each kind. */
export function eachKind<T>(
  of: (kind: CredentialKind, description: { type: CredentialType }) => T,
): Record<CredentialKind, T> {
  const entries = describedKinds.map(([kind, description]) => [kind, of(kind, description)])
  return Object.fromEntries(entries) as Record<CredentialKind, T>
}

/** The kind with that name in the API. */
export function kindOfType(type: CredentialType): CredentialKind {
  return kindsByType.get(type) as CredentialKind
}

const kindsByType = new Map(describedKinds.map(([kind, { type }]) => [type, kind]))

/** The name in the API of the kind that has such ids; `undefined` for an id of none. */
export function typeOfId(id: string): CredentialType | undefined {
  return describedKinds.find(([kind, { idPrefix }]) =>
    idPrefix === undefined ? id === kind : id.startsWith(`${idPrefix}_`),
  )?.[1].type
}

/** Whether the credential is a second factor, or can be one. */
export function isSecondFactor({ kind }: Pick<Credential, 'kind'>): boolean {
  const { role } = credentialKinds[kind]
  return role === 'second' || role === 'either'
}
