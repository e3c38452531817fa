import type { Users } from '../../resources/users.ts'
import type { User, UserInput } from '../../types.ts'
import { emailKey } from '../row.ts'

/**
 * Finds users that an earlier attempt of this import created without receiving the answer.
 *
 * @param after - The id of a user that is older than all of them; `undefined` to search the whole
 *   list.
 * @param startedAt - When the import began, in milliseconds of the service's clock, rounded down to
 *   a second. Older users are left out.
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

/** Whether a user has exactly the members of `input`, and so can only come from this import. */
export function isCreatedFrom(user: User, input: UserInput): boolean {
  const { email_verified: _, ...profile } = input.profile
  return (
    Object.entries(profile).every(([name, value]) => user.profile[name] === value) &&
    Object.entries(input.metadata ?? {}).every(([name, value]) => user.metadata[name] === value)
  )
}
