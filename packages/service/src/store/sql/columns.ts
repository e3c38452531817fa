import type {
  ApiKeyRow,
  ApplicationRow,
  AuditRow,
  ConnectionRow,
  CredentialRow,
  OperatorRow,
  SigningKeyRow,
  TenantRow,
  UserRow,
  WebhookRow,
} from './schema.ts'

/** The names of the columns of a row; the compiler refuses one too few and one too many. */
function of<R>(row: Record<keyof R, 1>): readonly (keyof R & string)[] {
  return Object.keys(row) as (keyof R & string)[]
}

/**
 * The columns that are read of each table. Statements name them: a release that runs beside the next one reads what it
 * knows, and no plan becomes stale when a column is added.
 */
export const columns = {
  tenants: of<TenantRow>({
    id: 1,
    domain: 1,
    name: 1,
    settings: 1,
    metadata: 1,
    created_at: 1,
    updated_at: 1,
  }),
  applications: of<ApplicationRow>({
    tenant_id: 1,
    id: 1,
    name: 1,
    sealed_secret: 1,
    earlier_secret: 1,
    earlier_secret_until: 1,
    login_url: 1,
    logout_urls: 1,
    redirect_urls: 1,
    metadata: 1,
    created_at: 1,
    updated_at: 1,
  }),
  users: of<UserRow>({
    tenant_id: 1,
    id: 1,
    email: 1,
    email_key: 1,
    profile: 1,
    metadata: 1,
    disabled: 1,
    verified_at: 1,
    sessions_valid_after: 1,
    created_at: 1,
    updated_at: 1,
    name_key: 1,
    family_name_key: 1,
  }),
  credentials: of<CredentialRow>({
    tenant_id: 1,
    user_id: 1,
    id: 1,
    type: 1,
    secret: 1,
    metadata: 1,
    disabled: 1,
    created_at: 1,
    updated_at: 1,
    state: 1,
    rev: 1,
  }),
  api_keys: of<ApiKeyRow>({
    id: 1,
    name: 1,
    hash: 1,
    last4: 1,
    reaches_all: 1,
    read_only: 1,
    created_at: 1,
    expires_at: 1,
    revoked_at: 1,
    last_used_at: 1,
  }),
  signing_keys: of<SigningKeyRow>({ tenant_id: 1, id: 1, created_at: 1, sealed_jwk: 1 }),
  connections: of<ConnectionRow>({
    tenant_id: 1,
    id: 1,
    name: 1,
    recipe: 1,
    issuer: 1,
    client_id: 1,
    sealed_secret: 1,
    scopes: 1,
    trust_email: 1,
    allow_signup: 1,
    enabled: 1,
    apple: 1,
    created_at: 1,
    updated_at: 1,
  }),
  operators: of<OperatorRow>({
    tenant_id: 1,
    id: 1,
    role: 1,
    reach: 1,
    created_at: 1,
    updated_at: 1,
    invitation_hash: 1,
    invitation_until: 1,
  }),
  webhooks: of<WebhookRow>({
    tenant_id: 1,
    id: 1,
    url: 1,
    description: 1,
    types: 1,
    metadata: 1,
    disabled: 1,
    sealed_secret: 1,
    earlier_secret: 1,
    earlier_secret_until: 1,
    created_at: 1,
    updated_at: 1,
  }),
  audit: of<AuditRow>({
    id: 1,
    at: 1,
    tenant_id: 1,
    actor: 1,
    request_id: 1,
    action: 1,
    target: 1,
    outcome: 1,
    address: 1,
    user_agent: 1,
    application_id: 1,
    fields: 1,
  }),
} as const

/** The columns of a table that {@link columns} has. */
export function columnsOf(table: string): readonly string[] {
  const named: readonly string[] | undefined = (columns as { [table: string]: readonly string[] })[
    table
  ]
  if (!named) throw new Error(`No columns are named for the table ${table}.`)
  return named
}
