import type { SessionRecord } from '@latchkey/core'
import { isTouchDue } from '@latchkey/core/stores'
import { type SessionData, Store } from 'express-session'
import type { ManagedSessionStore } from './session-store.ts'

type Done = (error?: unknown) => void
type CreateSession = Store['createSession']

const DAY_SECONDS = 86_400

/**
 * A store for express-session without the kit. Its cookie is kept with the application's data.
 */
export class ExpressStore extends Store {
  readonly #sessions: Pick<
    ManagedSessionStore,
    'get' | 'set' | 'touch' | 'destroy' | 'touchSeconds'
  >
  /** The records that sessions were made from, for touching them. */
  readonly #seen = new WeakMap<object, SessionRecord>()

  constructor(sessions: ManagedSessionStore) {
    super()
    this.#sessions = sessions
  }

  override get(id: string, done: (error: unknown, session?: SessionData | null) => void): void {
    const answer = async (): Promise<SessionData | undefined> => {
      const record = await this.#sessions.get(id)
      // A session of the kit has no cookie of express-session.
      if (!record?.data.cookie) return undefined
      const session = structuredClone(record.data) as unknown as SessionData
      this.#seen.set(session, record)
      return session
    }
    answer().then((session) => done(undefined, session), done)
  }

  override set(id: string, session: SessionData, done?: Done): void {
    const record = { data: { ...session }, expiresAt: expiryOf(session) }
    settle(async () => this.#sessions.set(id, record), done)
  }

  override touch(id: string, session: SessionData, done?: Done): void {
    const seen = this.#seen.get(session)
    const idleSeconds = (session.cookie.originalMaxAge ?? DAY_SECONDS * 1000) / 1000
    const { touchSeconds } = this.#sessions
    const now = Date.now() / 1000
    const isDue = seen && isTouchDue(seen.expiresAt, idleSeconds, now, touchSeconds)
    settle(async () => isDue && this.#sessions.touch(id, seen, expiryOf(session)), done)
  }

  override destroy(id: string, done?: Done): void {
    settle(async () => this.#sessions.destroy(id), done)
  }

  override createSession(...[req, data]: Parameters<CreateSession>): ReturnType<CreateSession> {
    const seen = this.#seen.get(data)
    const session = super.createSession(req, data)
    if (seen) this.#seen.set(session, seen)
    return session
  }
}

function expiryOf({ cookie: { expires } }: SessionData): number {
  return expires ? new Date(expires).getTime() / 1000 : Date.now() / 1000 + DAY_SECONDS
}

function settle(run: () => Promise<unknown>, done: Done = () => {}): void {
  run().then(() => done(), done)
}
