import { setImmediate } from 'node:timers/promises'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { type Imported, importUsers, type UserToImport } from '../../domain/users/import-user.ts'
import { note } from '../../domain/writes/audit.ts'
import type { Scope } from '../../domain/writes/context.ts'
import { ServiceError, statusOfCode } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { OutcomeUnknownError, StoreError } from '../../store/errors.ts'
import { errorOf } from '../../wire/errors.ts'
import { importedUserBody } from '../../wire/schemas.ts'
import { ignoredMembers, serializeUser, userInput } from '../../wire/users.ts'
import { parseBody } from '../body.ts'
import type { BatchRoute, Call } from '../route.ts'

/** The maximum number of users in one request. The request counts as one for the rate limit. */
const MAX_USERS = 100

/** The number of users to write in one step, before other requests have their turn. */
const SLICE = 50

/** The result for a refused user. */
export interface Refused {
  status: 'refused'
  code: string
  status_code: number
  detail: string
  /** Present if the user may have been written nevertheless. */
  outcome?: 'unknown'
}

/** The result for one user. */
type Result = { status: 'created'; id: string } | { status: 'existing'; user: object } | Refused

/**
 * The route that creates many users with their passwords. Each user is created or refused
 * independently, by the rules of `/v1`. The specification has no such route: there, a user with a
 * password takes two requests.
 */
export const importUsersRoute: BatchRoute = {
  kind: 'batch',
  path: '/x/v1/tenants/:tenant_id/users/import',
  operationId: 'importUsers',
  summary:
    'Create users with their passwords; those whose address is there already stay as they are',
  resource: 'User',
  member: 'users',
  maxItems: MAX_USERS,
  item: importedUserBody,
  answer: {
    type: 'object',
    required: ['type', 'created', 'existing', 'refused', 'data'],
    properties: {
      type: { const: 'UserImport' },
      created: { type: 'integer', minimum: 0 },
      existing: { type: 'integer', minimum: 0 },
      refused: { type: 'integer', minimum: 0 },
      data: {
        type: 'array',
        description: 'One result for each user, in the order in which they were sent.',
        items: { oneOf: resultSchemas() },
      },
    },
  },
  run: importAll,
}

async function importAll(
  call: Call,
  items: readonly unknown[],
): Promise<{ body: object; ignored: string[] }> {
  await getTenant(call.scope)
  // Each password to hash counts as a request, as on /v1.
  await call.spendFurther(items.filter(needsHashing).length)

  const ignored = new Set<string>()
  const data: Result[] = []
  for (let at = 0; at < items.length && !call.isAbandoned(); at += SLICE) {
    data.push(...(await importSlice(call, items.slice(at, at + SLICE), ignored)))
    await setImmediate()
  }

  const count = (status: Result['status']) => data.filter((one) => one.status === status).length
  const counts = {
    created: count('created'),
    existing: count('existing'),
    refused: count('refused'),
  }
  if (data.length > 0) {
    const outcome = Object.entries(counts).map(([status, number]) => `${number} ${status}`)
    await noteImport(call.scope, outcome.join(', '))
  }
  return { body: { type: 'UserImport', ...counts, data }, ignored: [...ignored] }
}

/**
 * Notes an import in the audit log. If that fails, the users are written nevertheless, so the
 * outcome of the request is unknown to its sender.
 */
export async function noteImport(scope: Scope, outcome: string): Promise<void> {
  try {
    await note(scope, 'user.import', outcome)
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause
    throw new OutcomeUnknownError('An import was carried out, but not noted.', { cause })
  }
}

/**
 * Imports some users. Resolves to their results, in the same order.
 *
 * @throws faults of the service. An error about a single user is the result for that user.
 */
async function importSlice(
  call: Call,
  items: readonly unknown[],
  ignored: Set<string>,
): Promise<Result[]> {
  const parsed = items.map((item) => parseItem(item, ignored))
  const users = parsed.filter((one) => 'input' in one)
  const outcomes = (await importUsers(call.scope, users)).values()
  return parsed.map((one) => resultOf('input' in one ? outcomes.next().value : one))
}

function parseItem(
  item: unknown,
  ignored: Set<string>,
): UserToImport | Extract<Imported, { kind: 'refused' }> {
  try {
    return readUserToImport(item, ignored)
  } catch (cause) {
    return { kind: 'refused', cause }
  }
}

/**
 * Reads a user of an import.
 *
 * @param ignored - A set that receives the names of members without effect.
 * @throws ServiceError for a user that is invalid for every tenant.
 */
export function readUserToImport(item: unknown, ignored?: Set<string>): UserToImport {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw new ServiceError('invalid_request', reason('import_not_object'))
  }
  const { value, ignored: unknown } = parseBody(importedUserBody, item as Record<string, unknown>)
  for (const name of [...unknown, ...ignoredMembers(value)]) ignored?.add(name)
  const { password, legacy_password: legacyPassword } = value
  if (password && legacyPassword) {
    throw new ServiceError('invalid_request', reason('import_two_passwords'))
  }
  return { input: userInput(value), password, legacyPassword }
}

function resultOf(outcome: Imported | undefined): Result {
  if (outcome?.kind === 'created') return { status: 'created', id: outcome.user.id }
  if (outcome?.kind === 'existing') return { status: 'existing', user: serializeUser(outcome.user) }
  return refusedResult(outcome?.cause)
}

/**
 * The result for a user that was refused with an error.
 *
 * @throws the error if it is a fault of the service: any status from 500 on, except `unavailable`.
 */
export function refusedResult(cause: unknown): Refused {
  const error = errorOf(cause)
  if (error.statusCode >= 500 && error.code !== 'unavailable') throw cause
  const { code, statusCode, message, isOutcomeUnknown } = error
  const outcome = isOutcomeUnknown && ({ outcome: 'unknown' } as const)
  return { status: 'refused', code, status_code: statusCode, detail: message, ...outcome }
}

/** Whether the password of a user counts as a request: any password that is not a bcrypt hash. */
export function needsHashing(item: unknown): boolean {
  const alg = (item as { password?: { alg?: unknown } } | null)?.password?.alg
  return alg !== undefined && alg !== 'bcrypt'
}

function resultSchemas(): object[] {
  const result = (status: Result['status'], properties: object) => ({
    type: 'object',
    required: ['status', ...Object.keys(properties)],
    properties: { status: { const: status }, ...properties },
  })
  return [
    result('created', { id: { type: 'string' } }),
    result('existing', { user: { $ref: '#/components/schemas/User' } }),
    refusedSchema(),
  ]
}

/** The schema of {@link Refused}. */
export function refusedSchema(): object {
  return {
    type: 'object',
    required: ['status', 'code', 'status_code', 'detail'],
    properties: {
      status: { const: 'refused' },
      code: { enum: Object.keys(statusOfCode) },
      status_code: { type: 'integer' },
      detail: { type: 'string', description: 'The fault and the remedy.' },
      outcome: {
        const: 'unknown',
        description: 'Present if the user may have been written nevertheless.',
      },
    },
  }
}
