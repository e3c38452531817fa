/** String keys and values for your own use. Not for sensitive data. */
export type Metadata = Record<string, string>

/** The members that every object has. Instants are as the service wrote them: RFC 3339, UTC. */
export interface ApiObject {
  readonly type: string
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
  metadata: Metadata
  /** Members that this version does not know are preserved, and sent back by an update. */
  [member: string]: unknown
}

export interface TenantSettings {
  domain: string
  company_name: string
  logo_image_text: string
  support_email: string
  allow_social: boolean
  allow_hardware: boolean
  allow_passwords: boolean
  allow_totp_app: boolean
  allow_totp_email: boolean
  allow_unverified: boolean
  remember_device: boolean
  remember_device_seconds: number
  remember_login_seconds: number
  allow_signups: boolean
  developer_mode: boolean
  [member: string]: unknown
}

export interface Tenant extends ApiObject {
  name: string
  settings: TenantSettings
}

export interface Application extends ApiObject {
  name: string
  /** The client secret; empty in the answers to create and delete. */
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
  /** `true` blocks logins. */
  disabled: boolean
  /** The instant when the address was verified; absent when it is not. */
  verified_at?: string
  profile: Profile
}

/** The algorithms of hashes that can be imported. */
export type ImportAlgorithm = 'bcrypt' | 'plain' | 'md5' | 'sha1' | 'sha256' | 'sha512'

/**
 * A way for a user to prove who they are: a `PasswordCredential`, a `HardwareCredential` (a passkey or
 * security key), a `SocialCredential` (an account at a provider such as Google), a `TotpAppCredential` (an
 * authenticator app), a `TotpEmailCredential` (codes by mail) or a `RecoveryCredential` (recovery codes). More kinds may come. Only passwords can be created; of all kinds,
 * `disabled` and `metadata` can be changed.
 */
export interface Credential extends ApiObject {
  disabled: boolean
  /** The details of a `PasswordCredential`; empty members for other kinds. */
  password: {
    alg: string
    hash: string
    /** The bcrypt cost; 0 when the server does not tell. */
    cost: number
    [member: string]: unknown
  }
  /** The details of a `TotpAppCredential`. `last_used_at` is absent until the first login with it. */
  totp_app?: { digits: number; period: number; last_used_at?: string; [member: string]: unknown }
  /** The details of a `TotpEmailCredential`. */
  totp_email?: { last_used_at?: string; [member: string]: unknown }
  /** The details of a `RecoveryCredential`; `remaining`, its unused codes, is absent when none is left. */
  recovery?: { remaining?: number; [member: string]: unknown }
  /** The details of a `HardwareCredential`; `false` and empty members are absent. */
  hardware?: {
    name?: string
    aaguid: string
    transports?: string[]
    discoverable?: boolean
    backed_up?: boolean
    last_used_at?: string
    [member: string]: unknown
  }
  /** The details of a `SocialCredential`; `email` is absent if the provider sent none. */
  social?: {
    connection: string
    issuer: string
    subject: string
    email?: string
    last_used_at?: string
    [member: string]: unknown
  }
}

/** An action: its actor, its object, its origin and its request. */
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

/** A session of a user. */
export interface Session {
  readonly type: string
  readonly id: string
  logged_in_at: string
  /** Empty where the browser does not say. */
  browser: string
  system: string
  application_ids: string[]
  [member: string]: unknown
}

/** A program that may act on behalf of a user. */
export interface Grant {
  readonly type: string
  /** Unique among the grants of the user. */
  readonly id: string
  user_id: string
  client_id: string
  /** The application to which the user has logged in on a device; empty for other programs. */
  application_id: string
  /** The hosts of a program that is no application. */
  hosts: string[]
  /** The name that the program claims. */
  name: string
  /** Whether it runs on the device of the user. */
  on_device: boolean
  /** The origin that the codes of its logins go to; empty on a device. */
  goes_to: string
  granted_at: string
  /** When the service has last given out tokens for it, to the hour. */
  last_used_at?: string
  /** The scopes of logins. */
  scopes: string[]
  /** The scopes of each API. */
  resources: { resource: string; scopes: string[] }[]
  [member: string]: unknown
}

/** The programs of a host: unregistered clients that have it in their `client_id` or redirect URIs. */
export interface Program {
  readonly type: string
  /** The host, with its port if it has one. */
  readonly id: string
  blocked: boolean
  /** Whether the tenant lists the host, which counts where it trusts listed hosts. */
  listed: boolean
  blocked_at?: string
  unblocked_at?: string
  /** Within the last year. */
  last_granted_at?: string
  [member: string]: unknown
}

/** The texts of mails and pages that a tenant has of its own, by their names. */
export interface TenantTexts {
  readonly type: string
  en: Record<string, string>
  de: Record<string, string>
  [member: string]: unknown
}

/** Something that keeps a user from logging in. */
export interface LoginObstacle {
  /** Such as `disabled` or `password_wait`; more may come. */
  reason: string
  /** The reason, as a sentence for people. */
  sentence: string
  /** Whether another way to log in is still open. */
  partial?: boolean
  /** The end of a wait. */
  until?: string
  /** The network that has to wait. */
  network?: string
  /** The last answer of the mail server. */
  last_answer?: string
  /** Acts that remove the obstacle: `enable`, `invite`, `reset`, `verify` or `let_try_again`. */
  help: string[]
}

/** The state of a message, without its content. */
export interface Mail {
  readonly type: string
  readonly id: string
  created_at: string
  kind: string
  /** Empty for an address without an account. */
  user_id: string
  state: 'waiting' | 'captured' | 'sent' | 'given_up'
  attempts: number
  /** The last answer of the mail server. */
  last_answer: string
  due_at?: string
  sent_at?: string
  [member: string]: unknown
}

/** An endpoint for events. */
export interface Webhook extends ApiObject {
  url: string
  description: string
  /** The types of events. An empty list means all but `login.succeeded` and `login.failed`. */
  types: string[]
  disabled: boolean
  /** `switched_off`; `gone`: it answered 410; `failing`: it accepted nothing for five days. */
  disabled_reason?: 'switched_off' | 'gone' | 'failing' | 'restored'
}

/** An endpoint with the key of its signatures, `whsec_…`, which is shown once. */
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

/** The answer of an endpoint. */
export interface EndpointAnswer {
  /** The status; absent where there was no answer. */
  status?: number
  /** Why there was no answer. */
  reason?: 'timeout' | 'unreachable'
}

/** The result of a test. */
export interface WebhookTest extends EndpointAnswer {
  accepted: boolean
  milliseconds: number
}

/** The events that are sent again. */
export interface WebhookReplay {
  events: number
  /** The start of the next request, when there were too many for one. */
  from?: string
}

/** An event on its way to an endpoint. */
export interface Delivery extends EndpointAnswer {
  readonly id: string
  created_at: string
  /** The `webhook-id`. */
  event_id: string
  event_type: string
  state: 'waiting' | 'delivered' | 'given_up'
  attempts: number
  tried_at?: string
  due_at?: string
  milliseconds?: number
}

/** A change of a tenant; GET the object for its values. */
export interface TenantEvent {
  /** The `webhook-id` under which it is sent. */
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
    /** Grows with time within a tenant. */
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

/** A user to import, with the password of the old system where there is one. */
export interface UserImport extends UserInput {
  password?: CredentialInput['password']
  /** Instead of `password`: the hash of another system, which becomes bcrypt at the first login. */
  legacy_password?: LegacyPasswordInput
}

/** The systems whose hashes the service imports. */
export type LegacyScheme =
  | 'argon2'
  | 'aspnet'
  | 'django'
  | 'firebase'
  | 'keycloak'
  | 'phpass'
  | 'wordpress'

/** A hash of another system. */
export interface LegacyPasswordInput {
  scheme: LegacyScheme
  hash: string
  /**
   * The parameters that the hash does not name. Keycloak: `algorithm`, `iterations`, `salt`, and for Argon2 `type`,
   * `version`, `memory`, `parallelism`. Firebase: `salt`, `salt_separator`, `signer_key`, `rounds`, `mem_cost`.
   */
  parameters?: Record<string, string | number>
}

/** The result for one user of an import. */
export type ImportResult =
  | { status: 'created'; id: string }
  /** Another user has the address; their id, when the service tells it. Nothing was changed. */
  | { status: 'existing'; user?: User }
  /** The codes are those of the service. `id`: the user was created, but has no password. */
  | { status: 'refused'; code: string; detail: string; id?: string }

/** A user of a newer export; without `disabled`, the export says nothing about who may log in. */
export interface UserImportChange extends UserImport {
  /** The id that an earlier import gave the user. */
  id?: string | undefined
  /** Whether a user with the same address is meant, if there is no id. */
  matchAddress?: boolean
}

/** The reason for which a member stays as it is in the service, although an export has another value. */
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

/** A member that stays as it is in the service; `holder` is the user who has the address. */
export interface ImportConflict {
  member: string
  reason: ImportConflictReason
  holder?: string
}

/** The outcome for a user of a newer export; in a preview, the outcome that it would have. */
export type ImportChangeResult =
  /** A preview gives no id. */
  | { status: 'created'; id?: string }
  /** The names of the members that changed; a user who is blocked has `disabled=true`. */
  | { status: 'updated'; id: string; members: string[]; conflicts: ImportConflict[] }
  | { status: 'unchanged'; id: string }
  /** Nothing was changed: all that differs was changed in the service since, or the address is another user's. */
  | { status: 'conflict'; id?: string; conflicts: ImportConflict[] }
  | { status: 'refused'; code: string; detail: string }

export interface CredentialInput {
  password: { alg: ImportAlgorithm; hash: string }
  metadata?: Metadata
  disabled?: boolean
}
