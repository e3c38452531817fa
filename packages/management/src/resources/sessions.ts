import type { Send } from '../request.ts'
import type { Session } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { segment } from './resource.ts'

/** The sessions of a user. */
export interface Sessions {
  /** Lists the sessions, the newest login first. */
  list(): AsyncGenerator<Session, void, undefined>
  /** Ends a session: its tokens are revoked, and its applications get logout tokens. */
  end(id: string): Promise<Session>
  /** Ends all sessions. Resolves to the sessions that were ended. */
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
