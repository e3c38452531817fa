import { ResponseError } from '../errors.ts'
import type { Json, Send } from '../request.ts'
import type { ImportChangeResult, UserImportChange } from '../types.ts'
import { createBatch } from './batch.ts'
import { segment } from './resource.ts'

/**
 * Updates at most one batch of users from a newer export. Resolves to the result of each user, in
 * the same order.
 */
export type UserUpdater = (
  users: readonly UserImportChange[],
  isPreview: boolean,
) => Promise<ImportChangeResult[]>

/** The pauses before users that the service refused as `unavailable` are sent again. */
const PAUSES_SECONDS = [1, 2, 4, 8, 16]

export function createUserUpdater(send: Send, tenantId: string): UserUpdater {
  const base = `/x/v1/tenants/${segment(tenantId)}/users/import`

  async function postOnce(
    users: readonly UserImportChange[],
    isPreview: boolean,
  ): Promise<ImportChangeResult[]> {
    const path = `${base}/${isPreview ? 'preview' : 'update'}`
    const body = { users: users.map(bodyOf) }
    const answer = await send({ method: 'POST', path, body, isRepeatable: true })
    const data = Array.isArray(answer.body.data) ? (answer.body.data as Json[]) : []
    if (data.length === users.length) return data as unknown as ImportChangeResult[]
    throw new ResponseError(
      'LATCHKEY_RESPONSE_INVALID',
      `POST ${path} was answered with ${data.length} results for ${users.length} users`,
    )
  }

  return async (users, isPreview) => {
    const results = await postOnce(users, isPreview)
    for (const seconds of PAUSES_SECONDS) {
      const open = [...results.keys()].filter((at) => isUnavailable(results[at]))
      if (open.length === 0) break
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
      const again = await postOnce(
        open.map((at) => users[at] as UserImportChange),
        isPreview,
      )
      for (const [n, at] of open.entries()) results[at] = again[n] as ImportChangeResult
    }
    return results
  }
}

/** Sends users in batches, and yields the result of each user, in the same order. */
export async function* updateInBatches(
  update: UserUpdater,
  users: Iterable<UserImportChange> | AsyncIterable<UserImportChange>,
  isPreview: boolean,
): AsyncGenerator<ImportChangeResult, void, undefined> {
  const batch = createBatch<UserImportChange>()
  for await (const user of users) {
    if (batch.add(user, user)) continue
    yield* await update(batch.take(), isPreview)
    batch.add(user, user)
  }
  if (batch.items.length > 0) yield* await update(batch.take(), isPreview)
}

function bodyOf({ matchAddress, ...user }: UserImportChange): object {
  return { ...user, ...(matchAddress && { match_address: true }) }
}

function isUnavailable(result: ImportChangeResult | undefined): boolean {
  return result?.status === 'refused' && result.code === 'unavailable'
}
