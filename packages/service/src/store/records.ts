import type { TenantSettings } from '../resources/tenant-settings.ts'
import type { Metadata, Micros } from '../resources/values.ts'
import type { AuditChange } from './audit-details.ts'

export type * from '../resources/credentials.ts'
export type { Metadata, Micros, TenantSettings }

/**
 * The service's records, as plain data. The rules for them are in `domain`, their wire form in
 * `http`.
 *
 * Every `…At` and `…After` is an integer in microseconds since the epoch, taken from the service's
 * clock and never from a database.
 */

/**
 * The ways to log in, by the first step. A code comes by mail or from an app, or is a recovery
 * code.
 */
export const loginWays = ['password', 'passkey', 'social', 'code'] as const

/** One of {@link loginWays}. */
export type LoginWay = (typeof loginWays)[number]

/** The texts that a tenant has of its own, by language and name. */
export interface TenantTexts {
  readonly en?: Readonly<Record<string, string>>
  readonly de?: Readonly<Record<string, string>>
}

/** The image that a tenant has uploaded. */
export interface TenantLogo {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  /** In pixels, like the height. */
  readonly width: number
  readonly height: number
  /** Its size. */
  readonly bytes: number
}

/** An isolated set of applications and users, and an OpenID provider at its own domain. */
export interface Tenant {
  id: string
  name: string
  createdAt: Micros
  updatedAt: Micros
  metadata: Metadata
  settings: TenantSettings
  /** When hosts of unregistered clients were last blocked or unblocked. */
  endedHosts?: Readonly<Record<string, Micros>> | undefined
  /** Texts that replace those of the service. */
  texts?: TenantTexts | undefined
  /** The uploaded image above every page; its bytes are a row of their own. */
  logo?: TenantLogo | undefined
}

/** A client of the tenant's OpenID provider. */
export interface Application {
  id: string
  tenantId: string
  name: string
  createdAt: Micros
  updatedAt: Micros
  metadata: Metadata
  /** The client secret, encrypted under the master key. */
  sealedSecret: string
  /** The client secret before the last rotation, which is accepted `until` then. */
  earlierSecret: { sealed: string; until: Micros } | undefined
  loginUrl: string
  logoutUrls: string[]
  redirectUrls: string[]
}

/** A user with an account at a tenant. */
export interface User {
  id: string
  tenantId: string
  createdAt: Micros
  updatedAt: Micros
  metadata: Metadata
  disabled: boolean
  /** When the email address was verified; `undefined` if it is not. */
  verifiedAt: Micros | undefined
  /** Sessions and refresh tokens from before this time are revoked. 0 if none ever were. */
  sessionsValidAfter: Micros
  /** The address as the user wrote it. Compared by {@link User.emailKey}. */
  email: string
  /** The form of the address for comparisons (`email-key.ts`). Unique within the tenant. */
  emailKey: string
  /** The other standard claims by their OpenID Connect names, such as `name` and `family_name`. */
  profile: Record<string, string>
}

/**
 * The history of a user's address. It decides whether a mailed link is still valid; see `domain/ways/valid-links.ts`.
 */
export interface Standing {
  /** How often a person who proved the new address has changed it. */
  moves: number
  /** How often an operator has decided about the account, for example changed the address. */
  rulings: number
  /** The addresses from which a link has taken the account back since the last ruling, the oldest first. */
  displaced: readonly Displaced[]
  /** When the reader of an earlier address contested the change; `undefined` after a ruling. */
  contestedAt: Micros | undefined
  /**
   * The latest change of the address by an operator. Removed when it is changed back, or a dispute about it is decided.
   */
  readdressed: Readdressed | undefined
}

/** An address that an operator has given an account; see `domain/ways/second-operator.ts`. */
export interface Readdressed {
  /** The actor who changed the address. */
  by: string
  /** The address, in the form in which addresses are compared. */
  to: string
  /** Until this time, the address proves nothing, unless another operator confirms it. */
  until: Micros
  /** Earlier, proven addresses of the account. Their readers can contest the change. */
  from: readonly Displaced[]
  /** Whether one of these readers has contested the change. */
  isContested?: boolean
}

/** The standing of a user for whom none is stored. */
export const newStanding: Standing = {
  moves: 0,
  rulings: 0,
  displaced: [],
  contestedAt: undefined,
  readdressed: undefined,
}

/** An address from which a link has taken an account. */
export interface Displaced {
  email: string
  emailKey: string
  /** When the account was taken back. */
  at: Micros
}

/**
 * The hash of a password in the form of another system, which bcrypt cannot wrap. A user has it or a password credential,
 * never both: the database deletes it when a password is inserted. The first login replaces it.
 */
export interface LegacyPassword {
  /** The system, as the import named it. */
  scheme: string
  /** The hash with its parameters, without secrets, as `domain/users/legacy-verifier.ts` reads it. */
  verifier: string
  /** A key that the system uses for all of its users, encrypted under the master key. */
  sealedKey: string | undefined
  /** The algorithm of a verification. Only work of the same kind can be compared. */
  kind: string
  /** How much work a verification is, in the unit of its kind. */
  work: number
}

/** The tenants that a key can reach: all, including future ones, or a list. */
export type Reach = 'all' | readonly string[]

/** An API key. Only the hash of its secret is stored. */
export interface ApiKey {
  id: string
  name: string
  /** SHA-256 of the whole key, hexadecimal. */
  hash: string
  /** The last four characters of the key, so that people can tell keys apart. */
  last4: string
  reach: Reach
  /**
   * Deleted tenants whose rows are not erased yet. A key with the reach `all` cannot reach them.
   */
  except?: readonly string[] | undefined
  /** Whether the key can only read. */
  readOnly: boolean
  createdAt: Micros
  expiresAt: Micros | undefined
  revokedAt: Micros | undefined
  /** The time of the last use, to the minute; `undefined` until the first one. */
  lastUsedAt: Micros | undefined
  /**
   * Set if the key came back with a backup. It is refused until it is confirmed, because it may
   * have been revoked after the backup.
   */
  isUnconfirmed?: true
}

/** The providers with a recipe. `oidc` is for any other OpenID provider. */
export const recipeNames = ['google', 'microsoft', 'apple', 'gitlab', 'github', 'oidc'] as const

/** One of {@link recipeNames}. */
export type RecipeName = (typeof recipeNames)[number]

/** Another provider at which users of the tenant can log in. */
export interface Connection {
  id: string
  tenantId: string
  /** The name that users see. Unique within the tenant. */
  name: string
  createdAt: Micros
  updatedAt: Micros
  recipe: RecipeName
  issuer: string
  /** The client id of this tenant at the provider. */
  clientId: string
  /** The client secret, or the private key of Apple's recipe, encrypted under the master key. */
  sealedSecret: string
  scopes: string[]
  /** Whether an address that the provider has verified also counts as verified here. */
  trustEmail: boolean
  /** Whether users without an account get one, if the tenant allows sign-ups. */
  allowSignup: boolean
  enabled: boolean
  /** Fields that only Apple's recipe needs. */
  apple: { teamId: string; keyId: string } | undefined
}

/**
 * The reason why an endpoint gets no events: it was switched off by an operator or API key,
 * answered 410, failed for days, or came back with a backup and may have been deleted later.
 */
export type WebhookEnd = 'switched_off' | 'gone' | 'failing' | 'restored'

/** An endpoint of a customer to which events of a tenant are sent. */
export interface Webhook {
  id: string
  tenantId: string
  createdAt: Micros
  updatedAt: Micros
  url: string
  description: string
  /** The types of events to send. Empty: all types except those that must be named. */
  types: readonly string[]
  metadata: Metadata
  /** The reason why it gets no events; `undefined` if it gets them. */
  disabled: WebhookEnd | undefined
  /** The key for signatures, encrypted under the master key. */
  sealedSecret: string
  /** The previous key. Until the given time, events are signed with it, too. */
  earlierSecret: { sealed: string; until: Micros } | undefined
}

/** The role of an operator; `ROLES` in `domain/operators/roles.ts` has the permissions of each. */
export type OperatorRole = 'owner' | 'admin' | 'support' | 'viewer'

/** A user of the system tenant who may use the management console. */
export interface Operator {
  /** The id of the user. */
  id: string
  role: OperatorRole
  /** The tenants that the operator can see. An owner always sees all. */
  reach: Reach
  createdAt: Micros
  updatedAt: Micros
  /**
   * An invitation that has not been accepted yet: the SHA-256 of its token in hexadecimal, and its
   * expiry. Operators with a credential have none.
   */
  invitation: Invitation | undefined
  /**
   * Set if the operator came back with a backup. The operator cannot log in until confirmed,
   * because they may have been removed later.
   */
  isUnconfirmed?: true
}

/** An invitation: a link with which an operator sets a password. */
export interface Invitation {
  hash: string
  expiresAt: Micros
  /**
   * Set if the invitation is a recovery: the operator had accepted one before. No other operator
   * can renew it.
   */
  isRecovery?: true
}

/** A key with which a tenant signs its tokens. */
export interface SigningKey {
  /** The `kid` of the published key. */
  id: string
  tenantId: string
  createdAt: Micros
  /** The private JWK, encrypted under the master key. */
  sealedJwk: string
}

/**
 * The outcome of an action. `failure`: a failed login or delivery. `refused`: an API request that
 * was not carried out.
 */
export type AuditOutcome = 'success' | 'failure' | 'refused'

/** An entry of the audit log. */
export interface AuditEntry {
  at: Micros
  /** The tenant; `undefined` if the entry is about the service itself, such as about API keys. */
  tenantId: string | undefined
  /**
   * The actor: `key:<id>`, `user:<id>`, `admin`, `admin:<account of the operator>`, `visitor` or
   * `service`.
   */
  actor: string
  /** The `request-id` of the response, if there was a request. */
  requestId: string | undefined
  /** The action, such as `user.update`, or the error code of a refusal. */
  action: string
  /** The id of the object that the entry is about. */
  target: string
  outcome: AuditOutcome
  /** The address of the client, if there was a request. */
  address: string | undefined
  /** The `User-Agent` of the client. */
  userAgent: string | undefined
  /** The application to which the user logs in, or from which the user logs out. */
  applicationId: string | undefined
  /**
   * The names of the members that an update changed. Only flags also have their value:
   * `disabled=true`.
   */
  fields?: readonly string[] | undefined
  /** The way of a successful login. It is stored with the user's last login, not in the log. */
  loginWay?: LoginWay | undefined
  /**
   * The values that an update changed. They are stored beside the entry; entries that are read do
   * not have them.
   */
  changes?: readonly AuditChange[] | undefined
}

/** An {@link AuditEntry} as it is stored; `id` grows with time. */
export interface StoredAuditEntry extends AuditEntry {
  id: number
}
