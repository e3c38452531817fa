import { SessionEndedError, type SessionStoreError } from '../errors/errors.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { endForGood } from './end-sessions.ts'
import { refreshKey } from './refresh-lock.ts'
import type { AuthSession } from './session.ts'
import type { CookieChange } from './session-cookie.ts'
import { carriedData, mergeData } from './session-record.ts'
import type { SessionsById } from './sessions-by-id.ts'
import type { SessionRecord } from './stores/session-store.ts'

type Data = SessionRecord['data']
type Content = Omit<SessionRecord, 'expiresAt'>
type Notices = readonly (SessionRecord | undefined)[]

/** The result of opening a session: the session, nothing, or the failure of the store. */
export interface OpenedSession {
  readonly id?: string
  readonly record?: SessionRecord
  readonly failure?: Error
}

/** One browser's session during one request. */
export class StoredSession {
  /** The error of the store, if it did not answer when the session was opened. */
  readonly failure: SessionStoreError | undefined
  readonly #sessions: SessionsById
  readonly #openedId: string | undefined
  #id: string | undefined
  #record: SessionRecord | undefined
  /** The session ids that this request has replaced, each with its new id. */
  #renewed: Map<string, Renewed> | undefined
  /** Resolves when the renewal at work is over, even if it failed. */
  #renewing: Promise<void> | undefined
  /** Whether the record is the one that the store returned, so that `update` can compare it. */
  #isAsRead = true
  #cookieChange: CookieChange

  constructor(sessions: SessionsById, { id, record, failure }: OpenedSession = NOTHING) {
    this.#sessions = sessions
    this.#id = id
    this.#openedId = id
    this.#record = record
    this.failure = failure as SessionStoreError | undefined
  }

  /**
   * The session's id; `undefined` if there is no session. The id is a secret: never show or log it.
   */
  get id(): string | undefined {
    return this.#id
  }

  /** The login as of the last read or write; `undefined` while no user is logged in. */
  get current(): AuthSession | undefined {
    return this.#record?.login
  }

  /** The application's own data as of the last read or write. It does not contain the login. */
  get data(): Data {
    return this.#record?.data ?? NO_DATA
  }

  /** The `Set-Cookie` values for the changes that this request has made to the session. */
  get setCookies(): readonly string[] {
    return this.#sessions.setCookies(this.#cookieChange)
  }

  /**
   * The login; `undefined` while no user is logged in.
   *
   * @throws {@link SessionStoreError} when the store could not answer.
   */
  read(): AuthSession | undefined {
    this.mustBeKnown()
    return this.current
  }

  /** Reads a session by its id; `undefined` if it does not exist or has expired. */
  load(id: string): MaybePromise<SessionRecord | undefined> {
    return this.#sessions.load(id)
  }

  /**
   * Checks that a change of the session can still reach the browser. Call this before an action
   * that cannot be undone.
   *
   * @throws {@link CookieSessionError} if the session is in the cookie and the headers were sent.
   */
  mustBeWritable(): void {
    this.#sessions.mustBeWritable?.()
  }

  /** Reads the stored session again, because another request may have changed it meanwhile. */
  async reload(): Promise<AuthSession | undefined> {
    this.mustBeKnown()
    while (this.#renewing) await this.#renewing
    return this.#reread()
  }

  async #reread(): Promise<AuthSession | undefined> {
    if (!this.#id) return undefined
    this.#record = await this.#sessions.load(this.#id)
    this.#isAsRead = true
    return this.current
  }

  /**
   * Reads the session again, and calls `use` while no other request refreshes its tokens or gives
   * it a new id: in all processes if the store has a lock, otherwise in this one.
   *
   * @param waits - Called once if another request is doing so.
   * @throws {@link RefreshError} with `LATCHKEY_REFRESH_UNAVAILABLE` when the other request does
   *   not finish.
   */
  alone<T>(use: () => Promise<T>, waits?: () => void): Promise<T> {
    const keyNow = (): string | undefined => {
      const { refreshToken } = this.current?.tokens ?? {}
      return refreshToken === undefined ? undefined : refreshKey(this.#id, refreshToken)
    }
    const locked = {
      get key() {
        return keyNow()
      },
      reload: () => this.reload(),
    }
    return this.#sessions.refreshLock.hold(locked, use, waits)
  }

  /**
   * Begins the session of a login under a new id, and destroys the session before. Resolves once
   * both are done.
   *
   * @param issuedAt - The time at which the ID token of the login was issued, by the provider's
   *   clock.
   * @param id - The new id, if several requests must get the same one. Default: a random one.
   * @throws {@link SessionEndedError} when the provider has ended the login meanwhile.
   */
  async start(
    login: AuthSession,
    issuedAt: number = login.createdAt,
    id: string = this.#sessions.newId(),
  ): Promise<void> {
    this.mustBeKnown()
    const { keepAnonymousData } = this.#sessions.settings
    // Another request may have stored data since. If the login of another tab has replaced the
    // session, its data is taken as it was opened.
    const opened = this.#record
    await this.reload()
    this.#record ??= opened
    const before = { login: this.current, data: this.data }
    const data = carriedData(before, login, keepAnonymousData)
    await this.#moveTo(id, { login, data }, (notices) =>
      this.#hasEnded(login, issuedAt, notices) ? undefined : { login, data },
    )
  }

  /**
   * Continues with a stored session whose id was not in the cookie. Resolves to `false` if there is
   * no session with this id.
   */
  async resume(id: string): Promise<boolean> {
    this.mustBeKnown()
    const record = await this.#sessions.load(id)
    if (!record) return false
    this.#become(id, record)
    return true
  }

  /**
   * Gives the session a new id. The login stays, and with `keepsData` also the application's data.
   *
   * @throws {@link SessionEndedError} when the session has ended meanwhile; {@link RefreshError}
   *   with `LATCHKEY_REFRESH_UNAVAILABLE` when a refresh of its tokens does not finish.
   */
  async regenerate({ keepsData = false }: { readonly keepsData?: boolean } = {}): Promise<void> {
    this.mustBeKnown()
    if (!this.#id) return
    const contentOf = ({ login, data }: SessionRecord): Content => ({
      login,
      data: keepsData ? data : NO_DATA,
    })
    // A refresh at the same time would use up the refresh token that the new session gets.
    await this.alone(() => this.#renew(contentOf, keepsData))
  }

  async #renew(contentOf: (record: SessionRecord) => Content, keepsData: boolean): Promise<void> {
    while (this.#renewing) await this.#renewing
    const [id, next] = [this.#id, this.#sessions.newId()]
    if (!id || !this.#record) throw new SessionEndedError()
    const content = contentOf(this.#record)
    this.#renewed ??= new Map()
    this.#renewed.set(id, { id: next, keepsData })
    const over = Promise.withResolvers<void>()
    this.#renewing = over.promise
    try {
      await this.#moveTo(next, content, async (notices) => {
        // Reloaded after the new session is stored. A request that ends the login from now on finds
        // both sessions.
        await this.#reread()
        const { login } = content
        if (!this.#record || (login && this.#hasEnded(login, login.createdAt, notices))) return
        const latest = contentOf(this.#record)
        if (JSON.stringify(latest) === JSON.stringify(content)) return content
        // Another request has changed the data or the user since they were copied.
        return this.#sessions.change(next, () => latest)
      })
    } catch (error) {
      this.#renewed.delete(id)
      throw error
    } finally {
      this.#renewing = undefined
      over.resolve()
    }
  }

  /** The current id of the session that had this id when the request arrived. */
  idNow(id: string): string {
    return this.#renewals(id).at(-1)?.id ?? id
  }

  /** The renewals by this request since the session had an id, in their order. */
  #renewals(id: string): readonly Renewed[] {
    const renewals: Renewed[] = []
    for (let next = this.#renewed?.get(id); next; next = this.#renewed?.get(next.id)) {
      renewals.push(next)
    }
    return renewals
  }

  /**
   * Replaces the login under the same id. Resolves to `false`, and stores nothing, if the session
   * has ended or another request has changed its tokens.
   */
  async update(login: AuthSession): Promise<boolean> {
    this.mustBeKnown()
    while (this.#renewing) await this.#renewing
    const [id, seen] = [this.#id, this.current]
    if (!id || !seen) return false
    const stored = await this.#sessions.change(
      id,
      (record) =>
        // A slow refresh does not overwrite the tokens of one that finished before it.
        record.login && sameTokens(record.login, seen) ? { login, data: record.data } : undefined,
      this.#isAsRead ? this.#record : undefined,
    )
    // A renewal that began meanwhile may have copied the login from before this change.
    if (this.idNow(id) !== id) return this.update(login)
    if (!stored?.login || !sameTokens(stored.login, login)) return false
    this.#record = { ...stored, login, data: this.data }
    this.#isAsRead = false
    return true
  }

  /** Destroys the session and removes its cookie. Succeeds also if there is no session. */
  async end(): Promise<void> {
    // If the store did not answer, the cookie stays, so that the logout can be repeated.
    this.mustBeKnown()
    while (this.#renewing) await this.#renewing
    if (this.#id) await endById(this.#sessions, this.#id, this.current)
    else this.#sessions.endRenewed?.()
    this.#cookieChange = null
    this.#id = undefined
    this.#record = undefined
  }

  /**
   * Ends the session of another browser. Succeeds also if it has ended already. A session that is
   * kept in its cookie ends in this process alone.
   */
  async endOther(id: string): Promise<void> {
    const record = await this.#sessions.load(id)
    if (record || this.#sessions.inCookie) await endById(this.#sessions, id, record?.login)
  }

  /**
   * Stores the application's own data under the same id, or under the new one if this request
   * renews the session. If another request has stored data meanwhile, the changes of both are
   * merged by name. An id that is not in use becomes the session of an anonymous visitor. Data that
   * this request's {@link regenerate} removes meanwhile are not stored.
   *
   * @param given - The id of the session, which a renewal may have replaced.
   * @param read - The data that this request had read, as JSON.
   * @throws {@link SessionEndedError} when the session has ended meanwhile; nothing is stored.
   */
  async saveData(given: string, data: Data, read: string): Promise<void> {
    this.mustBeKnown()
    while (this.#renewing) await this.#renewing
    if (this.#renewals(given).some(({ keepsData }) => !keepsData)) return
    const id = this.idNow(given)
    if (id !== this.#id) return this.#begin(id, data)
    const seen = this.#isAsRead ? this.#record : undefined
    const stored = await this.#sessions.change(
      id,
      (record) => ({
        login: record.login,
        // The record may have been read again since the request has read its data.
        data:
          record === seen && JSON.stringify(record.data) === read
            ? data
            : mergeData(JSON.parse(read) as Data, data, record.data),
      }),
      seen,
    )
    // A renewal that began meanwhile may have copied the data from before this change.
    if (this.idNow(id) !== id) return this.saveData(id, data, read)
    if (!stored) throw new SessionEndedError()
    this.#record = { ...stored, login: this.current, data }
    this.#isAsRead = false
  }

  /** Begins the session of an anonymous visitor. */
  async #begin(id: string, data: Data): Promise<void> {
    // This request has ended the session with this id, so the id must not be used again.
    const isUsed =
      id === this.#openedId || [...(this.#renewed?.values() ?? [])].some((one) => one.id === id)
    if (isUsed) throw new SessionEndedError()
    await this.#sessions.create(id, { data })
    this.#become(id, { data, expiresAt: 0 })
  }

  /**
   * Stores a session under a new id, and destroys the old one. `check` is called once the new one
   * is stored, and resolves to its content. If the session has ended, it resolves to `undefined`,
   * the new one is destroyed instead, and a {@link SessionEndedError} is thrown.
   */
  async #moveTo(
    id: string,
    record: Content,
    check: (notices: Notices) => MaybePromise<Content | undefined>,
  ): Promise<void> {
    const [previousId, previousLogin] = [this.#id, this.current]
    const ids = record.login && this.#sessions.endedLogins?.idsOf(record.login)
    const content = await check(await this.#sessions.create(id, record, ids))
    if (!content) {
      await this.#sessions.destroy(id, record.login)
      throw new SessionEndedError()
    }
    if (previousId) await this.#sessions.destroy(previousId, previousLogin)
    this.#become(id, { ...content, expiresAt: 0 })
  }

  #hasEnded(login: AuthSession, issuedAt: number, notices: Notices): boolean | undefined {
    return this.#sessions.endedLogins?.hasEnded(login, issuedAt, notices)
  }

  #become(id: string, record: SessionRecord): void {
    this.#id = id
    this.#record = record
    this.#isAsRead = false
    this.#cookieChange = id
  }

  /**
   * Sets the cookie for the id of a session that is stored later, because the headers are sent now.
   */
  announce(id: string): void {
    if (id !== this.#openedId) this.#cookieChange = id
  }

  /**
   * Throws if the store did not answer. Called before every use of the session, so that a failure
   * is not taken for a visitor without a session.
   *
   * @throws {@link SessionStoreError} when the store could not answer.
   */
  mustBeKnown(): void {
    if (this.failure) throw this.failure
  }
}

/** A new id of a session, and whether the application's data stayed. */
interface Renewed {
  readonly id: string
  readonly keepsData: boolean
}

const NOTHING: OpenedSession = {}
const NO_DATA: Data = Object.freeze({})

async function endById(
  sessions: SessionsById,
  id: string,
  login: AuthSession | undefined,
): Promise<void> {
  if (login && sessions.store.index) await endForGood(sessions, login, [{ id, session: login }])
  else await sessions.destroy(id, login)
}

function sameTokens(one: AuthSession, other: AuthSession): boolean {
  return (
    one.tokens?.refreshToken === other.tokens?.refreshToken &&
    one.tokens?.accessToken === other.tokens?.accessToken
  )
}
