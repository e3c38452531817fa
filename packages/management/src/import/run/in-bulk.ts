import { ApiError } from '../../errors.ts'
import type { Attempts, Imported, UserImporter } from '../../resources/user-importer.ts'
import { isOwnFault } from '../../resources/users.ts'
import type { UserImport } from '../../types.ts'
import type { ImportRow } from '../row.ts'
import { isCreatedFrom } from './find-created.ts'
import type { Ledger } from './ledger.ts'
import {
  MAY_EXIST,
  type OneByOne,
  type OneByOneOptions,
  reasonOf,
  refusalOf,
} from './one-by-one.ts'

/** Converts a row into a user of the bulk import. */
export function toImport({ user, password, legacy }: ImportRow): UserImport {
  return { ...user, ...(password && { password }), ...(legacy && { legacy_password: legacy }) }
}

/** Creates the function that imports many rows in one request. */
export function createInBulk(
  importer: UserImporter,
  { standing, startedAt }: OneByOneOptions,
  ledger: Ledger,
  oneByOne: OneByOne,
): (rows: readonly ImportRow[]) => Promise<void> {
  /**
   * Whether an existing user was created by an earlier request of this import whose response was
   * lost.
   */
  function isOurs(row: ImportRow, found: Extract<Imported, { status: 'existing' }>): boolean {
    const mayBe = row.row < standing.begunBelow || found.isUncertain
    const { user } = found
    return mayBe && Date.parse(user.created_at) >= startedAt && isCreatedFrom(user, row.user)
  }

  async function note(row: ImportRow, result: Imported, attempts: Attempts): Promise<void> {
    switch (result.status) {
      case 'created':
        return ledger.done(row, result.id)
      case 'refused': {
        const reason = reasonOf(result.code, result.detail)
        const mayExist = attempts.isUncertain && result.code === 'unavailable'
        return ledger.reject(row, mayExist ? `${reason}; ${MAY_EXIST}` : reason)
      }
      case 'existing':
        if (!isOurs(row, result)) {
          const reason = 'another user of the tenant has this address'
          return ledger.reject(row, reasonOf('already_exists', reason))
        }
        // An earlier run without the bulk import may have created this user, but not the password.
        await oneByOne.createPassword(row, result.user.id, true)
        return ledger.done(row, result.user.id)
    }
  }

  /**
   * Imports one row in a separate bulk request.
   *
   * @param before - The earlier attempts to import the row.
   */
  async function alone(row: ImportRow, before: Attempts): Promise<void> {
    const attempts = { ...before }
    try {
      const [result] = await importer.post([toImport(row)], attempts)
      await note(row, result as Imported, attempts)
    } catch (error) {
      if (!(error instanceof ApiError) || !isOwnFault(error, undefined)) throw error
      ledger.reject(row, refusalOf(error, attempts.isUncertain))
    }
  }

  return async (all) => {
    let rows = all
    if (all.some(({ legacy }) => legacy) && !(await importer.takesLegacy())) {
      rows = all.filter(({ legacy }) => !legacy)
      for (const row of all) if (row.legacy) await oneByOne.take(row)
    }
    if (rows.length === 0) return
    let results: Imported[]
    const attempts = { isUncertain: false }
    try {
      results = await importer.post(rows.map(toImport), attempts)
    } catch (error) {
      // A proxy may refuse the whole request because of one row, for example because of its size.
      // So each row is sent alone. An earlier attempt without a response may have created its user.
      if (!(error instanceof ApiError) || !isOwnFault(error, undefined)) throw error
      for (const row of rows) {
        await (row.legacy ? alone(row, attempts) : oneByOne.take(row, attempts.isUncertain))
      }
      return
    }
    for (const [at, row] of rows.entries()) await note(row, results[at] as Imported, attempts)
  }
}
