import { ConflictError } from '../errors.ts'
import type { Send } from '../request.ts'
import type { Credential, CredentialInput } from '../types.ts'
import { zeros } from '../zero-values.ts'
import { createAccess, type Deletable, type Readable, segment } from './resource.ts'

/** The credentials of a user. */
export interface Credentials extends Readable<Credential>, Deletable<Credential> {
  /**
   * Gives the user a password. If the response is lost, the request is sent again. A user has at
   * most one password. So if that retry is refused as a duplicate, the first attempt has succeeded
   * and the existing credential is returned.
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
      try {
        const answer = await send({ method: 'POST', path, body, isRepeatable: true, recover })
        return access.restore(answer.body)
      } catch (error) {
        if (isLost && error instanceof ConflictError) return get('password')
        throw error
      }
    },
  }
}
