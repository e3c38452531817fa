import { ConfigError } from '@latchkey/core'
import {
  type CheckSettings,
  checkOptions,
  flag,
  type Rules,
  rule,
  text,
  textRecord,
} from '@latchkey/core/internal'
import type { IdentityService } from '@latchkey/service'
import { type Authenticator, createAuthenticator } from './authenticator.ts'
import type { Identity } from './identity.ts'
import type { Call } from './management.ts'

/** A user to create. Missing members get defaults. */
export interface NewUser {
  /** The email address. Default `user-1@example.com` and so on. */
  readonly email?: string
  /** The password. Default `correct horse battery`, which is the fastest to create. */
  readonly password?: string
  /** The full name. Default `User 1` and so on. */
  readonly name?: string
  /**
   * Whether the address is verified. Otherwise, a login requires its verification. Default `true`.
   */
  readonly verified?: boolean
  /** Whether logins are refused. Default `false`. */
  readonly disabled?: boolean
  /**
   * More members of the profile, such as `given_name`, `picture` and `locale`. They become claims.
   */
  readonly profile?: Readonly<Record<string, string>>
  /** More claims of the ID token, such as `roles`, `acr` and `org`. */
  readonly claims?: UserClaims
}

/** Further claims for ID tokens, in addition to the profile. */
export type UserClaims = Readonly<Record<string, unknown>>

/**
 * A user who can log in: from {@link Identity.createUser}, or from elsewhere, such as an import.
 */
export interface KnownUser {
  /** The id of the user: the `sub` that the application gets. */
  readonly id: string
  readonly email: string
  readonly password: string
  readonly name: string
  /** The issuer at which the user can log in. Not enumerable, so comparisons of users ignore it. */
  readonly identity: Identity
}

/** A user of an identity. */
export interface TestUser extends KnownUser {
  /**
   * Returns a code of the user's authenticator app. The first call adds the app: later logins ask
   * for a code, and {@link Identity.logIn} enters it. Each call returns another code, and each code
   * is single use. After two calls within 30 seconds, advance the clock of the identity.
   */
  totp(): Promise<string>
}

/** The authenticator apps of test users. */
const authenticators = new WeakMap<KnownUser, Authenticator>()

/** A code for the second step of a login; `undefined` for a user without an app. */
export async function secondStepOf(user: KnownUser): Promise<string | undefined> {
  const app = authenticators.get(user)
  return app?.isAdded ? app.code() : undefined
}

/**
 * Replaces the authenticator app of a user, or adds one. From then on, each login asks for a code.
 */
export async function renewApp(user: KnownUser): Promise<void> {
  await authenticators.get(user)?.renew()
}

const DEFAULT_PASSWORD = 'correct horse battery'

// The bcrypt hash of the default password, at the cost that the service itself uses. It is computed
// in advance, because hashing takes 50 ms.
const DEFAULT_HASH = '$2b$10$Fpsr8Eo6qcOo7tZ7d8v.fOCZkTjZxW1X86lDLr1c/BMi2rA/3bSzy'

/** Claims about the token itself, and claims that other members of {@link NewUser} set. */
const OWN_CLAIMS = new Set(
  'iss sub aud exp nbf iat jti azp nonce at_hash sid auth_time email email_verified name'.split(
    ' ',
  ),
)

const RULES: Rules<NewUser> = {
  email: text,
  password: text,
  name: text,
  verified: flag,
  disabled: flag,
  profile: textRecord,
  claims: rule(
    'an object of claims that the identity does not make itself, as it does those of the profile and of the token',
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).every((name) => !OWN_CLAIMS.has(name)),
  ),
}

const SETTINGS: CheckSettings = {
  equivalents: {
    given_name: 'profile.given_name',
    family_name: 'profile.family_name',
    roles: 'claims.roles',
    acr: 'claims.acr',
  },
}

/** Makes the function that creates users through the management API. */
export function createUsers(
  service: IdentityService,
  call: Call,
  tenantId: string,
  claims: Map<string, UserClaims>,
): (identity: Identity, user?: NewUser) => Promise<TestUser> {
  const path = `/v1/tenants/${tenantId}/users`
  let count = 0

  return async (identity, wanted = {}) => {
    const { faults } = checkOptions(wanted, RULES, SETTINGS, 'user')
    if (faults.length > 0) throw new ConfigError(faults, 'createUser() cannot create this user:')
    count++
    const {
      email = `user-${count}@example.com`,
      password = DEFAULT_PASSWORD,
      name = `User ${count}`,
      verified = true,
      disabled = false,
      profile = {},
    } = wanted
    const { id } = await call(path, {
      type: 'User',
      disabled,
      profile: { ...profile, email, email_verified: verified, name },
    })
    if (wanted.claims) claims.set(id as string, structuredClone(wanted.claims))
    await call(`${path}/${id}/credentials`, {
      type: 'PasswordCredential',
      password:
        password === DEFAULT_PASSWORD
          ? { alg: 'bcrypt', hash: DEFAULT_HASH }
          : { alg: 'plain', hash: password },
    })
    const app = createAuthenticator(service, call, tenantId, id as string)
    const user = Object.defineProperties(
      { id: id as string, email, password, name },
      { identity: { value: identity }, totp: { value: () => app.code() } },
    ) as TestUser
    authenticators.set(user, app)
    return user
  }
}
