import { channel } from 'node:diagnostics_channel'
import {
  type OnceMemory,
  SessionEndedError,
  type SessionIndex,
  type SessionLock,
  type SessionRecord,
} from '@latchkey/core'
import { RedisStore } from 'connect-redis'
import type { SessionData } from 'express-session'
import type { StoreHealth } from './availability.ts'
import {
  createRecordSeal,
  type OpenedRecord,
  type RecordSeal,
  sessionName,
  versionOf,
} from './record-seal.ts'
import { createRedisClaims } from './redis-claims.ts'
import { createRedisCommands, type RedisCommands } from './redis-commands.ts'
import { createRedisIndex } from './redis-index.ts'
import type { RedisLink } from './redis-link.ts'
import * as scripts from './scripts.ts'
import { StoreConfigError } from './store-errors.ts'

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

const SESSION = 's:'
const DAY_MILLISECONDS = 86_400_000

const unreadable = channel('latchkey:session.unreadable')

/** Where a record came from: rides along on the record itself, invisible to JSON. */
const origin = Symbol('latchkey.origin')

interface Origin {
  /** The id it was read under. */
  readonly id: string
  readonly version: Buffer
  /** In milliseconds since the epoch. */
  readonly endsAt: number
}

interface WithOrigin {
  [origin]?: Origin
}

/** Where a record came from, if it was read under this id. */
function originOf(record: unknown, id: string): Origin | undefined {
  const from = (record as WithOrigin | undefined)?.[origin]
  return from?.id === id ? from : undefined
}

/**
 * Sessions in Redis or Valkey: sealed values under hashed names. Reading is one `GET`, each write one
 * script on one key, so that it works the same on one server, behind Sentinel and on a Cluster.
 */
export class RedisSessionStore extends RedisStore {
  readonly index: SessionIndex
  readonly lock: SessionLock
  /** How often at most a session in use is touched. */
  readonly touchSeconds: number
  /** Resolves to `true` for the first caller with a key within `seconds`. */
  readonly claim: OnceMemory
  /** Whether a key is claimed. */
  readonly isClaimed: (key: string) => Promise<boolean>
  readonly #link: RedisLink
  readonly #commands: RedisCommands
  #seal: RecordSeal | undefined

  constructor({ link, prefix, secrets, touchSeconds, timeoutMilliseconds }: RedisSettings) {
    super({ client: link.client, prefix: `${prefix}${SESSION}` })
    this.#link = link
    this.#commands = createRedisCommands(link, prefix, timeoutMilliseconds)
    this.touchSeconds = touchSeconds
    if (secrets.length > 0) this.useSecrets(secrets)
    const sealed = (): RecordSeal => this.#sealed()
    this.index = createRedisIndex(this.#commands, sealed, async (name) => {
      return (await this.#open(name))?.id
    })
    const { claim, isClaimed, lock } = createRedisClaims(this.#commands, sealed)
    this.claim = claim
    this.isClaimed = isClaimed
    this.lock = lock
  }

  /** Takes the session secrets, unless they were given as an option. */
  useSecrets(secrets: readonly string[]): void {
    this.#seal ??= createRecordSeal(secrets)
  }

  /** How it stands with Redis, without asking it. */
  health(): StoreHealth {
    return this.#commands.health()
  }

  /** Resolves when Redis answers, for a readiness probe; rejects when it does not. */
  async ready(): Promise<void> {
    await this.#commands.get('ready')
  }

  /** Closes the connection that was made from a url; a client stays its owner's to close. */
  close(): Promise<void> {
    return this.#link.close()
  }

  override get(id: string, done?: DoneGet): Promise<Answer> {
    return settle<Answer>(this.#read(id), done)
  }

  override set(id: string, data: SessionData | SessionRecord, done?: Done): Promise<Answer> {
    return settle(this.#set(id, data as SessionRecord), done)
  }

  override touch(id: string, data: SessionData | SessionRecord, done?: Done): Promise<Answer> {
    return settle(this.#touch(id, data as SessionRecord), done)
  }

  override destroy(id: string, done?: Done): Promise<Answer> {
    return settle(this.#end(sessionName(id)), done)
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
    const version = originOf(seen, id)?.version ?? ''
    const outcome = await this.#write(scripts.replaceScript, name, id, record, version)
    return outcome === 1 ? 'replaced' : outcome === 2 ? 'changed' : 'ended'
  }

  override clear(done?: Done): Promise<Answer> {
    const clear = async (): Promise<void> => {
      for await (const names of this.#commands.scan(SESSION)) {
        await Promise.all(names.map((name) => this.#commands.del(name)))
      }
    }
    return settle(clear(), done)
  }

  /** Counts by opening every session, so it takes its time: for operators and tests. */
  override length(done?: (error?: unknown, length?: Answer) => void): Promise<Answer> {
    return settle(
      this.#collect(() => 1).then((all) => all.length),
      done,
    )
  }

  override ids(done?: (error?: unknown, ids?: Answer) => void): Promise<Answer> {
    return settle(
      this.#collect(({ id }) => id),
      done,
    )
  }

  override all(done?: (error?: unknown, all?: Answer) => void): Promise<Answer> {
    return settle(
      this.#collect(({ id, record }) => ({ ...record, id })),
      done,
    )
  }

  async #read(id: string): Promise<SessionRecord | undefined> {
    return (await this.#open(sessionName(id)))?.record
  }

  async #open(name: string): Promise<OpenedRecord | undefined> {
    const seal = this.#sealed()
    const value = await this.#commands.get(SESSION + name)
    if (!value || value.length <= scripts.ENDED.length) return undefined
    const opened = seal.open(name, value)
    if (!opened) {
      unreadable.publish({ bytes: value.length, format: value[0] })
      return undefined
    }
    if (opened.endsAt <= Date.now()) return undefined
    const { id, endsAt } = opened
    const from: Origin = { id, version: versionOf(value), endsAt }
    ;(opened.record as WithOrigin)[origin] = from
    return opened
  }

  async #set(id: string, record: SessionRecord): Promise<void> {
    // Whatever was read is written over; only a session that nobody has read can begin.
    const outcome = originOf(record, id)
      ? await this.replace(id, record)
      : await this.#write(scripts.beginScript, sessionName(id), id, record)
    if (outcome === 'ended' || outcome === 0) throw new SessionEndedError()
  }

  async #touch(id: string, record: SessionRecord): Promise<void> {
    const from = originOf(record, id)
    const quarter = Math.floor((record.cookie.originalMaxAge ?? DAY_MILLISECONDS) / 4000)
    const interval = Math.min(this.touchSeconds, quarter) * 1000
    if (from && endOf(record) - from.endsAt >= interval) {
      await this.replace(id, record, record)
    }
  }

  /** Runs a script that writes a record; one that is past its end ends the session instead. */
  async #write(
    script: scripts.Script,
    name: string,
    id: string,
    record: SessionRecord,
    ...more: (string | Buffer)[]
  ): Promise<unknown> {
    const endsAt = endOf(record)
    const milliseconds = Math.ceil(endsAt - Date.now())
    if (milliseconds <= 0) return this.#end(name)
    const value = this.#sealed().seal(name, { id, record, endsAt })
    return this.#commands.run(script, SESSION + name, [value, String(milliseconds), ...more])
  }

  async #end(name: string): Promise<void> {
    await this.#commands.run(scripts.endScript, SESSION + name)
  }

  async #collect<T>(pick: (opened: OpenedRecord) => T): Promise<T[]> {
    const all: T[] = []
    for await (const names of this.#commands.scan(SESSION)) {
      const opened = await Promise.all(names.map((name) => this.#open(name.slice(SESSION.length))))
      for (const one of opened) if (one) all.push(pick(one))
    }
    return all
  }

  #sealed(): RecordSeal {
    if (this.#seal) return this.#seal
    throw new StoreConfigError(
      'createSessionStore() has no secret to seal sessions with; pass "secret", or use the store as "session.store" of createAuthRouter().',
    )
  }
}

function endOf({ cookie: { expires } }: SessionRecord): number {
  if (!expires) return Date.now() + DAY_MILLISECONDS
  return typeof expires === 'string' ? Date.parse(expires) : expires.getTime()
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
