import type { Users } from '../../resources/users.ts'
import type { User, UserInput } from '../../types.ts'
import { emailKey } from '../row.ts'

/**
 * Finds users that an earlier attempt of this import created, but whose responses were lost.
 *
 * @param after - The id of a user who is older than all users to find; `undefined` to search the
 *   whole list.
 * @param startedAt - The start of the import by the service's clock, in milliseconds, rounded down
 *   to a second. Users created before are left out.
 * @param wanted - The key of the only email address to find; `undefined` to find all.
 * @returns the users by {@link emailKey}.
 */
export async function findCreated(
  users: Users,
  after: string | undefined,
  startedAt: number,
  wanted?: string,
): Promise<Map<string, User>> {
  const found = new Map<string, User>()
  for await (const user of users.list({ after })) {
    if (Date.parse(user.created_at) < startedAt) continue
    const key = emailKey(user.profile.email)
    if (wanted === undefined || wanted === key) found.set(key, user)
  }
  return found
}

/**
 * Whether a user has all members of `input` with the same values, and so counts as created by this
 * import. `email_verified` is not compared.
 */
export function isCreatedFrom(user: User, input: UserInput): boolean {
  const { email_verified: _, ...profile } = input.profile
  return (
    Object.entries(profile).every(([name, value]) => user.profile[name] === value) &&
    Object.entries(input.metadata ?? {}).every(([name, value]) => user.metadata[name] === value)
  )
}
