import { channel } from 'node:diagnostics_channel'
import { ConfigError, SessionEndedError, type SessionRecord } from '@latchkey/core'
import { createExpressStore } from './express-store.ts'
import { createRecordSeal, type RecordSeal, sessionName } from './record-seal.ts'
import { createRedisCommands, type RedisCommands } from './redis-commands.ts'
import { createRedisIndex, type IndexedSessions } from './redis-index.ts'
import type { RedisLink } from './redis-link.ts'
import { createRedisOnce } from './redis-once.ts'
import * as scripts from './scripts.ts'
import type { RedisSessionStore } from './session-store.ts'

/** The settings of {@link createRedisStore}, with all defaults filled in. */
export interface RedisSettings {
  readonly link: RedisLink
  readonly prefix: string
  readonly secrets: readonly string[]
  readonly touchSeconds: number
  readonly timeoutMilliseconds: number
  readonly compactRecords: boolean
}

/** A sealed value in Redis, and the name to which the value is bound. */
interface Sealed {
  readonly name: string
  readonly value: Buffer
}

const SESSION = 's:'
const CLEARED_TOGETHER = 100

const unreadable = channel('latchkey:session.unreadable')

/**
 * Creates a store that keeps sessions in Redis or Valkey, as sealed values under hashed names. A
 * session is read by one `GET`, and written by one script on one key. So the store works the same
 * on one server, behind Sentinel and on a Cluster.
 */
export function createRedisStore(settings: RedisSettings): RedisSessionStore {
  const { link, prefix, touchSeconds } = settings
  const commands = createRedisCommands(link, prefix, settings.timeoutMilliseconds)
  const { sealed, useSecrets, read, open, end, all, sealedValue, write } = createSealedSessions(
    commands,
    settings,
  )

  const store: RedisSessionStore = {
    touchSeconds,
    useSecrets,
    get(id) {
      const name = sessionName(id)
      return read(name, (found) => found && open(found)?.record)
    },
    async set(id, record) {
      if ((await write(scripts.beginScript, id, record)) === 0) throw new SessionEndedError()
    },
    async update(id, record, { version = '' }) {
      const outcome = await write(scripts.replaceScript, id, record, version as string | Buffer)
      return outcome === 1 ? 'updated' : outcome === 2 ? 'changed' : 'ended'
    },
    async touch(id, seen, expiresAt) {
      await store.update(id, { ...seen, expiresAt }, seen)
    },
    async destroy(id) {
      await end(id)
    },
    index: createRedisIndex(commands, sealed, {
      get: (id) => store.get(id),
      set: (id, record) => store.set(id, record),
      destroy: (id) => store.destroy(id),
      open: (name, value) => open({ name, value })?.record,
      seal: sealedValue,
      idOf: (name) => read(name, (found) => found && open(found)?.id),
      keyOf: (name) => SESSION + name,
    }),
    ...createRedisOnce(commands, sealed),
    health: () => commands.health(),
    async ready() {
      await commands.get('ready')
    },
    close: () => link.close(),
    async clear() {
      const ids = [...(await all()).keys()]
      for (let at = 0; at < ids.length; at += CLEARED_TOGETHER) {
        await Promise.all(ids.slice(at, at + CLEARED_TOGETHER).map(end))
      }
    },
    length: async () => (await all()).size,
    ids: async () => [...(await all()).keys()],
    all: async () => [...(await all())].map(([id, record]) => ({ ...record, id })),
    forExpressSession: (options) => createExpressStore(store, options),
  }
  return store
}

/** The operations on the sealed values of sessions. */
function createSealedSessions(commands: RedisCommands, settings: RedisSettings) {
  let seal: RecordSeal | undefined
  const sealed = (): RecordSeal => {
    if (seal) return seal
    throw new ConfigError([], NO_SECRET)
  }
  const useSecrets = (secrets: readonly string[]): void => {
    seal ??= createRecordSeal(secrets, settings.compactRecords)
  }
  if (settings.secrets.length > 0) useSecrets(settings.secrets)

  const read = <T>(name: string, use: (found: Sealed | undefined) => T): Promise<T> => {
    try {
      sealed()
    } catch (error) {
      return Promise.reject(error)
    }
    return commands.read(SESSION + name, (value) =>
      use(value && value.length > scripts.ENDED.length ? { name, value } : undefined),
    )
  }
  const open = ({ name, value }: Sealed) => {
    const opened = sealed().open(name, value)
    if (!opened) unreadable.publish({ bytes: value.length, format: value[0] })
    return opened && opened.record.expiresAt > Date.now() / 1000 ? opened : undefined
  }
  const end = (id: string): Promise<unknown> =>
    commands.run(scripts.endScript, SESSION + sessionName(id))
  /** Reads all sessions that have not expired, by id. */
  const all = async (): Promise<ReadonlyMap<string, SessionRecord>> => {
    const found = new Map<string, SessionRecord>()
    for await (const names of commands.scan(SESSION)) {
      const values = await Promise.all(
        names.map((name) => read(name.slice(SESSION.length), (value) => value)),
      )
      for (const value of values) {
        const opened = value && open(value)
        if (opened) found.set(opened.id, opened.record)
      }
    }
    return found
  }

  const sealedValue: IndexedSessions['seal'] = (id, record) => {
    const milliseconds = Math.ceil(record.expiresAt * 1000 - Date.now())
    if (milliseconds <= 0) return undefined
    const value = sealed().seal(sessionName(id), { id, record })
    return { value, milliseconds: String(milliseconds) }
  }

  /**
   * Runs a script that writes a record. If the record has expired, the session is destroyed
   * instead.
   */
  const write = async (
    script: scripts.Script,
    id: string,
    record: SessionRecord,
    ...more: (string | Buffer)[]
  ): Promise<unknown> => {
    const kept = sealedValue(id, record)
    if (!kept) return end(id)
    const { value, milliseconds } = kept
    return commands.run(script, SESSION + sessionName(id), [value, milliseconds, ...more])
  }

  return { sealed, useSecrets, read, open, end, all, sealedValue, write }
}

const NO_SECRET =
  'createSessionStore() has no secret to seal sessions with; pass "secret", or use the store as "session.store" of createAuthRouter().'
