import { count } from '../../telemetry/metrics.ts'
import { StoreError } from '../errors.ts'

// SQLite's primary result codes for mistakes of a program. All other codes are about the machine.
const mistakes = new Set([
  1, // SQLITE_ERROR
  18, // SQLITE_TOOBIG
  19, // SQLITE_CONSTRAINT
  20, // SQLITE_MISMATCH
  21, // SQLITE_MISUSE
  25, // SQLITE_RANGE
])

/** Makes a StoreError from an error of `node:sqlite`. A mistake in a query is returned as it is. */
export function storeFailure(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause
  if ('errcode' in cause && mistakes.has(Number(cause.errcode) & 0xff)) return cause
  count('storeErrors', { store: 'sqlite' })
  return new StoreError(`The database failed: ${cause.message}.`, { cause })
}

/** Whether an error is one of SQLite, such as that of a full disk. */
export function isSqliteError(error: unknown): error is Error & { errcode: unknown } {
  return error instanceof Error && 'errcode' in error
}

const CONSTRAINT_UNIQUE = 2067

/** Whether a statement failed because a unique index already contains the values of its row. */
export function isDuplicate(error: unknown): boolean {
  return isSqliteError(error) && error.errcode === CONSTRAINT_UNIQUE
}

const BUSY = 5

/** Whether a statement failed because another connection has locked the file. */
export function isLocked(error: unknown): boolean {
  return isSqliteError(error) && (Number(error.errcode) & 0xff) === BUSY
}
