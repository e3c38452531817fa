import { ConfigError } from '@latchkey/core'
import {
  type CheckSettings,
  checkOptions,
  flag,
  type Rules,
  text,
  textRecord,
} from '@latchkey/core/options'
import type { Identity } from './identity.ts'
import type { Call } from './management.ts'

/** Somebody who can log in. Whatever is not given is made up. */
export interface NewUser {
  /** Default `user-1@example.com` and so on. */
  readonly email?: string
  /** Default `correct horse battery`, which is created fastest. */
  readonly password?: string
  /** Default `User 1` and so on. */
  readonly name?: string
  /** Whether the address is verified; otherwise the login asks for it first. Default `true`. */
  readonly verified?: boolean
  /** Whether logins are refused. Default `false`. */
  readonly disabled?: boolean
  /** More of the profile: `given_name`, `picture`, `locale` and so on become claims. */
  readonly profile?: Readonly<Record<string, string>>
}

/** A user of an identity. */
export interface TestUser {
  /** The `sub` that the application sees. */
  readonly id: string
  readonly email: string
  readonly password: string
  readonly name: string
  /** Where the user can log in. Not enumerable, so that users compare by their data. */
  readonly identity: Identity
}

const DEFAULT_PASSWORD = 'correct horse battery'

// bcrypt of the default password at the cost that the service uses itself, made beforehand: hashing
// takes 50 ms.
const DEFAULT_HASH = '$2b$10$Fpsr8Eo6qcOo7tZ7d8v.fOCZkTjZxW1X86lDLr1c/BMi2rA/3bSzy'

const RULES: Rules<NewUser> = {
  email: text,
  password: text,
  name: text,
  verified: flag,
  disabled: flag,
  profile: textRecord,
}

const SETTINGS: CheckSettings = {
  equivalents: { given_name: 'profile.given_name', family_name: 'profile.family_name' },
}

/** Creates users through the management API. */
export function createUsers(
  call: Call,
  tenantId: string,
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
    await call(`${path}/${id}/credentials`, {
      type: 'PasswordCredential',
      password:
        password === DEFAULT_PASSWORD
          ? { alg: 'bcrypt', hash: DEFAULT_HASH }
          : { alg: 'plain', hash: password },
    })
    const user = { id: id as string, email, password, name }
    return Object.defineProperty(user, 'identity', { value: identity }) as TestUser
  }
}
