import { z } from 'zod'
import { getApplication } from '../../domain/applications/applications.ts'
import type { Program } from '../../domain/operators/support.ts'
import { omitZero } from '../../wire/omit-zero.ts'
import { decodePlace, encodePlace, timedPage, timedPlace } from '../../wire/places.ts'
import { serializeGrant } from '../../wire/support.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { query, type Route, write } from '../route.ts'

const tenant = '/x/v1/tenants/:tenant_id'
const ofUser = `${tenant}/users/:user_id/grants`
const program = `${tenant}/programs/:host`

const programPlace = z.union([
  z.object({ blocked: z.string().max(1_000) }),
  z.object({ granted: timedPlace.nullable() }),
])
const anEmptyObject = z.object({}).meta({ description: 'An empty object.' })

/** The routes of users' grants to programs, and of the programs. */
export const grantRoutes: Route[] = [
  query({
    path: ofUser,
    operationId: 'listGrants',
    summary: 'The programs that may act on behalf of a user, the newest grant first',
    resource: 'Grant',
    filters: z.object({}),
    serialize: serializeGrant,
    run: async ({ scope, ids, support }, _, page) =>
      timedPage(await support.grants(scope, ids.user_id), ({ since }) => since, page),
  }),
  {
    kind: 'delete',
    path: `${ofUser}/:grant_id`,
    operationId: 'withdrawGrant',
    summary: 'Withdraw a grant: the refresh tokens of its program are no longer good',
    resource: 'Grant',
    run: async ({ scope, ids, support }) =>
      serializeGrant(await support.withdrawAccess(scope, ids.user_id, ids.grant_id)),
  },
  query({
    path: `${tenant}/applications/:application_id/grants`,
    operationId: 'listApplicationGrants',
    summary: 'The users who have logged in to an application on a device, the newest grant first',
    resource: 'Grant',
    filters: z.object({}),
    serialize: serializeGrant,
    async run({ scope, ids, support }, _, { after, limit }) {
      const { id } = await getApplication(scope, ids.application_id)
      const page = { after: decodePlace(after, timedPlace), limit }
      const { items, next } = await support.grantsTo(scope, { clientId: id }, page)
      return { items, next: next && encodePlace(next) }
    },
  }),
  query({
    path: `${tenant}/programs`,
    operationId: 'listPrograms',
    summary:
      'The hosts whose programs are blocked, then those with a grant, the newest grant first',
    resource: 'Program',
    filters: z.object({
      blocked: z
        .enum(['true', 'false'])
        .optional()
        .meta({ description: 'true: only those that are blocked; false: only the others.' }),
    }),
    serialize: serializeProgram,
    async run({ scope, support }, { blocked }, { after, limit }) {
      const page = { after: decodePlace(after, programPlace), limit }
      const isBlocked = blocked === undefined ? undefined : blocked === 'true'
      const { items, next } = await support.programs(scope, isBlocked, page)
      return { items, next: next && encodePlace(next) }
    },
  }),
  {
    kind: 'get',
    path: program,
    operationId: 'getProgram',
    summary: 'The programs of a host: whether they are blocked, and when the last grant was given',
    resource: 'Program',
    run: async ({ scope, ids, support }) =>
      serializeProgram(await support.program(scope, ids.host)),
  },
  query({
    path: `${program}/grants`,
    operationId: 'listProgramGrants',
    summary:
      'The users who have granted something to the programs of a host, the newest grant first',
    resource: 'Grant',
    filters: z.object({}),
    serialize: serializeGrant,
    async run({ scope, ids, support }, _, { after, limit }) {
      const page = { after: decodePlace(after, timedPlace), limit }
      const { items, next } = await support.grantsTo(scope, { host: ids.host }, page)
      return { items, next: next && encodePlace(next) }
    },
  }),
  write({
    path: `${program}/block`,
    operationId: 'blockProgram',
    summary: 'Block the programs of a host: they cannot log in, and their grants have ended',
    resource: 'Program',
    body: anEmptyObject,
    run: async ({ scope, ids, support }) =>
      serializeProgram(await support.blockProgram(scope, ids.host, true)),
  }),
  write({
    path: `${program}/unblock`,
    operationId: 'unblockProgram',
    summary: 'Unblock the programs of a host; their users are asked again',
    resource: 'Program',
    body: anEmptyObject,
    run: async ({ scope, ids, support }) =>
      serializeProgram(await support.blockProgram(scope, ids.host, false)),
  }),
]

function serializeProgram(one: Program): object {
  return omitZero({
    type: 'Program',
    id: one.host,
    blocked: one.isBlocked,
    listed: one.isListed,
    blocked_at: one.isBlocked ? timeOf(one.judgedAt) : undefined,
    unblocked_at: one.isBlocked ? undefined : timeOf(one.judgedAt),
    last_granted_at: timeOf(one.grantedAt),
  })
}

function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : formatTimestamp(at)
}
