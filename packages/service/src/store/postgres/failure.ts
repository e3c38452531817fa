import { DatabaseError } from 'pg'
import { count } from '../../telemetry/metrics.ts'
import { StoreError } from '../errors.ts'

/**
 * The error codes of a connection that cannot be used any more: its server became read-only, shuts
 * down, or ended the session.
 */
const LOST = /^(25006|57P0\d|08...)$/

/** Error codes about the server or other transactions. All others are mistakes in a query. */
const MOMENTARY = /^(40|53|54|55|57|58|XX)/

/** Whether the connection with this error must be closed. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  return LOST.test(error.code ?? '')
}

/** The StoreError for an error of PostgreSQL. A mistake in a query is returned as it is. */
export function storeFailure(cause: unknown): unknown {
  if (cause instanceof StoreError || !(cause instanceof Error)) return cause
  if (!isConnectionLost(cause) && !MOMENTARY.test(sqlState(cause) ?? '')) return cause
  count('storeErrors', { store: 'postgres' })
  return new StoreError(`PostgreSQL failed: ${cause.message}.`, { cause })
}

/** PostgreSQL's code of an error; `undefined` for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/**
 * Whether a transaction was rolled back because of another one. The same statement can be tried
 * again.
 */
export function isConflict(error: unknown): boolean {
  return sqlState(error) === '40P01' || sqlState(error) === '40001'
}

/** Whether this transaction was rolled back because two waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error instanceof StoreError ? error.cause : error) === '40P01'
}

/** Whether a lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error instanceof StoreError ? error.cause : error) === '55P03'
}

/**
 * Whether a statement must be prepared again, because its table has new columns. This happens while a release is rolled
 * out.
 */
export function isStalePlan(error: unknown): boolean {
  return sqlState(error) === '0A000'
}

/** Whether a unique index already has such a row. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === '23505'
}
