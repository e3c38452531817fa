import type { UserInput } from '../domain/users/users.ts'
import { ServiceError } from '../domain/writes/errors.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import type { Micros, User } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import type { UserBody } from './schemas.ts'
import { formatTimestamp, parseTimestamp } from './timestamps.ts'

/**
 * Makes the input for a user from a request body. An empty `verified_at` counts as absent.
 *
 * @throws ServiceError `invalid_request` if `verified_at` is no timestamp, or is before 1970 in a
 *   body with `email_verified: true`.
 */
export function userInput({ disabled, metadata, profile, verified_at }: UserBody): UserInput {
  const { email, email_verified, first_name: _, givenname: __, ...rest } = profile
  const name = givenNameIn(profile)
  const members = { ...rest, given_name: name && profile[name] }
  return {
    email,
    emailVerified: email_verified,
    verifiedAt: verified_at ? instantOf(verified_at, email_verified) : undefined,
    disabled,
    metadata,
    profile: Object.fromEntries(
      Object.entries(members).filter((entry): entry is [string, string] => {
        const [, value] = entry
        return typeof value === 'string' && value !== ''
      }),
    ),
  }
}

/** The members of a profile with the given name, in the order in which they are used. */
const GIVEN_NAMES = ['given_name', 'first_name', 'givenname'] as const

/** The member that gives the given name; `undefined` if all are empty. */
function givenNameIn(profile: UserBody['profile']): (typeof GIVEN_NAMES)[number] | undefined {
  return GIVEN_NAMES.find((name) => profile[name])
}

/**
 * The members of a body without effect: `verified_at`, unless the body has `email_verified: true`;
 * and a given name that differs from one under another name.
 */
export function ignoredMembers({ verified_at, profile }: UserBody): string[] {
  const used = profile[givenNameIn(profile) ?? 'given_name']
  const lost = GIVEN_NAMES.filter((name) => profile[name] && profile[name] !== used)
  return [
    ...(verified_at && !profile.email_verified ? ['verified_at'] : []),
    ...lost.map((name) => `profile.${name}`),
  ]
}

/** Makes the response body for a user. */
export function serializeUser(user: User): object {
  return omitZero({
    type: 'User',
    id: user.id,
    created_at: formatTimestamp(user.createdAt),
    updated_at: formatTimestamp(user.updatedAt),
    metadata: user.metadata,
    disabled: user.disabled,
    verified_at: user.verifiedAt === undefined ? undefined : formatTimestamp(user.verifiedAt),
    profile: omitZero({
      ...user.profile,
      email: user.email,
      email_verified: user.verifiedAt !== undefined,
    }),
  })
}

/**
 * Many languages have a zero timestamp long before 1970, such as `0001-01-01T00:00:00Z`. It is
 * refused as the time of a verification; without a verification it has no effect.
 */
function instantOf(text: string, isVerified: boolean): Micros {
  const name = 'verified_at'
  const at = parseTimestamp(text)
  if (at === undefined) {
    throw new ServiceError('invalid_request', reason('field_not_timestamp', { name }))
  }
  if (isVerified && at < 0) {
    const earliest = '1970-01-01T00:00:00Z'
    throw new ServiceError('invalid_request', reason('field_too_early', { name, earliest }))
  }
  return at
}
