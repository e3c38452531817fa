import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { type RowOutcome, updateByExport } from '../../domain/users/import-changes.ts'
import {
  type Conflict,
  conflictReasons,
  type ExportedUser,
} from '../../domain/users/import-differences.ts'
import { isOperator } from '../../domain/ways/second-operator.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { importedUserBody } from '../../wire/schemas.ts'
import type { BatchRoute, Call } from '../route.ts'
import {
  needsHashing,
  noteImport,
  type Refused,
  readUserToImport,
  refusedResult,
  refusedSchema,
} from './users-import.ts'

/** The maximum number of users in one request. The request counts as one for the rate limit. */
const MAX_USERS = 100

/** The number of users to update in one step, before other requests have their turn. */
const SLICE = 50

const item = importedUserBody
  .extend({
    id: z.string().optional().meta({ description: 'The id that an earlier import gave the user.' }),
    match_address: z
      .boolean()
      .optional()
      .meta({ description: 'Whether a user with the same address is meant, if there is no id.' }),
  })
  .meta({
    description:
      'A user of a newer export. Without "disabled", the export says nothing about who may log in.',
  })

/** The result for one user. */
type Result =
  | { status: 'created'; id?: string }
  | { status: 'updated'; id: string; members: string[]; conflicts: Conflict[] }
  | { status: 'unchanged'; id: string }
  | { status: 'conflict'; id?: string; conflicts: Conflict[] }
  | Refused

const statuses = ['created', 'updated', 'unchanged', 'conflict', 'refused'] as const

const base = {
  kind: 'batch',
  resource: 'User',
  member: 'users',
  maxItems: MAX_USERS,
  item,
  answer: {
    type: 'object',
    required: ['type', ...statuses, 'blocked', 'data'],
    properties: {
      type: { const: 'UserImportUpdate' },
      ...Object.fromEntries(statuses.map((one) => [one, { type: 'integer', minimum: 0 }])),
      blocked: {
        type: 'integer',
        minimum: 0,
        description: 'How many of those updated may no longer log in.',
      },
      data: {
        type: 'array',
        description: 'One result for each user, in the order in which they were sent.',
        items: { oneOf: resultSchemas() },
      },
    },
  },
} as const

/** The routes that update users by a newer export. The specification does not have them. */
export const updateImportRoutes: readonly BatchRoute[] = [
  {
    ...base,
    path: '/x/v1/tenants/:tenant_id/users/import/update',
    operationId: 'updateImportedUsers',
    summary: 'Bring users of a newer export: what was changed here since an import stays as it is',
    run: (call, items) => bringAll(call, items, false),
  },
  {
    ...base,
    path: '/x/v1/tenants/:tenant_id/users/import/preview',
    operationId: 'previewImportedUsers',
    summary: 'Say what an update by a newer export would do, and change nothing',
    run: (call, items) => bringAll(call, items, true),
  },
]

async function bringAll(
  call: Call,
  items: readonly unknown[],
  isPreview: boolean,
): Promise<{ body: object; ignored: string[] }> {
  await getTenant(call.scope)
  // Each password to hash counts as a request, as on /v1. A preview hashes none.
  if (!isPreview) await call.spendFurther(items.filter(needsHashing).length)

  // An API key sets passwords without a second person. No operator reaches these routes.
  const mode = { isPreview, isOneOperator: isOperator(call.scope) }
  const ignored = new Set<string>()
  const data: Result[] = []
  for (let at = 0; at < items.length && !call.isAbandoned(); at += SLICE) {
    const parsed = items.slice(at, at + SLICE).map((one) => parseItem(one, ignored))
    const rows = parsed.filter((one) => 'input' in one)
    const outcomes = (await updateByExport(call.scope, rows, mode)).values()
    data.push(
      ...parsed.map((one) =>
        resultOf('input' in one ? (outcomes.next().value as RowOutcome) : one),
      ),
    )
    await setImmediate()
  }
  const counts = Object.fromEntries(
    statuses.map((status) => [status, data.filter((one) => one.status === status).length]),
  )
  if (data.length > 0 && !isPreview) {
    const outcome = Object.entries(counts).map(([status, number]) => `${number} ${status}`)
    await noteImport(call.scope, outcome.join(', '))
  }
  const blocked = data.filter(isBlocked).length
  return { body: { type: 'UserImportUpdate', ...counts, blocked, data }, ignored: [...ignored] }
}

function isBlocked(one: Result): boolean {
  return one.status === 'updated' && one.members.includes('disabled=true')
}

function parseItem(
  item: unknown,
  ignored: Set<string>,
): ExportedUser | Extract<RowOutcome, { kind: 'refused' }> {
  try {
    return readExportedUser(item, ignored)
  } catch (cause) {
    return { kind: 'refused', cause }
  }
}

/**
 * Reads a user of a newer export.
 *
 * @param ignored - A set that receives the names of members without effect.
 * @throws ServiceError for a user that is invalid for every tenant.
 */
export function readExportedUser(item: unknown, ignored?: Set<string>): ExportedUser {
  const { id, match_address: isByAddress, ...user } = (item ?? {}) as Record<string, unknown>
  const isText = id === undefined || id === null || typeof id === 'string'
  if (!isText) throw new ServiceError('invalid_request', reason('import_id'))
  if (isByAddress !== undefined && isByAddress !== null && typeof isByAddress !== 'boolean') {
    throw new ServiceError('invalid_request', reason('import_match_address'))
  }
  const read = readUserToImport(Array.isArray(item) || item === null ? item : user, ignored)
  return {
    ...read,
    id: typeof id === 'string' && id !== '' ? id : undefined,
    isByAddress: isByAddress === true,
    saysState: typeof user.disabled === 'boolean',
  }
}

function resultOf(outcome: RowOutcome): Result {
  if (outcome.kind === 'refused') return refusedResult(outcome.cause)
  const { kind: status, ...facts } = outcome
  return { status, ...facts } as Result
}

function resultSchemas(): object[] {
  const result = (status: Result['status'], properties: object, optional: object = {}) => ({
    type: 'object',
    required: ['status', ...Object.keys(properties)],
    properties: { status: { const: status }, ...properties, ...optional },
  })
  const id = { type: 'string' }
  const conflicts = {
    type: 'array',
    description: 'The members that stay as they are here.',
    items: {
      type: 'object',
      required: ['member', 'reason'],
      properties: {
        member: { type: 'string' },
        reason: { enum: conflictReasons },
        holder: { type: 'string', description: 'The id of the user who has the address.' },
      },
    },
  }
  const members = { type: 'array', items: { type: 'string' } }
  return [
    result('created', {}, { id }),
    result('updated', { id, members, conflicts }),
    result('unchanged', { id }),
    result('conflict', { conflicts }, { id }),
    refusedSchema(),
  ]
}
