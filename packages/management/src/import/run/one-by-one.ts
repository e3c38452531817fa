import type { ManagementClient } from '../../client.ts'
import { ApiError, ConflictError } from '../../errors.ts'
import { isOwnFault } from '../../resources/users.ts'
import type { User } from '../../types.ts'
import { emailKey, type ImportRow } from '../row.ts'
import { findCreated, isCreatedFrom } from './find-created.ts'
import type { Ledger } from './ledger.ts'
import type { Standing } from './resume.ts'

export interface OneByOne {
  /**
   * Imports one row, of which an earlier run may have imported a part.
   *
   * @param mayExist - Whether an earlier request of this run without a response may have created
   *   the user. Default: `false`.
   */
  take(row: ImportRow, mayExist?: boolean): Promise<void>
  /**
   * Creates the password of a row, if the row has one.
   *
   * @param mayExist - Whether an earlier attempt without a response may have created the password.
   */
  createPassword(row: ImportRow, userId: string, mayExist: boolean): Promise<void>
}

export interface OneByOneOptions {
  client: ManagementClient
  tenantId: string
  standing: Standing
  startedAt: number
}

/** The reason why an older service cannot import a row with a hash of another system. */
export const NO_LEGACY =
  'this service does not take hashes of other systems; update it and import the row from a file of its own, or do so with --no-passwords'

/** Creates an importer that sends one request for each user and one for each password. */
export function createOneByOne(options: OneByOneOptions, ledger: Ledger): OneByOne {
  const { client, tenantId, standing, startedAt } = options
  const users = client.users(tenantId)
  let lost: Promise<Map<string, User>> | undefined

  /**
   * Finds users that a killed run may have created without an entry in the journal. They are read
   * only once.
   */
  function findLost(): Promise<Map<string, User>> {
    lost ??= findCreated(users, standing.anchor, startedAt)
    return lost
  }

  async function search(row: ImportRow): Promise<User | undefined> {
    const key = emailKey(row.user.profile.email)
    const found = (await findCreated(users, ledger.anchorOf(row), startedAt, key)).get(key)
    return found && isCreatedFrom(found, row.user) ? found : undefined
  }

  async function createUser(row: ImportRow, isUncertain: boolean): Promise<string> {
    let mayExist = isUncertain
    // A user of this run is found when the service refuses the address as taken.
    const isOfEarlierRun = row.row < standing.begunBelow
    const known = isOfEarlierRun
      ? (await findLost()).get(emailKey(row.user.profile.email))
      : undefined
    if (known && isCreatedFrom(known, row.user)) return known.id
    const find = (): Promise<User | undefined> => {
      mayExist = true
      return search(row)
    }
    try {
      return (await users.create(row.user, { find })).id
    } catch (error) {
      const found = mayExist && error instanceof ConflictError ? await search(row) : undefined
      if (found) return found.id
      throw error
    }
  }

  async function createPassword(row: ImportRow, userId: string, mayExist: boolean): Promise<void> {
    if (!row.password) return
    try {
      await client.credentials(tenantId, userId).create({ password: row.password })
    } catch (error) {
      // This import created the user without a password. So the existing password is from an
      // earlier attempt of this import.
      if (!(error instanceof ConflictError && mayExist)) throw error
    }
  }

  return {
    createPassword,
    async take(row, isUncertain = false) {
      const mayExist = isUncertain || row.row < standing.begunBelow
      let id = standing.created.get(row.row)
      if (row.legacy) return ledger.reject(row, reasonOf('unsupported_algorithm', NO_LEGACY))
      try {
        if (id === undefined) {
          id = await createUser(row, mayExist)
          if (row.password) ledger.created(row, id)
        }
        await createPassword(row, id, mayExist)
        ledger.done(row, id)
      } catch (error) {
        if (!(error instanceof ApiError) || !isOwnFault(error, id)) throw error
        const reason = refusalOf(error, mayExist)
        ledger.reject(row, id === undefined ? reason : `password not taken over: ${reason}`, id)
      }
    },
  }
}

/** The end of the reason for a rejected row that may have been imported nevertheless. */
export const MAY_EXIST = 'an earlier request without a response may have created it'

/**
 * Formats the refusal of a row.
 *
 * @param mayExist - Whether an earlier request without a response may have imported the row. A
 *   refusal by the service excludes this; one by a gateway does not.
 */
export function refusalOf({ code, detail, status }: ApiError, mayExist: boolean): string {
  const reason = reasonOf(code, detail || String(status))
  return mayExist && code === 'unknown' ? `${reason}; ${MAY_EXIST}` : reason
}

/** Formats the reason for a rejected row, as in the rejects file. */
export function reasonOf(code: string, detail: string): string {
  return `${code}: ${detail}`
}
