import type { TenantSettings } from '../resources/tenant-settings.ts'
import type { Metadata, Micros } from '../resources/values.ts'
import type { AuditChange } from './audit-details.ts'

export type * from '../resources/credentials.ts'
export type { Metadata, Micros, TenantSettings }

/**
 * The service's records, as plain data. `domain` has the rules for records, `wire` their form in
 * the API.
 *
 * Every `…At` and `…After` is an integer in microseconds since the epoch, taken from the service's
 * clock and never from a database.
 */

/**
 * The login methods, named after the first step of the login. A code comes by mail or from an app,
 * or is a recovery code.
 */
export const loginWays = ['password', 'passkey', 'social', 'code'] as const

/** One of {@link loginWays}. */
export type LoginWay = (typeof loginWays)[number]

/** The texts of a tenant that replace the service's own, by language and name. */
export interface TenantTexts {
  readonly en?: Readonly<Record<string, string>>
  readonly de?: Readonly<Record<string, string>>
}

/** The image that a tenant has uploaded. */
export interface TenantLogo {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  /** The width in pixels, like the height. */
  readonly width: number
  readonly height: number
  /** The size of the file in bytes. */
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
  /** The time at which each host of unregistered clients was last blocked or unblocked, by host. */
  endedHosts?: Readonly<Record<string, Micros>> | undefined
  /** Texts of the tenant that replace the service's own texts. */
  texts?: TenantTexts | undefined
  /** The uploaded image above every page. Its bytes are stored in a separate table. */
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
  /** The client secret before the last rotation. It is accepted until the time `until`. */
  earlierSecret: { sealed: string; until: Micros } | undefined
  loginUrl: string
  logoutUrls: string[]
  redirectUrls: string[]
}

/** A user of a tenant. */
export interface User {
  id: string
  tenantId: string
  createdAt: Micros
  updatedAt: Micros
  metadata: Metadata
  disabled: boolean
  /** The time at which the email address was verified; `undefined` if it is not verified. */
  verifiedAt: Micros | undefined
  /** Sessions and refresh tokens from before this time are revoked. 0 if none were ever revoked. */
  sessionsValidAfter: Micros
  /** The email address as the user wrote it. Addresses are compared by {@link User.emailKey}. */
  email: string
  /** The email address in its form for comparisons (`email-key.ts`). Unique within the tenant. */
  emailKey: string
  /**
   * Other claims about the user by their OpenID Connect names, such as `name` and `family_name`.
   */
  profile: Record<string, string>
}

/**
 * The history of a user's email address. It decides whether a mailed link is still valid; see
 * `domain/ways/valid-links.ts`.
 */
export interface Standing {
  /** The number of address changes by a person who proved access to the new address. */
  moves: number
  /** The number of decisions of operators about the account, such as a change of the address. */
  rulings: number
  /**
   * The addresses that lost the account since the last ruling, because a mailed link restored an
   * earlier address. The oldest is first.
   */
  displaced: readonly Displaced[]
  /**
   * The time at which the reader of an earlier address contested a change; `undefined` after a
   * ruling.
   */
  contestedAt: Micros | undefined
  /**
   * The latest change of the address by an operator. Removed when the address is changed back, or a
   * dispute about the change is decided.
   */
  readdressed: Readdressed | undefined
}

/** A change of an account's address by an operator; see `domain/ways/second-operator.ts`. */
export interface Readdressed {
  /** The actor who changed the address. */
  by: string
  /** The new address, in the form in which addresses are compared. */
  to: string
  /**
   * The time until which access to the new address proves nothing, unless another operator confirms
   * the change.
   */
  until: Micros
  /**
   * Earlier, proven addresses of the account. The readers of these addresses can contest the
   * change.
   */
  from: readonly Displaced[]
  /** Whether the reader of an address in `from` has contested the change. */
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

/** An address that an account had before. */
export interface Displaced {
  email: string
  emailKey: string
  /**
   * In {@link Standing.displaced}: the time whose state the link restored. In
   * {@link Readdressed.from}: the time at which the operator replaced the address.
   */
  at: Micros
}

/**
 * The hash of a password in the form of another system, which bcrypt cannot wrap. The first login
 * replaces a legacy password by a password credential. A user never has both: the database deletes
 * the legacy password when a password credential is inserted.
 */
export interface LegacyPassword {
  /** The system, as the import named it. */
  scheme: string
  /** The hash with its parameters, without secrets, as `domain/users/legacy-verifier.ts` reads it. */
  verifier: string
  /** A key that the system uses for all of its users, encrypted under the master key. */
  sealedKey: string | undefined
  /**
   * The algorithm of the verification. `work` can be compared only between hashes of the same kind.
   */
  kind: string
  /** The amount of work of a verification, in the unit of its kind. */
  work: number
}

/**
 * The tenants that an API key or operator can reach: all, including future tenants, or the tenants
 * with these ids.
 */
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
   * The ids of deleted tenants whose rows are not erased yet. A key with the reach `all` cannot
   * reach these tenants.
   */
  except?: readonly string[] | undefined
  /** Whether the key can only read. */
  readOnly: boolean
  createdAt: Micros
  expiresAt: Micros | undefined
  revokedAt: Micros | undefined
  /** The time of the last use, to the minute; `undefined` until the first use. */
  lastUsedAt: Micros | undefined
  /**
   * Set if the key was restored with a backup. The key is refused until it is confirmed, because it
   * may have been revoked after the backup.
   */
  isUnconfirmed?: true
}

/**
 * The recipes for connections, named after their providers. `oidc` is for any other OpenID
 * provider.
 */
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
  /** Whether an email address that the provider has verified also counts as verified here. */
  trustEmail: boolean
  /**
   * Whether the first login of a person without an account creates an account, if the tenant allows
   * sign-ups.
   */
  allowSignup: boolean
  enabled: boolean
  /**
   * Whether the redirect URI belongs to this provider alone. `false`: all connections that an
   * earlier version created share one.
   */
  ownCallback: boolean
  /** Fields that only Apple's recipe needs. */
  apple: { teamId: string; keyId: string } | undefined
}

/**
 * The reason why an endpoint gets no events. `switched_off`: by an operator or API key. `gone`: the
 * endpoint answered 410. `failing`: the endpoint failed for days. `restored`: the endpoint was
 * restored with a backup, and may have been deleted later.
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
  /** The types of events to send. Empty: all types, except types that an endpoint must name. */
  types: readonly string[]
  metadata: Metadata
  /** The reason why the endpoint gets no events; `undefined` if it gets events. */
  disabled: WebhookEnd | undefined
  /** The key for signatures, encrypted under the master key. */
  sealedSecret: string
  /** The previous key for signatures. Until the time `until`, events are signed with both keys. */
  earlierSecret: { sealed: string; until: Micros } | undefined
}

/** The role of an operator; `ROLES` in `domain/operators/roles.ts` has the permissions of each. */
export type OperatorRole = 'owner' | 'admin' | 'support' | 'viewer'

/** A user of the system tenant who may use the management console. */
export interface Operator {
  /** The id of the operator's user. */
  id: string
  role: OperatorRole
  /** The tenants that the operator can see. An owner always sees all tenants. */
  reach: Reach
  createdAt: Micros
  updatedAt: Micros
  /** The invitation that has not been accepted yet. Operators with a credential have none. */
  invitation: Invitation | undefined
  /**
   * Set if the operator was restored with a backup. The operator cannot log in until confirmed,
   * because they may have been removed after the backup.
   */
  isUnconfirmed?: true
}

/** An invitation: a link with which an operator sets a password. */
export interface Invitation {
  /** SHA-256 of the invitation's token, in hexadecimal. */
  hash: string
  expiresAt: Micros
  /**
   * Set if the invitation is a recovery: the operator had accepted an invitation before. No other
   * operator can renew a recovery.
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
  /**
   * The id of the tenant; `undefined` if the entry is about the service itself, such as an API key.
   */
  tenantId: string | undefined
  /**
   * The actor: `key:<id>`, `user:<id>`, `operator:<id>`, `admin`,
   * `admin:<account at the command line>`, `visitor` or `service`.
   */
  actor: string
  /** The `request-id` of the response, if there was a request. */
  requestId: string | undefined
  /** The action, such as `user.update`, or the error code of a refusal. */
  action: string
  /** The id of the object that the entry is about, which a part such as `/password` may follow. */
  target: string
  outcome: AuditOutcome
  /** The IP address of the client, if there was a request. */
  address: string | undefined
  /** The `User-Agent` of the client. */
  userAgent: string | undefined
  /** The id of the application to which the user logs in, or from which the user logs out. */
  applicationId: string | undefined
  /**
   * The names of the members that an update changed. The name of a flag is followed by its new
   * value: `disabled=true`.
   */
  fields?: readonly string[] | undefined
  /** The method of a successful login. It is stored with the user's last login, not in the log. */
  loginWay?: LoginWay | undefined
  /**
   * The values that an update changed. They are stored in {@link AuditDetails}, so entries that are
   * read do not have this member.
   */
  changes?: readonly AuditChange[] | undefined
}

/** An {@link AuditEntry} as it is stored. A later entry has a higher `id`. */
export interface StoredAuditEntry extends AuditEntry {
  id: number
}
