import { hash } from 'node:crypto'
import { RefreshError } from '../errors/errors.ts'
import type { SessionLock } from './stores/session-store.ts'
import { storeAnswer } from './stores/store-answer.ts'

/** The session that a {@link RefreshLock} protects. */
export interface Locked {
  /** The key of its refresh token; `undefined` if it has none. */
  readonly key: string | undefined
  /** Reads the session again. */
  reload(): Promise<unknown>
}

/** Lets one request at a time use the refresh token of a session, or give the session a new id. */
export interface RefreshLock {
  /**
   * Reads a session again under the lock, and then calls `use`. A session without a refresh token
   * is not locked.
   *
   * @param waits - Called once if another request has the lock.
   * @throws {@link RefreshError} with `LATCHKEY_REFRESH_UNAVAILABLE` when the lock does not become
   *   free in time.
   */
  hold<T>(session: Locked, use: () => Promise<T>, waits?: () => void): Promise<T>
}

const POLL_MS = 50

/** Makes the {@link RefreshLock} of an instance. The lock expires after `seconds`. */
export function createRefreshLock(lock: SessionLock, seconds: number): RefreshLock {
  /** Calls `use` unless the session has another key by now. */
  const useUnder = async <T>(
    key: string | undefined,
    session: Locked,
    use: () => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> => {
    await session.reload()
    const isOfAnother = session.key !== undefined && session.key !== key
    return isOfAnother ? undefined : { result: await use() }
  }
  return {
    async hold(session, use, waits) {
      for (let waited = 0; waited < seconds * 1000; waited += POLL_MS) {
        const { key } = session
        const release =
          key === undefined
            ? () => {}
            : await storeAnswer(() => lock.acquire(`refresh:${key}`, seconds))
        if (release) {
          try {
            const used = await useUnder(key, session, use)
            if (used) return used.result
            continue
          } finally {
            await Promise.resolve(storeAnswer(release)).catch(() => {})
          }
        }
        if (waited === 0) waits?.()
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      throw new RefreshError('LATCHKEY_REFRESH_UNAVAILABLE', 'Another refresh did not finish.')
    },
  }
}

/** The key of a session's refresh token, from which neither can be found out. */
export function refreshKey(id: string | undefined, refreshToken: string): string {
  return hash('sha256', `${id} ${refreshToken}`, 'base64url')
}
