import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  type UserInput,
  updateUser,
} from '../domain/users/users.ts'
import { ServiceError } from '../domain/writes/errors.ts'
import type { User } from '../store/records.ts'
import { list, type Route, write } from './route.ts'
import { type UserBody, userBody } from './schemas.ts'
import { formatTimestamp, parseTimestamp } from './timestamps.ts'
import { omitZero } from './wire.ts'

const collection = '/v1/tenants/:tenant_id/users'
const single = `${collection}/:user_id`

export const userRoutes: Route[] = [
  list({
    path: collection,
    operationId: 'listUsers',
    summary: 'The users of a tenant',
    resource: 'User',
    run: ({ scope }, page) => listUsers(scope, page),
    serialize: (_, user) => serializeUser(user),
  }),
  write({
    path: collection,
    operationId: 'createUser',
    summary: 'Create a user without credentials',
    resource: 'User',
    body: userBody,
    ignored: ignoredMembers,
    run: async ({ scope }, body) => serializeUser(await createUser(scope, userInput(body))),
  }),
  {
    kind: 'get',
    path: single,
    operationId: 'getUser',
    summary: 'One user',
    resource: 'User',
    run: async ({ scope, ids }) => serializeUser(await getUser(scope, ids.user_id)),
  },
  write({
    path: single,
    operationId: 'updateUser',
    summary: 'Replace a user; disables or enables it',
    resource: 'User',
    body: userBody,
    ignored: ignoredMembers,
    run: async ({ scope, ids }, body) =>
      serializeUser(await updateUser(scope, ids.user_id, userInput(body))),
  }),
  {
    kind: 'delete',
    path: single,
    operationId: 'deleteUser',
    summary: 'Delete a user with all credentials; answers with the last version',
    resource: 'User',
    run: async ({ scope, ids }) => serializeUser(await deleteUser(scope, ids.user_id)),
  },
]

/** Members without effect: the instant of a proof that the body does not claim. */
export function ignoredMembers({ verified_at, profile }: UserBody): string[] {
  return verified_at !== undefined && !profile.email_verified ? ['verified_at'] : []
}

/** The user that a body describes. */
export function userInput({ disabled, metadata, profile, verified_at }: UserBody): UserInput {
  const { email, email_verified, first_name, givenname, ...rest } = profile
  const members = { ...rest, given_name: rest.given_name ?? first_name ?? givenname }
  return {
    email,
    emailVerified: email_verified,
    verifiedAt: verified_at === undefined ? undefined : instant(verified_at),
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

/** A user as the API answers with it. */
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

function instant(text: string): number {
  const at = parseTimestamp(text)
  if (at === undefined) {
    throw new ServiceError(
      'invalid_request',
      '"verified_at" must be a timestamp such as 2026-01-31T09:30:00Z (RFC 3339).',
    )
  }
  return at
}
