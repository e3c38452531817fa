import { defaultSettings } from '../../src/domain/tenants/tenants.ts'
import type {
  ApiKey,
  Application,
  AuditEntry,
  Connection,
  Credential,
  Operator,
  PasswordCredential,
  SigningKey,
  SocialCredential,
  Tenant,
  User,
  Webhook,
} from '../../src/store/records.ts'

/** Records of every kind, complete and each different from the ones before. */

let made = 0

/** A number that grows with every call, and text of it that sorts the same way. */
function next(): { n: number; text: string } {
  made++
  return { n: made, text: String(made).padStart(6, '0') }
}

export function aTenant(members: Partial<Tenant> = {}): Tenant {
  const { n, text } = next()
  return {
    id: `ten_${text}`,
    name: `Tenant ${n}`,
    createdAt: 1_700_000_000_000_000 + n,
    updatedAt: 1_700_000_000_000_001 + n,
    metadata: { plan: 'gold', 'ключ 🔑': 'значение' },
    settings: settings(`tenant-${n}.example.com`),
    ...members,
  }
}

export function settings(domain: string): Tenant['settings'] {
  return {
    ...defaultSettings,
    ...{ domain, companyName: 'Acme "Ltd"', supportEmail: 'help@example.com' },
    ...{ allowHardware: true, allowTotpEmail: true, rememberDevice: true, rememberLoginSeconds: 0 },
  }
}

export function anApplication(tenantId: string, members: Partial<Application> = {}): Application {
  const { n, text } = next()
  return {
    id: `app_${text}`,
    tenantId,
    name: `Application ${n}`,
    createdAt: 1_700_000_000_000_000 + n,
    updatedAt: 1_700_000_000_000_001 + n,
    metadata: { team: 'web' },
    sealedSecret: `v1.${text}`,
    earlierSecret: { sealed: `v1.earlier-${text}`, until: 1_800_000_000_000_000 + n },
    loginUrl: 'https://app.example.com/login',
    logoutUrls: ['https://app.example.com/bye'],
    redirectUrls: ['https://app.example.com/callback', 'http://localhost:3000/callback?a=1&b=2'],
    ...members,
  }
}

export function aUser(tenantId: string, members: Partial<User> = {}): User {
  const { n, text } = next()
  return {
    id: `usr_${text}`,
    tenantId,
    createdAt: 1_700_000_000_000_000 + n,
    updatedAt: 1_700_000_000_000_001 + n,
    metadata: { crm: text },
    disabled: false,
    verifiedAt: undefined,
    sessionsValidAfter: 0,
    email: `User.${n}@Example.com`,
    emailKey: `user.${n}@example.com`,
    profile: { name: 'Ada Lovelace 👩‍🔬', given_name: 'Ada' },
    ...members,
  }
}

export function aCredential(
  user: User,
  members: Partial<PasswordCredential> = {},
): PasswordCredential {
  const { n } = next()
  return {
    kind: 'password',
    id: 'password',
    tenantId: user.tenantId,
    userId: user.id,
    createdAt: 1_700_000_000_000_000 + n,
    updatedAt: 1_700_000_000_000_001 + n,
    metadata: { from: 'import' },
    disabled: false,
    rev: 1,
    password: { alg: 'sha1|bcrypt', hash: `$2b$10$${n}`, cost: 10 },
    state: { upgradedFrom: `hash-${n}` },
    ...members,
  }
}

/** A credential of every kind, of the same user. */
export function credentialsOf(user: User): Credential[] {
  const record = (id: string, age: number) => ({
    ...aCredential(user, { id }),
    createdAt: 1_800_000_000_000_000 + age,
    updatedAt: 1_800_000_000_000_000 + age,
  })
  const usedAt = 1_800_000_000_000_009
  return [
    record('password', 0),
    {
      ...without(record('totp_app', 1)),
      kind: 'totp_app',
      sealedSeed: 'v1.s',
      state: { lastStep: 7, usedAt },
    },
    { ...without(record('totp_email', 2)), kind: 'totp_email', state: {} },
    {
      ...without(record('recovery_codes', 3)),
      kind: 'recovery_codes',
      sealedKey: 'v1.k',
      hashes: ['h1', 'h2'],
      state: { usedAt },
    },
    {
      ...without(record('hwk_0123456789abcdefghjkmnpqrs', 4)),
      kind: 'hardware',
      name: 'Laptop "1" 🔑',
      rpId: 'acme.example.com',
      keyId: 'AbC-_9',
      publicKey: 'pQECAyYgASFYIA',
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: ['internal', 'hybrid'],
      purpose: 'passkey',
      isSyncable: false,
      state: { counter: 4_294_967_295, isBackedUp: false, usedAt },
    },
    { ...aSocialCredential(user), ...times(5), state: { usedAt } },
  ]
}

const times = (age: number) => ({
  createdAt: 1_800_000_000_000_000 + age,
  updatedAt: 1_800_000_000_000_000 + age,
})

/** An account at a provider, which no other user has. */
export function aSocialCredential(
  user: User,
  members: Partial<SocialCredential> = {},
): SocialCredential {
  const { text } = next()
  return {
    ...without(aCredential(user, { id: `soc_${text}` })),
    kind: 'social',
    connectionId: 'con_0123',
    issuer: 'https://accounts.example.com',
    subject: `1|"${text}"`,
    email: 'Ada@Example.com',
    state: {},
    ...members,
  }
}

export function aConnection(tenantId: string, members: Partial<Connection> = {}): Connection {
  const { n, text } = next()
  return {
    id: `con_${text}`,
    tenantId,
    name: `Provider "${n}"`,
    createdAt: 1_700_000_000_000_000 + n,
    updatedAt: 1_700_000_000_000_001 + n,
    recipe: 'apple',
    issuer: 'https://accounts.example.com',
    clientId: 'client "1"',
    sealedSecret: `v1.${text}`,
    scopes: ['openid', 'email'],
    trustEmail: false,
    allowSignup: true,
    enabled: n % 2 === 0,
    ownCallback: n % 3 === 0,
    apple: { teamId: 'TEAM', keyId: 'KEY' },
    ...members,
  }
}

/** An endpoint for events. */
export function aWebhook(tenantId: string, members: Partial<Webhook> = {}): Webhook {
  const { n, text } = next()
  return {
    id: `whk_${text}`,
    tenantId,
    createdAt: 1_700_000_000_000_000 + n,
    updatedAt: 1_700_000_000_000_001 + n,
    url: `https://shop.example.com/${n}`,
    description: `Shop "${n}"`,
    types: n % 2 === 0 ? [] : ['user.created'],
    metadata: { key: 'value' },
    disabled: undefined,
    sealedSecret: `v1.${text}`,
    earlierSecret: { sealed: 'v1.earlier', until: 1_800_000_000_000_000 },
    ...members,
  }
}

function without({
  password,
  ...record
}: PasswordCredential): Omit<PasswordCredential, 'password'> {
  return record
}

export function anApiKey(members: Partial<ApiKey> = {}): ApiKey {
  const { n, text } = next()
  return {
    id: `key_${text}`,
    name: `Key ${n}`,
    hash: `hash-${text}`,
    last4: text.slice(-4),
    reach: 'all',
    readOnly: n % 2 === 0,
    createdAt: 1_700_000_000_000_000 + n,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
    ...members,
  }
}

export function aSigningKey(tenantId: string, members: Partial<SigningKey> = {}): SigningKey {
  const { n, text } = next()
  return {
    id: `kid-${text}`,
    tenantId,
    createdAt: 1_700_000_000_000_000 + n,
    sealedJwk: `v1.jwk-${text}`,
    ...members,
  }
}

export function anOperator(id: string, members: Partial<Operator> = {}): Operator {
  const { n, text } = next()
  return {
    id,
    role: 'owner',
    reach: 'all',
    createdAt: 1_700_000_000_000_000 + n,
    updatedAt: 1_700_000_000_000_001 + n,
    invitation: { hash: `invitation-${text}`, expiresAt: 1_800_000_000_000_000 + n },
    ...members,
  }
}

export function anAudit(action: string, members: Partial<AuditEntry> = {}): AuditEntry {
  const { n, text } = next()
  return {
    at: 1_700_000_000_000_000 + n,
    tenantId: undefined,
    actor: 'admin',
    requestId: undefined,
    action,
    target: `target-${text}`,
    outcome: 'success',
    address: undefined,
    userAgent: undefined,
    applicationId: undefined,
    ...members,
  }
}
