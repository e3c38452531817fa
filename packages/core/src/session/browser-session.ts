import { SessionEndedError, type SessionStoreError } from '../errors.ts'
import { clearCookie, setCookie } from '../http/cookies.ts'
import type { AuthSession } from './session.ts'
import { carriedData, indexKeys, mergeData, stamp } from './session-record.ts'
import type { SessionRecord } from './session-store.ts'
import { storeAnswer } from './store-answer.ts'
import { call, replaceRecord } from './store-calls.ts'
import type { StoredSession, StoredSessions } from './stored-session.ts'

/** What was found when a session was opened. */
export interface Opened {
  readonly id?: string
  readonly record?: SessionRecord
  readonly failure?: SessionStoreError
}

/** One browser's session during one request. A class, as there is one for every request. */
export class BrowserSession implements StoredSession {
  readonly failure: SessionStoreError | undefined
  readonly #sessions: StoredSessions
  readonly #now: () => number
  readonly #openedId: string | undefined
  #id: string | undefined
  #record: SessionRecord | undefined
  /** Whether what is stored may differ from what the application has read. */
  #mayDiffer = false
  #setCookies = NO_COOKIES

  constructor(sessions: StoredSessions, now: () => number, { id, record, failure }: Opened) {
    this.#sessions = sessions
    this.#now = now
    this.#id = id
    this.#openedId = id
    this.#record = record
    this.failure = failure
  }

  get id(): string | undefined {
    return this.#id
  }

  get record(): SessionRecord | undefined {
    return this.#record
  }

  get current(): AuthSession | undefined {
    return this.#record?.latchkey
  }

  get setCookies(): readonly string[] {
    return this.#setCookies
  }

  read(): AuthSession | undefined {
    if (this.failure) throw this.failure
    return this.#record?.latchkey
  }

  async reload(): Promise<AuthSession | undefined> {
    if (this.failure) throw this.failure
    if (!this.#id) return undefined
    this.#record = await this.#sessions.load(this.#id)
    this.#mayDiffer = true
    return this.current
  }

  async start(session: AuthSession, issuedAt: number = session.createdAt): Promise<void> {
    if (this.failure) throw this.failure
    const { settings, store } = this.#sessions
    const previous = this.#record
    const previousId = this.#id
    const id = this.#sessions.newId()
    const record = stamp(
      { ...carriedData(previous, session, settings), latchkey: session } as SessionRecord,
      settings,
      this.#now(),
    )
    // In this order: a session that exists can always be found, and so be ended.
    await storeAnswer(store.index?.add(indexKeys(session), id, settings.absoluteSeconds))
    await storeAnswer(call((done) => store.set(id, record, done)))
    if (await this.#sessions.endedLogins?.hasEnded(session, issuedAt)) {
      await this.#sessions.destroy(id, session)
      throw new SessionEndedError()
    }
    if (previousId) await this.#sessions.destroy(previousId, previous?.latchkey)
    this.#id = id
    this.#record = record
    this.#mayDiffer = true
    const scope = { ...settings.cookie, maxAgeSeconds: settings.absoluteSeconds }
    this.#setCookies = [setCookie(settings.cookieName, this.#sessions.signCookie(id), scope)]
  }

  async update(session: AuthSession): Promise<boolean> {
    if (this.failure) throw this.failure
    if (!this.#id || !this.#record) return false
    if (!(await this.#sessions.replace(this.#id, session, this.#record.latchkey))) return false
    this.#record = { ...this.#record, latchkey: session }
    this.#mayDiffer = true
    return true
  }

  async end(): Promise<void> {
    const { settings } = this.#sessions
    // A session that could not be ended keeps its cookie, so that it can be ended again.
    if (this.failure) throw this.failure
    if (this.#id) await this.#sessions.destroy(this.#id, this.current)
    this.#setCookies = [clearCookie(settings.cookieName, settings.cookie)]
    this.#id = undefined
    this.#record = undefined
  }

  async saveData(id: string, data: SessionRecord, read: string): Promise<void> {
    const { settings, store } = this.#sessions
    if (id !== this.#id) {
      // The session that this request came with has ended in it.
      if (id === this.#openedId) throw new SessionEndedError()
      const record = stamp({ ...data }, settings, this.#now())
      return storeAnswer(call((done) => store.set(id, record, done)))
    }
    // What was read when the request came in is usually still there; the store knows.
    let isAsRead = store.replace !== undefined && !this.#mayDiffer
    let stored = isAsRead ? this.#record : await this.#sessions.load(id)
    while (stored) {
      const merged = isAsRead ? data : mergeData(read, data, stored)
      const record = { ...merged, latchkey: stored.latchkey } as SessionRecord
      const stamped = stamp(record, settings, this.#now())
      const outcome = await storeAnswer(replaceRecord(store, id, stamped, stored))
      if (outcome === 'replaced') return
      if (outcome === 'ended') break
      isAsRead = false
      stored = await this.#sessions.load(id)
    }
    throw new SessionEndedError()
  }
}

const NO_COOKIES: readonly string[] = []
