import { CallbackError } from '../errors/errors.ts'
import { REMEDIES } from '../errors/remedies.ts'

/** A schema of Standard Schema 1, such as one of Zod, Valibot or ArkType. */
export interface ClaimsSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** The result of validating a value: the output of the schema, or the issues with their paths. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly path?: readonly unknown[] | undefined }[] }

/**
 * The type of the user that a claims schema returns, as in
 * `getUser<UserOf<typeof claims>>(request)`.
 */
export type UserOf<Schema> = Schema extends ClaimsSchema<infer Output> ? Output : never

/**
 * Validates the user's claims and returns the output of the schema. Without a schema, returns the
 * claims.
 *
 * @throws {@link CallbackError} with `LATCHKEY_TOKEN_INVALID` naming the claims that do not fit.
 */
export async function validateClaims(
  schema: ClaimsSchema | undefined,
  claims: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!schema) return claims
  const result = await schema['~standard'].validate(claims)
  if (!result.issues) return result.value as Record<string, unknown>
  const names = new Set(result.issues.map(({ path }) => claimName(path?.[0])))
  throw schemaError(
    `The user's claims do not fit the schema of the option "claims": ${[...names].join(', ')}.`,
  )
}

/** The error for claims that do not fit the schema, and for a schema that has thrown `cause`. */
export function schemaError(message: string, cause?: unknown): CallbackError {
  return new CallbackError('LATCHKEY_TOKEN_INVALID', message, {
    remedy: REMEDIES.LATCHKEY_TOKEN_INVALID.schema,
    ...(cause !== undefined && { cause }),
  })
}

function claimName(segment: unknown): string {
  const key = typeof segment === 'object' && segment ? (segment as { key?: unknown }).key : segment
  return key === undefined ? '(all)' : String(key)
}
