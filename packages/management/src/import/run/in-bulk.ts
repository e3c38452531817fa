import { ApiError } from '../../errors.ts'
import type { Imported, UserImporter } from '../../resources/user-importer.ts'
import { isOwnFault } from '../../resources/users.ts'
import type { UserImport } from '../../types.ts'
import type { ImportRow } from '../row.ts'
import { isCreatedFrom } from './find-created.ts'
import type { Ledger } from './ledger.ts'
import { type OneByOne, type OneByOneOptions, reasonOf } from './one-by-one.ts'

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

  async function note(row: ImportRow, result: Imported): Promise<void> {
    switch (result.status) {
      case 'created':
        return ledger.done(row, result.id)
      case 'refused':
        return ledger.reject(row, reasonOf(result.code, result.detail))
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

  /** Imports one row in a separate bulk request. */
  async function alone(row: ImportRow): Promise<void> {
    try {
      const [result] = await importer.post([toImport(row)])
      await note(row, result as Imported)
    } catch (error) {
      if (!(error instanceof ApiError) || !isOwnFault(error, undefined)) throw error
      ledger.reject(row, reasonOf(error.code, error.detail || String(error.status)))
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
    try {
      results = await importer.post(rows.map(toImport))
    } catch (error) {
      // A proxy may refuse the whole request because of one row, for example because of its size.
      // So each row is sent alone.
      if (!(error instanceof ApiError) || !isOwnFault(error, undefined)) throw error
      for (const row of rows) await (row.legacy ? alone(row) : oneByOne.take(row))
      return
    }
    for (const [at, row] of rows.entries()) await note(row, results[at] as Imported)
  }
}
