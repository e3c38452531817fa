import { DatabaseError } from 'pg'
import { count } from '../../telemetry/metrics.ts'
import { StoreError } from '../errors.ts'

/**
 * The error codes of a connection that can't be used any more: it was demoted to read-only, it
 * shuts down, or it ended the session.
 */
const LOST = /^(25006|57P0\d|08...)$/

/** States of the machine or of other transactions, rather than mistakes in a query. */
const MOMENTARY = /^(40|53|54|55|57|58|XX)/

/** Whether the connection on which this happened has to be thrown away. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  return LOST.test(error.code ?? '')
}

/** An error of PostgreSQL as a StoreError, unless it is a mistake in a query. */
export function storeFailure(cause: unknown): unknown {
  if (cause instanceof StoreError || !(cause instanceof Error)) return cause
  if (!isConnectionLost(cause) && !MOMENTARY.test(sqlState(cause) ?? '')) return cause
  count('storeErrors', { store: 'postgres' })
  return new StoreError(`PostgreSQL failed: ${cause.message}.`, { cause })
}

/** The code that PostgreSQL gives an error; `undefined` for one of another origin. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/** A transaction met another and was undone; the same statement succeeds when it is tried again. */
export function isConflict(error: unknown): boolean {
  return sqlState(error) === '40P01' || sqlState(error) === '40001'
}

/** Two transactions waited for each other, and this one was undone. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error instanceof StoreError ? error.cause : error) === '40P01'
}

/** A lock was not to be had within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error instanceof StoreError ? error.cause : error) === '55P03'
}

/**
 * A table has another column than when the statement was prepared, as in a release that is rolled out: it has to be
 * prepared again.
 */
export function isStalePlan(error: unknown): boolean {
  return sqlState(error) === '0A000'
}

/** Whether a unique index has such a row already. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === '23505'
}
