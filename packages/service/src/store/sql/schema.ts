import type { Generated } from 'kysely'

/**
 * The tables of `data.db`. JSON is text, booleans are 0 and 1, times are integers in microseconds
 * from the service's clock. The migrations that make them are in `migrations.ts`.
 */
export interface Schema {
  tenants: TenantRow & DeletionColumns
  applications: ApplicationRow
  users: WrittenUserRow
  credentials: CredentialRow
  api_keys: ApiKeyRow
  api_key_tenants: { key_id: string; tenant_id: string }
  signing_keys: SigningKeyRow
  connections: ConnectionRow
  operators: OperatorRow
  webhooks: WebhookRow & LaneColumns
  audit: AuditRow
  cursors: CursorRow
  last_logins: LastLoginRow
  jobs: JobRow
  job_parts: JobPartRow
  held_domains: HeldDomainRow
  counters: { scope: string; value: number }
}

/** JSON as text: it is parsed in one place per table, and means the same in every SQL database. */
type Json = string

export type TenantRow = {
  id: string
  domain: string
  name: string
  settings: Json
  metadata: Json
  created_at: number
  updated_at: number
}

/** Of a tenant that is there, all are `null`. */
export type DeletionColumns = {
  deleted_at: Generated<number | null>
  /** How many users it had. */
  deleted_users: Generated<number | null>
}

/** A domain that a tenant gave up, which no other may take before `until`. */
export type HeldDomainRow = {
  domain: string
  tenant_id: string
  until: number
}

export type ApplicationRow = {
  tenant_id: string
  id: string
  name: string
  sealed_secret: string
  earlier_secret: string | null
  earlier_secret_until: number | null
  login_url: string
  logout_urls: Json
  redirect_urls: Json
  metadata: Json
  created_at: number
  updated_at: number
}

export type UserRow = {
  tenant_id: string
  id: string
  email: string
  email_key: string
  profile: Json
  metadata: Json
  disabled: number
  verified_at: number | null
  sessions_valid_after: number
  created_at: number
  updated_at: number
  /** A search key of users; `null` if an earlier release wrote the row. */
  name_key: string | null
  family_name_key: string | null
}

/** The columns that only a search looks at. PostgreSQL has the text in a table of its own. */
export type UserTexts = {
  search_text: string | null
  domain_key: string | null
}

export type WrittenUserRow = UserRow & UserTexts

/** When a user has logged in last. */
export type LastLoginRow = {
  tenant_id: string
  user_id: string
  at: number
}

export type CredentialRow = {
  tenant_id: string
  user_id: string
  id: string
  type:
    | 'PasswordCredential'
    | 'TotpAppCredential'
    | 'TotpEmailCredential'
    | 'RecoveryCredential'
    | 'HardwareCredential'
    | 'SocialCredential'
  secret: Json
  metadata: Json
  disabled: number
  created_at: number
  updated_at: number
  state: Json
  rev: number
}

export type SigningKeyRow = {
  tenant_id: string
  id: string
  created_at: number
  sealed_jwk: string
}

export type ConnectionRow = {
  tenant_id: string
  id: string
  name: string
  recipe: string
  issuer: string
  client_id: string
  sealed_secret: string
  scopes: Json
  trust_email: number
  allow_signup: number
  enabled: number
  apple: Json | null
  created_at: number
  updated_at: number
}

export type WebhookRow = {
  tenant_id: string
  id: string
  url: string
  description: string
  types: Json
  metadata: Json
  disabled: string | null
  sealed_secret: string
  earlier_secret: string | null
  earlier_secret_until: number | null
  created_at: number
  updated_at: number
}

/** The state of an endpoint's line of deliveries, which changes with them and not with the endpoint. */
export type LaneColumns = {
  due_at: Generated<number>
  held_until: Generated<number>
  fence: Generated<number>
  failing_since: Generated<number | null>
}

/** `tenant_id` is the system tenant's in every row. */
export type OperatorRow = {
  tenant_id: string
  id: string
  role: 'owner' | 'admin' | 'viewer'
  reach: Json
  created_at: number
  updated_at: number
  invitation_hash: string | null
  invitation_until: number | null
}

export type ApiKeyRow = {
  id: string
  name: string
  hash: string
  last4: string
  reaches_all: number
  read_only: number
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

/** How far a reader has come in its part of the audit log. Times are the database's. */
export type CursorRow = {
  reader: string
  shard: number
  position: number
  ahead: Json
  fence: number
}

export type AuditRow = {
  id: Generated<number>
  at: number
  tenant_id: string | null
  actor: string
  request_id: string | null
  action: string
  target: string
  outcome: 'success' | 'failure' | 'refused'
  address: string | null
  user_agent: string | null
  application_id: string | null
  fields: Json | null
}

/** A job for users of a tenant, and who carries it on. */
export type JobRow = {
  id: string
  tenant_id: string
  kind: string
  state: string
  users: Json
  actor: Json
  progress: Json
  total: number
  created_at: number
  held_until: number
  fence: number
}

export type JobPartRow = {
  job_id: string
  n: number
  content: string
  result: Json
}
