import type { Users } from '../../resources/users.ts'
import type { User, UserInput } from '../../types.ts'
import { emailKey } from '../row.ts'

/**
 * Looks for users that an attempt of this import created without our hearing of it.
 *
 * @param after - A user that was created before any of them; `undefined` to search the whole list.
 * @param startedAt - When the import began, in milliseconds of the service's clock, rounded down
 *   to a second: earlier users are not of this import.
 * @returns by key of the address.
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

/** Whether a user is what `input` asked for, so that it can only come from this import. */
export function isCreatedFrom(user: User, input: UserInput): boolean {
  const { email_verified: _, ...profile } = input.profile
  return (
    Object.entries(profile).every(([name, value]) => user.profile[name] === value) &&
    Object.entries(input.metadata ?? {}).every(([name, value]) => user.metadata[name] === value)
  )
}
