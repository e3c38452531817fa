import type { Json, Send } from '../request.ts'
import type { Grant } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { segment } from './resource.ts'

/** The programs that may act on behalf of a user. */
export interface Grants {
  /** Lists the grants, the newest first. */
  list(): AsyncGenerator<Grant, void, undefined>
  /** Withdraws a grant, and revokes the program's refresh tokens for this user. */
  withdraw(id: string): Promise<Grant>
}

export function createGrants(send: Send, tenantId: string, userId: string): Grants {
  const path = `/x/v1/tenants/${segment(tenantId)}/users/${segment(userId)}/grants`
  return {
    list: () => readFiltered(send, path, {}, restoreGrant),
    async withdraw(id) {
      const to = `${path}/${segment(id)}`
      return restoreGrant((await send({ method: 'DELETE', path: to, isRepeatable: false })).body)
    },
  }
}

export function restoreGrant(grant: Json): Grant {
  return restoreZeros<Grant>(grant, zeros.Grant)
}
