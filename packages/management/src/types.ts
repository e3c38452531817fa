import type { TenantSettings } from './tenant-settings.ts'

export type { TenantSettings }

/** Keys and values of your own, all of them strings. Do not store sensitive data here. */
export type Metadata = Record<string, string>

/** The members of every API object. Times are in UTC (RFC 3339). */
export interface ApiObject {
  readonly type: string
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
  metadata: Metadata
  /**
   * Members that this version of the package does not know. An update writes them back unchanged.
   */
  [member: string]: unknown
}

export interface Tenant extends ApiObject {
  name: string
  settings: TenantSettings
}

export interface Application extends ApiObject {
  name: string
  /** The client secret. Empty in the results of create and delete. */
  readonly secret: string
  login_url: string
  logout_urls: string[]
  redirect_urls: string[]
}

export interface Profile {
  email: string
  name: string
  family_name: string
  email_verified: boolean
  [member: string]: unknown
}

export interface User extends ApiObject {
  /** `true` blocks all logins of the user. */
  disabled: boolean
  /** The time at which the email address was verified. Absent if it is not verified. */
  verified_at?: string
  profile: Profile
}

/**
 * The formats in which a password can be imported: a hash algorithm, or `plain` for the password
 * itself.
 */
export type ImportAlgorithm = 'bcrypt' | 'plain' | 'md5' | 'sha1' | 'sha256' | 'sha512'

/**
 * A way for a user to prove who they are: a `PasswordCredential`, a `HardwareCredential` (a passkey
 * or security key), a `SocialCredential` (an account at a provider such as Google), a
 * `TotpAppCredential` (an authenticator app), a `TotpEmailCredential` (codes by mail) or a
 * `RecoveryCredential` (recovery codes). More kinds may come. The API creates only passwords. It
 * changes `disabled` and `metadata` of every kind.
 */
export interface Credential extends ApiObject {
  disabled: boolean
  /** The details of a `PasswordCredential`. For other kinds, all members are empty or 0. */
  password: {
    alg: string
    hash: string
    /** The bcrypt cost; 0 if the server does not send it. */
    cost: number
    [member: string]: unknown
  }
  /**
   * The details of a `TotpAppCredential`. `last_used_at` is absent until the first login with the
   * app.
   */
  totp_app?: { digits: number; period: number; last_used_at?: string; [member: string]: unknown }
  /** The details of a `TotpEmailCredential`. */
  totp_email?: { last_used_at?: string; [member: string]: unknown }
  /**
   * The details of a `RecoveryCredential`. `remaining` is the number of unused codes, absent if
   * none is left.
   */
  recovery?: { remaining?: number; [member: string]: unknown }
  /** The details of a `HardwareCredential`. Members that are `false` or empty are absent. */
  hardware?: {
    name?: string
    aaguid: string
    transports?: string[]
    discoverable?: boolean
    backed_up?: boolean
    last_used_at?: string
    [member: string]: unknown
  }
  /** The details of a `SocialCredential`. `email` is absent if the provider sent none. */
  social?: {
    connection: string
    issuer: string
    subject: string
    email?: string
    last_used_at?: string
    [member: string]: unknown
  }
}

/** An entry of the audit log: an action with its actor, target, IP address and request. */
export interface AuditEntry {
  readonly type: string
  readonly id: string
  at: string
  actor: string
  /** The action, such as `user.update`, or the error code of a refusal. */
  action: string
  target: string
  outcome: 'success' | 'failure' | 'refused'
  /** The names of the members that were changed. */
  fields: string[]
  /** The new values of changed members that are booleans, such as `disabled`. */
  flags?: Record<string, boolean>
  application_id: string
  request_id: string
  address: string
  user_agent: string
  [member: string]: unknown
}

/** One stored object in the data export of a user. `type` is the kind of the object. */
export interface UserDataObject {
  /**
   * The kind, such as `User`, `PasswordCredential`, `Session`, `Grant`, `Mail` or `OperatorLogin`.
   */
  readonly type: string
  [member: string]: unknown
}

/** A session of a user. */
export interface Session {
  readonly type: string
  readonly id: string
  logged_in_at: string
  /** The name of the browser; empty if unknown. `system` is the operating system, likewise. */
  browser: string
  system: string
  application_ids: string[]
  [member: string]: unknown
}

/** A program that may act on behalf of a user. */
export interface Grant {
  readonly type: string
  /** The id of the grant, unique for the user. */
  readonly id: string
  user_id: string
  client_id: string
  /**
   * The id of the application, if the user has logged in to it on a device; empty for other
   * programs.
   */
  application_id: string
  /** The hosts of a program that is not registered as an application. */
  hosts: string[]
  /** The name that the program claims. */
  name: string
  /** Whether the program runs on the user's device. */
  on_device: boolean
  /** The origin to which the authorization codes are sent; empty on a device. */
  goes_to: string
  granted_at: string
  /** When the service last issued tokens for this grant, rounded to the hour. */
  last_used_at?: string
  /** The scopes of the login. */
  scopes: string[]
  /** The scopes for each API. */
  resources: { resource: string; scopes: string[] }[]
  [member: string]: unknown
}

/**
 * The programs of a host: unregistered clients with this host in their `client_id` or redirect
 * URIs.
 */
export interface Program {
  readonly type: string
  /** The host, with its port if it has one. */
  readonly id: string
  blocked: boolean
  /**
   * Whether the host is in the tenant's list of trusted hosts. The list has an effect only if the
   * tenant trusts no other hosts.
   */
  listed: boolean
  blocked_at?: string
  unblocked_at?: string
  /** When a user last granted access, within the last year. */
  last_granted_at?: string
  [member: string]: unknown
}

/**
 * The tenant's own texts for mails and pages. Each language maps the name of a text to the text.
 */
export interface TenantTexts {
  readonly type: string
  en: Record<string, string>
  de: Record<string, string>
  [member: string]: unknown
}

/**
 * The logo that a tenant has uploaded. Without a logo, all members except `type` are empty or 0.
 */
export interface TenantLogo {
  readonly type: string
  /** The URL of the image. A new image gets a new URL. */
  url: string
  /** The SHA-256 hash of the image, in hexadecimal. */
  sha256: string
  content_type: string
  /** The width in pixels. `height` is in pixels, too. */
  width: number
  height: number
  /** The size of the image in bytes. */
  bytes: number
  [member: string]: unknown
}

/** A reason why a user cannot log in. */
export interface LoginObstacle {
  /**
   * The name of the reason, such as `disabled` or `password_wait`. Later versions of the service
   * may add reasons.
   */
  reason: string
  /** A sentence that explains the reason to people. */
  sentence: string
  /** `true` if the user can still log in with another login method. */
  partial?: boolean
  /** The time until which the user has to wait. */
  until?: string
  /** The IP network whose login attempts have to wait. */
  network?: string
  /** The last reply of the mail server. */
  last_answer?: string
  /** Actions that remove the obstacle: `enable`, `invite`, `reset`, `verify` or `let_try_again`. */
  help: string[]
}

/** An email to a user, with its delivery state and without its content. */
export interface Mail {
  readonly type: string
  readonly id: string
  created_at: string
  kind: string
  /** The id of the user; empty if the email address has no account. */
  user_id: string
  state: 'waiting' | 'captured' | 'sent' | 'given_up'
  attempts: number
  /** The last reply of the mail server. */
  last_answer: string
  due_at?: string
  sent_at?: string
  [member: string]: unknown
}

/** A webhook endpoint, to which the service sends events. */
export interface Webhook extends ApiObject {
  url: string
  description: string
  /** The event types. An empty list means all except `login.succeeded` and `login.failed`. */
  types: string[]
  disabled: boolean
  /**
   * The reason why the endpoint is disabled. `switched_off`: an operator or API key disabled it.
   * `gone`: the endpoint answered with 410. `failing`: the endpoint accepted no event for five
   * days. `restored`: the endpoint was restored from a backup and has to be confirmed.
   */
  disabled_reason?: 'switched_off' | 'gone' | 'failing' | 'restored'
}

/** A webhook endpoint with its signing key, `whsec_…`, which is shown only once. */
export interface WebhookWithSecret extends Webhook {
  secret: string
}

export interface WebhookInput {
  url: string
  description?: string
  types?: string[]
  metadata?: Metadata
  disabled?: boolean
}

/** The response of a webhook endpoint, or the reason why there was none. */
export interface EndpointAnswer {
  /** The HTTP status. Absent if there was no response. */
  status?: number
  /** The reason why there was no response. */
  reason?: 'timeout' | 'unreachable'
}

/**
 * The result of a test event: the endpoint's response, and whether the endpoint accepted the event.
 */
export interface WebhookTest extends EndpointAnswer {
  accepted: boolean
  milliseconds: number
}

/** The result of a replay. */
export interface WebhookReplay {
  /** The number of events that are sent again. */
  events: number
  /** The `from` for the next request. Absent if this request covered the whole period. */
  from?: string
}

/** The delivery of an event to an endpoint. */
export interface Delivery extends EndpointAnswer {
  readonly id: string
  created_at: string
  /** The id of the event, which is also the header `webhook-id` of the delivery. */
  event_id: string
  event_type: string
  state: 'waiting' | 'delivered' | 'given_up'
  attempts: number
  tried_at?: string
  due_at?: string
  milliseconds?: number
}

/** An event of a tenant. It identifies the changed object; read that object to get its values. */
export interface TenantEvent {
  /** The id of the event, which is also the header `webhook-id` of each delivery. */
  id: string
  type: string
  timestamp: string
  data: {
    /** The type of the object, such as `User`. */
    type: string
    id: string
    tenant_id: string
    user_id?: string
    /** The names of the members that were changed. */
    changed?: string[]
    actor: string
    application_id?: string
    request_id?: string
    /** The position of the event: a number that increases with each event of the tenant. */
    sequence: number
  }
}

export interface ApplicationInput {
  name: string
  login_url?: string
  logout_urls?: string[]
  redirect_urls?: string[]
}

export interface UserInput {
  metadata?: Metadata
  disabled?: boolean
  verified_at?: string
  profile: { email: string; email_verified?: boolean } & Record<string, string | boolean>
}

/** A user to import, with or without a password. */
export interface UserImport extends UserInput {
  password?: CredentialInput['password']
  /**
   * The password hash of another system, instead of `password`. At the first login, the service
   * replaces it with a bcrypt hash.
   */
  legacy_password?: LegacyPasswordInput
}

/** The sources of password hashes for `legacy_password`: a system, or the algorithm `argon2`. */
export type LegacyScheme =
  | 'argon2'
  | 'aspnet'
  | 'django'
  | 'firebase'
  | 'keycloak'
  | 'phpass'
  | 'wordpress'

/** A password hash of another system. */
export interface LegacyPasswordInput {
  scheme: LegacyScheme
  hash: string
  /**
   * The parameters that the hash does not contain. Keycloak: `algorithm`, `iterations`, `salt`, and
   * for Argon2 `type`, `version`, `memory`, `parallelism`. Firebase: `salt`, `salt_separator`,
   * `signer_key`, `rounds`, `mem_cost`.
   */
  parameters?: Record<string, string | number>
}

/** The result for one user of an import. */
export type ImportResult =
  | { status: 'created'; id: string }
  /**
   * A user with this email address exists already; nothing was changed. `user` is that user; it is
   * absent if the service has no bulk import.
   */
  | { status: 'existing'; user?: User }
  /**
   * The service refused the request with `code`. An `id` means that the user was created, but the
   * password was refused, or the request for it failed.
   */
  | { status: 'refused'; code: string; detail: string; id?: string }

/**
 * A user of a newer export. Leave out `disabled` if the export does not say whether the user may
 * log in.
 */
export interface UserImportChange extends UserImport {
  /** The id that an earlier import gave the user. */
  id?: string | undefined
  /** Whether to find the user by email address if there is no `id`. */
  matchAddress?: boolean
}

/** The reason why a member is not updated, although the export has another value. */
export type ImportConflictReason =
  | 'changed_here'
  | 'enabled_here'
  | 'disabled_here'
  | 'logged_in_here'
  | 'address_proved_here'
  | 'address_taken'
  | 'deleted_here'
  | 'signed_up_here'
  | 'history_gone'
  | 'needs_second_operator'

/**
 * A member that an update leaves unchanged, with the reason. `holder` is the id of the other user
 * who already has the email address.
 */
export interface ImportConflict {
  member: string
  reason: ImportConflictReason
  holder?: string
}

/** The result for a user of a newer export. In a preview, the result that an import would have. */
export type ImportChangeResult =
  /** `id` is absent in a preview. */
  | { status: 'created'; id?: string }
  /**
   * `members` has the names of the changed members. If the update blocks the user, one of the names
   * is `disabled=true`.
   */
  | { status: 'updated'; id: string; members: string[]; conflicts: ImportConflict[] }
  | { status: 'unchanged'; id: string }
  /** Nothing was changed: the service has newer values, or the address belongs to another user. */
  | { status: 'conflict'; id?: string; conflicts: ImportConflict[] }
  | { status: 'refused'; code: string; detail: string }

export interface CredentialInput {
  password: { alg: ImportAlgorithm; hash: string }
  metadata?: Metadata
  disabled?: boolean
}
