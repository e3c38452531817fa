import type { z } from 'zod'
import { type ErrorCode, ServiceError } from '../domain/writes/errors.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import { sentencesOf } from '../wire/sentences.ts'

/** The maximum size of a body, in bytes, after decompression. */
export const MAX_BODY_BYTES = 256 * 1024

/** A valid body. `ignored` has the names of its unknown members. */
export interface ParsedBody<T> {
  value: T
  ignored: string[]
}

/**
 * Parses the JSON object in `bytes`.
 *
 * @throws ServiceError `invalid_json` if `bytes` are missing, not UTF-8, not JSON, or not an
 *   object.
 */
export function parseJson(bytes: Uint8Array | undefined): Record<string, unknown> {
  if (!bytes?.length) throw new ServiceError('invalid_json', reason('body_empty'))
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ServiceError('invalid_json', reason('body_not_json'))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('invalid_json', reason('body_not_object'))
  }
  return value as Record<string, unknown>
}

/**
 * Checks a body by its schema.
 *
 * @throws ServiceError whose message names the first faults and the expected values.
 */
export function parseBody<S extends z.ZodObject>(
  schema: S,
  body: Record<string, unknown>,
): ParsedBody<z.output<S>> {
  refusePrototypeKeys(body)
  const result = schema.safeParse(body)
  if (result.success) return { value: result.data, ignored: unknownMembers(schema, body, '') }

  const { issues } = result.error
  const first = issues[0]?.path ?? []
  throw new ServiceError(codeFor(first), sentencesOf(issues, body))
}

/**
 * The items in the body of a batch. They are not checked yet.
 *
 * @throws ServiceError `invalid_request` if `member` is not a list, or has over `maxItems` items.
 */
export function parseItems(
  { member, maxItems }: { member: string; maxItems: number },
  body: Record<string, unknown>,
): unknown[] {
  const items = body[member]
  if (!Array.isArray(items)) {
    throw new ServiceError('invalid_request', reason('body_not_items', { member }))
  }
  if (items.length > maxItems) {
    throw new ServiceError(
      'invalid_request',
      reason('body_too_many_items', { member, count: items.length, most: maxItems }),
    )
  }
  return items
}

/**
 * Refuses members named `__proto__`, because a JavaScript object would lose them silently. The
 * search uses no recursion, because a body may be nested deeper than the stack.
 */
function refusePrototypeKeys(body: object): void {
  const open = [{ object: body, path: '' }]
  for (let next = open.pop(); next; next = open.pop()) {
    for (const [name, member] of Object.entries(next.object)) {
      if (name === '__proto__') {
        throw new ServiceError(
          next.path === 'metadata' ? 'invalid_metadata' : 'invalid_request',
          reason('body_prototype'),
        )
      }
      if (typeof member === 'object' && member !== null) open.push({ object: member, path: name })
    }
  }
}

/**
 * The names of the members of `body` that `schema` does not have, such as `settings.color`. A
 * schema that allows further members accepts each of them with a string.
 *
 * @param prefix - The path of `body` in the whole body, such as `settings.`.
 */
function unknownMembers(
  schema: z.ZodObject,
  body: Record<string, unknown>,
  prefix: string,
): string[] {
  const unknown: string[] = []
  for (const [name, value] of Object.entries(body)) {
    const member: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
    if (member === undefined) {
      if (!schema.def.catchall || typeof value !== 'string') unknown.push(prefix + name)
    } else if (isObjectSchema(member)) {
      unknown.push(...unknownMembers(member, value as Record<string, unknown>, `${prefix}${name}.`))
    }
  }
  return unknown
}

function isObjectSchema(schema: unknown): schema is z.ZodObject {
  return typeof schema === 'object' && schema !== null && 'shape' in schema
}

function codeFor(path: readonly PropertyKey[]): ErrorCode {
  if (path[0] === 'metadata') return 'invalid_metadata'
  if (/_urls?$/.test(String(path[0]))) return 'invalid_url'
  if (/^(support_)?email$/.test(String(path[1]))) return 'invalid_email'
  return 'invalid_request'
}
