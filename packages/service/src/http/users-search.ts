import { z } from 'zod'
import { searchUsers } from '../domain/users/users.ts'
import { limits } from '../domain/writes/rules.ts'
import { decodePlace, encodePlace } from '../wire/places.ts'
import { serializeUser } from '../wire/users.ts'
import { query } from './route.ts'

const flag = z.enum(['true', 'false']).optional()

const filters = z.object({
  search: z.string().max(limits.emailLength).optional().meta({
    description:
      'The beginning of an address, a name, a family name, of a domain with its @, or of an id with its usr_, in any case.',
  }),
  disabled: flag.meta({ description: 'Whether users are disabled.' }),
  verified: flag.meta({ description: 'Whether addresses are verified.' }),
})

const place = z.tuple([z.string(), z.string()])

/** Finds users by the beginning of a key and by state. Not of the specification, whose list has no filters. */
export const searchUsersRoute = query({
  path: '/x/v1/tenants/:tenant_id/users',
  operationId: 'searchUsers',
  summary: 'Users by the beginning of an address, a name or an id, and by state',
  resource: 'User',
  filters,
  serialize: serializeUser,
  async run({ scope }, { search, disabled, verified }, { after, limit }) {
    const [key, id] = decodePlace(after, place) ?? []
    const { items, next } = await searchUsers(
      scope,
      { search, disabled: isTrue(disabled), verified: isTrue(verified) },
      { after: key === undefined || id === undefined ? undefined : { key, id }, limit },
    )
    return { items, next: next && encodePlace([next.key, next.id]) }
  },
})

function isTrue(flag: 'true' | 'false' | undefined): boolean | undefined {
  return flag && flag === 'true'
}
