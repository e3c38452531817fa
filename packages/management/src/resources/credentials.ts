import { ConflictError } from '../errors.ts'
import type { Send } from '../request.ts'
import type { Credential, CredentialInput } from '../types.ts'
import { zeros } from '../zero-values.ts'
import { createAccess, type Deletable, type Readable, segment } from './resource.ts'

/** The credentials of a user. */
export interface Credentials extends Readable<Credential>, Deletable<Credential> {
  /**
   * Gives the user a password. If the response is lost, the request is sent again. A user has at
   * most one password. So if that retry is refused as a duplicate, and the password was created
   * after the first attempt began, that attempt has succeeded and the credential is returned. If
   * the user had an older password, it stays and the promise is rejected with the {@link
   * ConflictError}.
   */
  create(input: CredentialInput): Promise<Credential>
}

export function createCredentials(send: Send, tenantId: string, userId: string): Credentials {
  const path = `/v1/tenants/${segment(tenantId)}/users/${segment(userId)}/credentials`
  const { list, page, get, update, ...access } = createAccess<Credential>(
    send,
    path,
    zeros.Credential,
  )
  return {
    list,
    page,
    get,
    update,
    delete: access.delete,
    async create(input) {
      let isLost = false
      const recover = async (): Promise<undefined> => {
        isLost = true
      }
      const body = { type: 'PasswordCredential', ...input }
      const begun = { at: Date.now(), by: performance.now() }
      try {
        const answer = await send({ method: 'POST', path, body, isRepeatable: true, recover })
        return access.restore(answer.body)
      } catch (error) {
        const found = isLost && error instanceof ConflictError ? await findSince(begun) : undefined
        if (found) return found
        throw error
      }
    },
  }

  /**
   * The password of the user, unless it was created before an attempt began.
   *
   * @param begun - The begin of the attempt: `at` by the clock of this machine, `by` by
   *   `performance.now()`.
   */
  async function findSince(begun: { at: number; by: number }): Promise<Credential | undefined> {
    const input = { method: 'GET', path: `${path}/password`, isRepeatable: true } as const
    const { body, date } = await send(input)
    // The service's clock decides. A service in this process sends no date, and has the same clock.
    const since = date ? Date.parse(date) - (performance.now() - begun.by) : begun.at
    const found = access.restore(body)
    // A service may send its times in whole seconds.
    return Date.parse(found.created_at) >= Math.floor(since / 1_000) * 1_000 ? found : undefined
  }
}
