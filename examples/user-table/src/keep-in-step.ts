import type { WebhookEvent } from '@latchkey/express'
import { NotFoundError, type User, type Users } from '@latchkey/management'
import type { Members, MemberValues } from './members.ts'

// #region keep
/** Keeps the table of members in step with the users of the service. */
export function keepInStep(
  users: Pick<Users, 'get'>,
  members: Members,
  endSessions: (userId: string) => Promise<unknown>,
): (event: WebhookEvent) => Promise<void> {
  return async ({ type, data }) => {
    if (!type.startsWith('user.')) return
    // An event has no values, and may come late: the present ones are at the service.
    const values = await read(users, data.id)
    const known = members.find(data.id)
    if (values) members.save(values, data.sequence)
    // Notes refer to the row, so it stays; the name and the address go.
    else if (known) {
      const gone = {
        userId: data.id,
        name: 'A former member',
        email: '',
        state: 'deleted',
      } as const
      members.save(gone, data.sequence)
    }
    if (values?.state !== 'active') await endSessions(data.id)
  }
}

async function read(users: Pick<Users, 'get'>, id: string): Promise<MemberValues | undefined> {
  try {
    return valuesOf(await users.get(id))
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
// #endregion

/** Fills the table for the first time. Rows that an event has written stay as they are. */
export async function fill(users: Pick<Users, 'list'>, members: Members): Promise<void> {
  for await (const user of users.list()) members.save(valuesOf(user), 0)
}

function valuesOf({ id, disabled, profile }: User): MemberValues {
  const { name, email } = profile
  return { userId: id, name: name || email, email, state: disabled ? 'disabled' : 'active' }
}
