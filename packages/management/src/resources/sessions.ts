import type { Send } from '../request.ts'
import type { Session } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { segment } from './resource.ts'

/** A session of a user. */
export interface Sessions {
  /** The newest login first. */
  list(): AsyncGenerator<Session, void, undefined>
  /** Ends a session: its applications get logout tokens, and its tokens are revoked. */
  end(id: string): Promise<Session>
  /** Ends all; resolves with those that there were. */
  endAll(): Promise<Session[]>
}

export function createSessions(send: Send, tenantId: string, userId: string): Sessions {
  const path = `/x/v1/tenants/${segment(tenantId)}/users/${segment(userId)}/sessions`
  const restore = (session: Record<string, unknown>) =>
    restoreZeros<Session>(session, zeros.Session)
  return {
    list: () => readFiltered(send, path, {}, restore),
    async end(id) {
      const input = {
        method: 'DELETE',
        path: `${path}/${segment(id)}`,
        isRepeatable: false,
      } as const
      return restore((await send(input)).body)
    },
    async endAll() {
      const { body } = await send({ method: 'DELETE', path, isRepeatable: true })
      return ((body.data ?? []) as Record<string, unknown>[]).map(restore)
    },
  }
}
