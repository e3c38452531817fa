import { DatabaseError } from 'pg'
import { count } from '../../telemetry/metrics.ts'
import { OutcomeUnknownError, StoreError } from '../errors.ts'

/**
 * Matches the error codes of a connection that cannot be used any more: its server became
 * read-only, shuts down, or ended the session.
 */
const LOST = /^(25006|57P0\d|08...)$/

/**
 * Matches error codes about the server or other transactions. All other codes are mistakes in a
 * query.
 */
const MOMENTARY = /^(40|53|54|55|57|58|XX)/

/**
 * Matches the error codes that leave open whether a statement was carried out. A connection pooler
 * answers with 08P01 if it has lost the server.
 */
const ANSWER_LOST = /^(08...|40003)$/

/**
 * Whether the connection with this error must be closed. `true` for every error that is not from
 * PostgreSQL.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  return LOST.test(error.code ?? '')
}

/**
 * Makes a StoreError from an error of PostgreSQL. A StoreError and a mistake in a query are
 * returned as they are.
 *
 * @param isCommit - Whether the statement was sent and commits what it writes. If its answer was
 *   lost, the error is an {@link OutcomeUnknownError}. Default: `false`.
 */
export function storeFailure(cause: unknown, isCommit = false): unknown {
  if (cause instanceof StoreError || !(cause instanceof Error)) return cause
  if (!isConnectionLost(cause) && !MOMENTARY.test(sqlState(cause) ?? '')) return cause
  count('storeErrors', { store: 'postgres' })
  if (isCommit && isAnswerLost(cause)) {
    const message = `PostgreSQL did not answer, but may have written: ${cause.message}.`
    return new OutcomeUnknownError(message, { cause })
  }
  return new StoreError(`PostgreSQL failed: ${cause.message}.`, { cause })
}

/** Whether a statement that was sent may have been carried out in spite of this error. */
function isAnswerLost(error: Error): boolean {
  const state = sqlState(error)
  return state === undefined || ANSWER_LOST.test(state)
}

/** PostgreSQL's code of an error; `undefined` for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/**
 * Whether a transaction was rolled back because of another transaction. The same statement can be
 * tried again.
 */
export function isConflict(error: unknown): boolean {
  return sqlState(error) === '40P01' || sqlState(error) === '40001'
}

/** Whether a transaction was rolled back because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error instanceof StoreError ? error.cause : error) === '40P01'
}

/** Whether a statement failed because a lock was not free within `lock_timeout`. */
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

/** Whether a statement failed because a unique index already contains the values of its row. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === '23505'
}
