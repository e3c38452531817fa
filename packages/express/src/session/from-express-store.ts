import { SessionEndedError, type SessionRecord, type SessionStore } from '@latchkey/core'
import { OldestFirst, remember } from '@latchkey/core/internal'
import type { SessionData } from 'express-session'
import { Cookie } from './classes.ts'

/**
 * A session with a login in a store of express-session: the cookie, the application's data and the
 * login.
 */
type ExpressRecord = SessionData & { latchkey?: SessionRecord['login'] }

/**
 * A session in a store of express-session: the cookie, and the application's data as further
 * members.
 */
export interface ExpressSession {
  readonly cookie: object
}

/** The members of a store of express-session that the kit uses. */
export interface ExpressStore {
  get(id: string, done: (error: unknown, session?: ExpressSession | null) => void): void
  set(id: string, session: ExpressSession, done?: (error?: unknown) => void): void
  destroy(id: string, done?: (error?: unknown) => void): void
  touch?(id: string, session: ExpressSession, done?: (error?: unknown) => void): void
}

/** Whether a value has the methods of a store of express-session, and not those of a store of the core. */
export function isExpressStore(value: unknown): value is ExpressStore {
  if (typeof value !== 'object' || value === null || 'update' in value) return false
  const { get, set, destroy, touch } = value as Readonly<Record<string, unknown>>
  const isMethod = (method: unknown): boolean => typeof method === 'function'
  return [get, set, destroy].every(isMethod) && (touch === undefined || isMethod(touch))
}

const MAX_REMEMBERED = 10_000
const ENDED_SECONDS = 300
const MAX_ENDED = 100_000

/**
 * Creates a {@link SessionStore} from a store of express-session. The result has none of the
 * optional members, so back-channel logout and lists of sessions do not work. If two processes
 * write at the same time, the later write wins. For five minutes, this process refuses to write a
 * session that it has destroyed; another process may restore it.
 *
 * In many of these stores `touch` does not change the expiry that `get` returns, and some never
 * expire a session. So this process remembers its touches, and writes a record again after a
 * quarter of its lifetime.
 */
export function fromExpressStore(store: ExpressStore): SessionStore {
  const touched = new OldestFirst<string, number>()
  const ended = new OldestFirst<string, number>()
  const hasEnded = (id: string): boolean => (ended.get(id) ?? 0) > Date.now() / 1000
  const read = (id: string): Promise<ExpressRecord | undefined> =>
    new Promise((resolve, reject) => {
      store.get(id, (error, record) => {
        if (isFailure(error)) reject(error)
        else resolve((record as ExpressRecord | null) ?? undefined)
      })
    })
  const write = (id: string, record: SessionRecord): Promise<void> =>
    call((done) => store.set(id, toExpress(record), done))

  return {
    async get(id) {
      const record = await read(id)
      if (!record) return undefined
      const { expiresAt, ...found } = fromExpress(record)
      return { ...found, expiresAt: Math.max(expiresAt, touched.get(id) ?? 0) }
    },
    set(id, record) {
      if (hasEnded(id)) throw new SessionEndedError()
      return write(id, record)
    },
    async update(id, record, seen) {
      const stored = await read(id)
      // Another request may have destroyed the session since the store was asked.
      if (!stored || hasEnded(id)) return 'ended'
      if (contentOf(fromExpress(stored)) !== contentOf(seen)) return 'changed'
      await write(id, record)
      return 'updated'
    },
    async touch(id, _seen, expiresAt) {
      remember(touched, id, expiresAt, MAX_REMEMBERED)
      const stored = await read(id)
      if (!stored || hasEnded(id)) return
      const record = fromExpress(stored)
      const later = { ...record, expiresAt }
      const isOld = expiresAt - record.expiresAt >= (expiresAt - Date.now() / 1000) / 4
      if (!store.touch || isOld) return write(id, later)
      return call((done) => store.touch?.(id, toExpress(later), done))
    },
    async destroy(id) {
      const isAgain = hasEnded(id)
      remember(ended, id, Date.now() / 1000 + ENDED_SECONDS, MAX_ENDED)
      try {
        await call((done) => store.destroy(id, done))
      } catch (error) {
        // The session goes on until a later attempt ends it.
        if (!isAgain) ended.delete(id)
        throw error
      }
    },
  }
}

/**
 * Whether an error of `get` is a failure. As in express-session, ENOENT is none, because a file
 * store may report a missing session so.
 */
function isFailure(error: unknown): boolean {
  return Boolean(error) && (error as { code?: string }).code !== 'ENOENT'
}

function call(run: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) => (error ? reject(error) : resolve()))
  })
}

function fromExpress({ cookie, latchkey, ...data }: ExpressRecord): SessionRecord {
  const expires = cookie?.expires
  return {
    ...(latchkey && { login: latchkey }),
    data,
    expiresAt: expires ? new Date(expires).getTime() / 1000 : Number.POSITIVE_INFINITY,
  }
}

function toExpress({ login, data, expiresAt }: SessionRecord): SessionData {
  const cookie = new Cookie()
  cookie.expires = new Date(expiresAt * 1000)
  // `latchkey` follows `data`, so that data of the application never counts as a login.
  return { ...data, latchkey: login, cookie } as ExpressRecord
}

function contentOf({ login, data }: SessionRecord): string {
  return JSON.stringify([login, data])
}
