import { ApiError, isAboutCaller, RateLimitError, ResponseError } from '../errors.ts'
import type { Json, Send } from '../request.ts'
import type { ImportResult, User, UserImport } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { segment } from './resource.ts'

/** The result for one user of a request; see {@link ImportResult}. */
export type Imported =
  | Exclude<ImportResult, { status: 'existing' }>
  /**
   * `isUncertain`: the response to an earlier attempt was lost, so that attempt may have created
   * this user.
   */
  | { status: 'existing'; user: User; isUncertain: boolean }

/**
 * The attempts to import some users. `isUncertain`: the response to an attempt was lost, so that
 * attempt may have created some of these users.
 */
export interface Attempts {
  isUncertain: boolean
}

/**
 * The bulk import, which creates many users in one request. It is not part of the API
 * specification, so some servers do not offer it.
 */
export interface UserImporter {
  /**
   * Whether this server offers the bulk import. The first call sends an empty import, which changes
   * nothing.
   */
  isOffered(): Promise<boolean>
  /**
   * Whether this server imports password hashes of other systems. The first call sends a user that
   * every server refuses.
   */
  takesLegacy(): Promise<boolean>
  /**
   * Imports at most one `Batch` of users. Resolves to the result of each user, in the same order.
   *
   * @param attempts - The earlier attempts to import these users, to which this one is added. If
   *   the promise is rejected, it says whether users may have been created nevertheless.
   */
  post(users: readonly UserImport[], attempts?: Attempts): Promise<Imported[]>
}

/** The pauses before users that the service refused as `unavailable` are sent again. */
const PAUSES_SECONDS = [1, 2, 4, 8, 16]

export function createUserImporter(send: Send, tenantId: string): UserImporter {
  const path = `/x/v1/tenants/${segment(tenantId)}/users/import`
  let offered: Promise<boolean> | undefined
  let legacy: Promise<boolean> | undefined

  async function ask(): Promise<boolean> {
    try {
      const input = { method: 'POST', path, body: { users: [] }, isRepeatable: true } as const
      return (await send(input)).body.type === 'UserImport'
    } catch (error) {
      // A server without the bulk import may respond to its URL with anything. So a response of
      // another kind means only that the bulk import is missing, not that the server fails.
      const isAnswer = error instanceof ApiError || error instanceof ResponseError
      const mayBeOffered =
        error instanceof RateLimitError || (error instanceof ApiError && isAboutCaller(error))
      if (isAnswer && !mayBeOffered) return false
      throw error
    }
  }

  /**
   * Whether the service knows `legacy_password`. If so, it refuses the probe for having two
   * passwords. An older service refuses the probe for its empty email address.
   */
  async function askForLegacy(): Promise<boolean> {
    const probe = {
      profile: { email: '' },
      password: { alg: 'plain', hash: '' },
      legacy_password: { scheme: 'django', hash: '' },
    } as const
    const [result] = await postOnce([probe])
    return result?.status === 'refused' && result.detail.includes('legacy_password')
  }

  /**
   * Sends users once. Sets `attempts.isUncertain` if a response is lost, or if the service does not
   * know whether it has created a user.
   */
  async function postOnce(
    users: readonly UserImport[],
    attempts: Attempts = { isUncertain: false },
  ): Promise<Imported[]> {
    const recover = async (): Promise<undefined> => {
      attempts.isUncertain = true
    }
    const { body } = await send({
      method: 'POST',
      path,
      body: { users },
      isRepeatable: true,
      recover,
    })
    const data = Array.isArray(body.data) ? (body.data as Json[]) : []
    if (data.length !== users.length) {
      throw invalid(path, `${data.length} results for ${users.length} users`)
    }
    const results = data.map((result) => importedOf(path, result, attempts.isUncertain))
    if (data.some(({ outcome }) => outcome === 'unknown')) attempts.isUncertain = true
    return results
  }

  return {
    isOffered() {
      offered ??= ask().catch((error) => {
        offered = undefined
        throw error
      })
      return offered
    },
    takesLegacy() {
      legacy ??= askForLegacy().catch((error) => {
        legacy = undefined
        throw error
      })
      return legacy
    },
    // The service may still be at work on a request whose response was lost, and create its users
    // only after it has refused them as `unavailable`.
    async post(users, attempts = { isUncertain: false }) {
      const results = await postOnce(users, attempts)
      for (const seconds of PAUSES_SECONDS) {
        const open = [...results.keys()].filter((at) => isUnavailable(results[at]))
        if (open.length === 0) break
        await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
        const some = open.map((at) => users[at] as UserImport)
        const again = await postOnce(some, attempts).catch((error) => {
          // The results of the first attempt are lost with this error.
          attempts.isUncertain = true
          throw error
        })
        for (const [n, at] of open.entries()) results[at] = again[n] as Imported
      }
      return results
    },
  }
}

function importedOf(path: string, result: Json, isUncertain: boolean): Imported {
  const { status, id, user, code, detail } = result
  if (status === 'created' && typeof id === 'string') return { status, id }
  if (status === 'existing' && typeof user === 'object' && user !== null) {
    return { status, user: restoreZeros<User>(user as Json, zeros.User), isUncertain }
  }
  if (status === 'refused' && typeof code === 'string') {
    return { status, code, detail: typeof detail === 'string' ? detail : '' }
  }
  throw invalid(path, 'a result that is not known')
}

function isUnavailable(result: Imported | undefined): boolean {
  return result?.status === 'refused' && result.code === 'unavailable'
}

function invalid(path: string, what: string): ResponseError {
  return new ResponseError('LATCHKEY_RESPONSE_INVALID', `POST ${path} was answered with ${what}`)
}
