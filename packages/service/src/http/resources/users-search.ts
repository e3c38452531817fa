import { z } from 'zod'
import { searchUsers } from '../../domain/users/users.ts'
import { instantOfDay } from '../../domain/writes/days.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { limits } from '../../domain/writes/rules.ts'
import { loginWays, type Micros } from '../../store/records.ts'
import { decodePlace, encodePlace } from '../../wire/places.ts'
import { serializeUser } from '../../wire/users.ts'
import { query } from '../route.ts'

const flag = z.enum(['true', 'false']).optional()

const filters = z.object({
  search: z.string().max(limits.emailLength).optional().meta({
    description:
      'The beginning of an address, a name, a family name, of a domain with its @, or of an id with its usr_, in any case.',
  }),
  disabled: flag.meta({ description: 'Whether users are disabled.' }),
  verified: flag.meta({ description: 'Whether addresses are verified.' }),
  last_login_by: z
    .enum([...loginWays, 'never'])
    .optional()
    .meta({
      description:
        'How users have logged in last, by the first step: "code" is one by mail, of an app, or a recovery code. "never": users who have not logged in. Of logins before release 0.3.0, the way is not known.',
    }),
  not_since: z.string().optional().meta({
    format: 'date',
    description:
      'Users who were there before this day, such as 2026-12-31, and have not logged in since, also those who never have. The day begins at midnight in UTC.',
  }),
})

const place = z.tuple([z.string(), z.string()])

/**
 * The route that finds users by the beginning of an address, a name or an id, and by state. The
 * users list of the specification has no filters.
 */
export const searchUsersRoute = query({
  path: '/x/v1/tenants/:tenant_id/users',
  operationId: 'searchUsers',
  summary: 'Users by the beginning of an address, a name or an id, and by state',
  resource: 'User',
  filters,
  serialize: serializeUser,
  async run(
    { scope },
    { search, disabled, verified, last_login_by: lastWay, not_since },
    { after, limit },
  ) {
    const [key, id] = decodePlace(after, place) ?? []
    const { items, next } = await searchUsers(
      scope,
      {
        ...{ search, disabled: flagOf(disabled), verified: flagOf(verified), lastWay },
        notSince: dayOf('not_since', not_since),
      },
      { after: key === undefined || id === undefined ? undefined : { key, id }, limit },
    )
    return { items, next: next && encodePlace([next.key, next.id]) }
  },
})

/**
 * The first instant of a day such as `2026-12-31`, in UTC.
 *
 * @throws ServiceError for any other text.
 */
function dayOf(name: string, text: string | undefined): Micros | undefined {
  const at = text === undefined ? undefined : instantOfDay(text)
  if (text !== undefined && at === undefined) {
    throw new ServiceError('invalid_request', reason('field_not_day', { name }))
  }
  return at
}

function flagOf(text: 'true' | 'false' | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true'
}
