import { randomBytes } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type { SessionIndex, SessionLock, SessionRecord } from '@latchkey/core'
import { RedisStore } from 'connect-redis'
import type { SessionData } from 'express-session'
import { type Availability, createAvailability, type StoreHealth } from './availability.ts'
import { createRecordSeal, type RecordSeal, sessionName, versionOf } from './record-seal.ts'
import { type RedisLink, runScript, type ScriptArgument } from './redis-link.ts'
import * as scripts from './scripts.ts'

/** The settings of a {@link RedisSessionStore}, every default filled in. */
export interface RedisSettings {
  readonly link: RedisLink
  readonly prefix: string
  readonly secrets: readonly string[]
  readonly touchSeconds: number
  readonly timeoutMilliseconds: number
}

/** How writing over what was seen ended. */
export type Replaced = 'replaced' | 'changed' | 'ended'

type Done = (error?: unknown) => void
// biome-ignore lint/suspicious/noExplicitAny: as connect-redis types what a store answers
type Answer = any
type DoneGet = (error?: unknown, record?: Answer) => void

const unreadable = channel('latchkey:session.unreadable')

/** Where a record came from: rides along on the record itself, invisible to JSON. */
const origin = Symbol('latchkey.origin')

interface Origin {
  readonly version: Buffer
  readonly expiresAt: number
}

interface WithOrigin {
  [origin]?: Origin
}

/**
 * Sessions in Redis or Valkey: sealed values under hashed names. Reading is one `GET`, each write one
 * script on one key, so that it works the same on one server, behind Sentinel and on a Cluster.
 */
export class RedisSessionStore extends RedisStore {
  readonly index: SessionIndex
  readonly lock: SessionLock
  readonly #link: RedisLink
  readonly #availability: Availability
  readonly #touchMilliseconds: number
  readonly #root: string
  #seal: RecordSeal | undefined

  constructor(settings: RedisSettings) {
    super({ client: settings.link.client, prefix: `${settings.prefix}s:` })
    this.#link = settings.link
    this.#root = settings.prefix
    this.#availability = createAvailability(settings.timeoutMilliseconds)
    this.#touchMilliseconds = settings.touchSeconds * 1000
    if (settings.secrets.length > 0) this.useSecrets(settings.secrets)
    this.index = {
      add: (keys, id, seconds) => this.#addToIndex(keys, id, seconds),
      find: (key) => this.#find(key),
      remove: (keys, id) => this.#removeFromIndex(keys, id),
    }
    this.lock = { acquire: (key, seconds) => this.#acquire(key, seconds) }
  }

  /** Takes the session secrets, unless they were given as an option. */
  useSecrets(secrets: readonly string[]): void {
    this.#seal ??= createRecordSeal(secrets)
  }

  /** How it stands with Redis, without asking it. */
  health(): StoreHealth {
    return this.#availability.health()
  }

  /** Resolves when Redis answers, for a readiness probe; rejects when it does not. */
  async ready(): Promise<void> {
    await this.#availability.run('read', () => this.#link.get(`${this.#root}ready`))
  }

  /** Closes the connection. */
  close(): Promise<void> {
    return this.#link.close()
  }

  override get(id: string, done?: DoneGet): Promise<Answer> {
    return settle<Answer>(this.#read(sessionName(id)), done)
  }

  override set(id: string, data: SessionData | SessionRecord, done?: Done): Promise<Answer> {
    return settle(this.#set(id, data as SessionRecord), done)
  }

  override touch(id: string, data: SessionData | SessionRecord, done?: Done): Promise<Answer> {
    return settle(this.#touch(id, data as SessionRecord), done)
  }

  override destroy(id: string, done?: Done): Promise<Answer> {
    return settle(this.#script(scripts.endScript, `s:${sessionName(id)}`), done)
  }

  /** Remembers for express-session which version its session was made from. */
  override createSession(
    ...[req, data]: Parameters<RedisStore['createSession']>
  ): ReturnType<RedisStore['createSession']> {
    const session = super.createSession(req, data)
    const from = (data as WithOrigin)[origin]
    if (from) Object.defineProperty(session, origin, { value: from })
    return session
  }

  /**
   * Writes a record over the one that was `seen`, or over any when none is named. Nothing is written
   * when the session has ended, or was changed since `seen` was read.
   */
  async replace(id: string, record: SessionRecord, seen?: SessionRecord): Promise<Replaced> {
    const name = sessionName(id)
    const version = (seen as WithOrigin | undefined)?.[origin]?.version ?? ''
    const value = this.#sealed().seal(name, id, record)
    const milliseconds = Math.ceil(this.#end(record) - Date.now())
    if (milliseconds <= 0) {
      await this.#script(scripts.endScript, `s:${name}`)
      return 'ended'
    }
    const args = [value, String(milliseconds), version]
    const outcome = await this.#script(scripts.replaceScript, `s:${name}`, args)
    return outcome === 1 ? 'replaced' : outcome === 2 ? 'changed' : 'ended'
  }

  /** Resolves to `true` for the first caller with a key within `seconds`. */
  async claim(key: string, seconds: number): Promise<boolean> {
    const token = randomBytes(16).toString('base64url')
    const name = `c:${this.#sealed().indexNames(key)[0]}`
    return (await this.#script(scripts.claimScript, name, [token, String(seconds * 1000)])) === 1
  }

  /** Whether a key is claimed. */
  async isClaimed(key: string): Promise<boolean> {
    const held = await Promise.all(
      this.#sealed()
        .indexNames(key)
        .map((name) => {
          const stored = `${this.#root}c:${name}`
          return this.#availability.run('read', () => this.#link.get(stored))
        }),
    )
    return held.some((value) => value !== null && value !== undefined)
  }

  override clear(done?: Done): Promise<Answer> {
    const clear = async (): Promise<void> => {
      for (const key of await this.#keys()) {
        await this.#availability.run('write', () => this.#link.del(key))
      }
    }
    return settle(clear(), done)
  }

  /** Counts every key, so it takes its time: for operators and tests. */
  override length(done?: (error?: unknown, length?: Answer) => void): Promise<Answer> {
    return settle(
      this.#everything().then((all) => all.length),
      done,
    )
  }

  override ids(done?: (error?: unknown, ids?: Answer) => void): Promise<Answer> {
    return settle(
      this.#everything().then((all) => all.map(({ id }) => id)),
      done,
    )
  }

  override all(done?: (error?: unknown, all?: Answer) => void): Promise<Answer> {
    const all = this.#everything().then((found) =>
      found.map(({ id, record }) => ({ ...record, id })),
    )
    return settle(all, done)
  }

  async #read(name: string): Promise<SessionRecord | undefined> {
    return (await this.#open(name))?.record
  }

  async #open(name: string): Promise<{ id: string; record: SessionRecord } | undefined> {
    const seal = this.#sealed()
    const value = await this.#availability.run('read', () => this.#link.get(this.prefix + name))
    if (!value || value.length <= scripts.ENDED.length) return undefined
    const opened = seal.open(name, value)
    if (!opened) {
      unreadable.publish({ bytes: value.length, format: value[0] })
      return undefined
    }
    const expiresAt = this.#end(opened.record)
    if (expiresAt <= Date.now()) return undefined
    const from: Origin = { version: versionOf(value), expiresAt }
    ;(opened.record as WithOrigin)[origin] = from
    return opened
  }

  async #set(id: string, record: SessionRecord): Promise<void> {
    if ((record as WithOrigin)[origin]) {
      await this.replace(id, record)
      return
    }
    const milliseconds = Math.ceil(this.#end(record) - Date.now())
    if (milliseconds <= 0) return
    const name = sessionName(id)
    const value = this.#sealed().seal(name, id, record)
    await this.#script(scripts.beginScript, `s:${name}`, [value, String(milliseconds)])
  }

  async #touch(id: string, record: SessionRecord): Promise<void> {
    const from = (record as WithOrigin)[origin]
    if (from && this.#end(record) - from.expiresAt < this.#touchMilliseconds) return
    if (from) await this.replace(id, record, record)
  }

  async #addToIndex(keys: readonly string[], id: string, seconds: number): Promise<void> {
    const member = sessionName(id)
    const names = keys.map((key) => this.#sealed().indexNames(key)[0])
    await Promise.all(
      names.map((name) =>
        this.#script(scripts.indexAddScript, `i:${name}`, [member, String(seconds)]),
      ),
    )
  }

  async #find(key: string): Promise<string[]> {
    const sets = await Promise.all(
      this.#sealed()
        .indexNames(key)
        .map((name) => this.#script(scripts.indexFindScript, `i:${name}`)),
    )
    const names = new Set((sets as string[][]).flat().map(String))
    const opened = await Promise.all([...names].map((name) => this.#open(name)))
    return opened.flatMap((found) => (found ? [found.id] : []))
  }

  async #removeFromIndex(keys: readonly string[], id: string): Promise<void> {
    const member = sessionName(id)
    const names = keys.flatMap((key) => this.#sealed().indexNames(key))
    await Promise.all(
      names.map((name) => this.#script(scripts.indexRemoveScript, `i:${name}`, [member])),
    )
  }

  async #acquire(key: string, seconds: number): Promise<(() => Promise<void>) | undefined> {
    const token = randomBytes(16).toString('base64url')
    const name = `l:${this.#sealed().indexNames(key)[0]}`
    const args = [token, String(seconds * 1000)]
    if ((await this.#script(scripts.claimScript, name, args)) !== 1) return undefined
    return async () => {
      await this.#script(scripts.releaseScript, name, [token])
    }
  }

  #script(script: scripts.Script, name: string, args: ScriptArgument[] = []): Promise<unknown> {
    const key = this.#root + name
    return this.#availability.run('write', () => runScript(this.#link, script, key, args))
  }

  async #keys(): Promise<string[]> {
    const keys = new Set<string>()
    for await (const some of this.#link.scan(this.prefix)) for (const key of some) keys.add(key)
    return [...keys]
  }

  async #everything(): Promise<{ id: string; record: SessionRecord }[]> {
    const names = (await this.#keys()).map((key) => key.slice(this.prefix.length))
    const opened = await Promise.all(names.map((name) => this.#open(name)))
    return opened.filter((found) => found !== undefined)
  }

  #end(record: SessionRecord): number {
    const { expires } = record.cookie
    if (!expires) return Date.now() + 86_400_000
    return typeof expires === 'string' ? Date.parse(expires) : expires.getTime()
  }

  #sealed(): RecordSeal {
    if (this.#seal) return this.#seal
    throw new TypeError(
      'createSessionStore() has no secret to seal sessions with; pass "secret", or use the store as "session.store" of createAuthRouter().',
    )
  }
}

function settle<T>(
  promise: Promise<T>,
  done: ((error?: unknown, value?: T) => void) | undefined,
): Promise<T | undefined> {
  if (!done) return promise
  return promise.then(
    (value) => {
      done(undefined, value)
      return value
    },
    (error) => {
      done(error)
      return undefined
    },
  )
}
