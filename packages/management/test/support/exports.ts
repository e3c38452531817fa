/** bcrypt of `correct horse`. */
const HASH = '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC'

const FUTURE = '2199-01-01 00:00:00+00'
const PAST = '2024-04-01 10:00:00+00'

/** The answer of the service to a person with the right password. */
export type Answer = 'logs in' | 'confirms the address' | 'is shut out'

/** An export as its product writes it, and what each of its people gets, by the first part of the address. */
export interface Export {
  product: string
  text: string
  args?: string[]
  people: Record<string, Answer>
}

const lines = (objects: object[]) => objects.map((one) => JSON.stringify(one)).join('\n')

const usual = {
  free: 'logs in',
  new: 'confirms the address',
  blocked: 'is shut out',
} as const

export const exports: readonly Export[] = [
  {
    product: 'Auth0',
    text: lines([
      { user_id: 'auth0|1', email: 'free@x.example', email_verified: true, blocked: false },
      { user_id: 'auth0|2', email: 'new@x.example', email_verified: false },
      { user_id: 'auth0|3', email: 'blocked@x.example', email_verified: true, blocked: true },
    ]),
    people: usual,
  },
  {
    product: 'Clerk, with the columns of its API',
    text: `id,primary_email_address,verified_email_addresses,password_digest,password_hasher,banned,locked
user_1,free@x.example,free@x.example,${HASH},bcrypt,false,false
user_2,new@x.example,,${HASH},bcrypt,false,false
user_3,blocked@x.example,blocked@x.example,${HASH},bcrypt,true,false
user_4,locked@x.example,locked@x.example,${HASH},bcrypt,false,true
`,
    people: { ...usual, locked: 'is shut out' },
  },
  {
    product: 'Cognito',
    text: JSON.stringify({
      Users: [
        ['free', 'true', true, 'CONFIRMED'],
        ['new', 'false', true, 'UNCONFIRMED'],
        ['blocked', 'true', false, 'CONFIRMED'],
        ['locked', 'true', true, 'COMPROMISED'],
      ].map(([name, verified, Enabled, UserStatus]) => ({
        Username: name,
        Attributes: [
          { Name: 'email', Value: `${name}@x.example` },
          { Name: 'email_verified', Value: verified },
        ],
        Enabled,
        UserStatus,
      })),
    }),
    people: { ...usual, locked: 'is shut out' },
  },
  {
    product: 'django',
    text: JSON.stringify(
      ['new', 'blocked'].map((name, n) => ({
        model: 'auth.user',
        pk: n,
        fields: {
          password: `bcrypt$${HASH}`,
          email: `${name}@x.example`,
          is_active: name !== 'blocked',
        },
      })),
    ),
    args: ['--map', 'hash=fields.password'],
    people: { new: usual.new, blocked: usual.blocked },
  },
  {
    product: 'Firebase',
    text: JSON.stringify({
      users: ['free', 'new', 'blocked'].map((name) => ({
        localId: name,
        email: `${name}@x.example`,
        emailVerified: name !== 'new',
        passwordHash: 'vN9J8wq2m1rQ0lqB6X2n3kT5y7zA9cD1eF3gH5iJ7kL9mA==',
        ...(name === 'blocked' && { disabled: true }),
      })),
    }),
    args: ['--no-passwords'],
    people: usual,
  },
  {
    product: 'Keycloak',
    text: JSON.stringify({
      realm: 'acme',
      enabled: true,
      users: ['free', 'new', 'blocked'].map((name) => ({
        id: name,
        email: `${name}@x.example`,
        emailVerified: name !== 'new',
        enabled: name !== 'blocked',
      })),
    }),
    people: usual,
  },
  {
    product: 'Supabase',
    text: `id,email,encrypted_password,email_confirmed_at,banned_until,deleted_at
1,free@x.example,${HASH},${PAST},${PAST},
2,new@x.example,${HASH},,,
3,blocked@x.example,${HASH},${PAST},${FUTURE},
4,deleted@x.example,${HASH},${PAST},,${PAST}
`,
    people: { ...usual, deleted: 'is shut out' },
  },
  {
    product: 'Okta',
    text: JSON.stringify(
      ['new ACTIVE', 'blocked SUSPENDED', 'deleted DEPROVISIONED', 'locked LOCKED_OUT'].map(
        (one, n) => {
          const [name, status] = one.split(' ')
          return { id: `00u${n}`, status, profile: { email: `${name}@x.example`, firstName: name } }
        },
      ),
    ),
    people: {
      new: usual.new,
      blocked: usual.blocked,
      deleted: 'is shut out',
      locked: 'is shut out',
    },
  },
  {
    product: 'Logto',
    text: JSON.stringify(
      ['new', 'blocked'].map((name) => ({
        id: name,
        passwordEncryptionMethod: 'Argon2i',
        primaryEmail: `${name}@x.example`,
        isSuspended: name === 'blocked',
        passwordEncrypted:
          '$argon2i$v=19$m=8192,t=8,p=1$ZmVkY2JhOTg3NjU0MzIxMA$YMm/SS2by01/FlXa9UuC5QO9/iFHSWoFRoKRCRL8ZuY',
      })),
    ),
    people: { new: usual.new, blocked: usual.blocked },
  },
  {
    product: 'Kratos',
    text: JSON.stringify(
      ['free', 'new', 'blocked'].map((name) => ({
        id: name,
        state: name === 'blocked' ? 'inactive' : 'active',
        traits: { email: `${name}@x.example` },
        verifiable_addresses: [{ value: `${name}@x.example`, verified: name !== 'new' }],
      })),
    ),
    args: ['--map', 'email=traits.email'].concat(
      '--map',
      'email_verified=verifiable_addresses.0.verified',
    ),
    people: usual,
  },
  {
    product: 'WordPress, several sites',
    text: `ID,user_login,user_pass,user_email,user_status,spam,deleted
1,new,$P$Babcdefghijklmnopqrstuv,new@x.example,0,0,0
2,deleted,$P$Babcdefghijklmnopqrstuv,deleted@x.example,0,0,1
3,blocked,$P$Babcdefghijklmnopqrstuv,blocked@x.example,0,1,0
`,
    args: ['--no-passwords', '--allows', 'user_status=0', '--blocks', 'spam=1'],
    people: { new: usual.new, deleted: 'is shut out', blocked: usual.blocked },
  },
  {
    product: 'Better Auth',
    text: `id,name,email,emailVerified,banned,banReason,banExpires
1,Free,free@x.example,true,false,,
2,New,new@x.example,false,false,,
3,Blocked,blocked@x.example,true,true,spam,
`,
    people: usual,
  },
]
