import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { EntryName, MessageQueues, ProtocolEntry, ProtocolStore } from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import { connectRedis } from './connect.ts'
import { answered, createScripts } from './scripts.ts'

/** Longer than this, something lives for ever; it is as long as PEXPIRE can be sure of. */
const FOR_EVER_MS = 1e12

export interface RedisProtocolStoreOptions {
  /** The address; see `parseRedisAddress`. */
  url: string
  clock: Clock
  /** Messages must survive what Redis does not, so they are elsewhere. */
  queues: MessageQueues
}

/**
 * Keeps protocol state in Redis or Valkey, for any number of processes.
 *
 * Each step works on one key, so that it runs on a Cluster; on one server, an entry is written with its
 * indexes in one step. Indexes are looked up first and the entries
 * they name are checked: an index that is out of date costs a look-up and never gives a wrong answer.
 */
export function createRedisProtocolStore(options: RedisProtocolStoreOptions): ProtocolStore {
  const client = connectRedis(options.url)
  const scripts = createScripts(client)
  const now = (): Micros => Math.floor(options.clock.now() * 1000)

  /** The time to live in milliseconds, rounded up; an expired entry is hidden by its own expiry. */
  function lifetime(expiresAt: Micros): number {
    const ms = Math.ceil((expiresAt - now()) / 1000)
    return ms > FOR_EVER_MS ? 0 : Math.max(1, ms)
  }

  async function entryAt(key: string | null): Promise<ProtocolEntry | undefined> {
    if (key === null) return undefined
    const entry = toEntry(await answered('hgetall', client.hgetall(key)))
    return entry && entry.expiresAt > now() ? entry : undefined
  }

  async function put(entry: ProtocolEntry): Promise<void> {
    const key = entryKey(entry)
    const { tenantId, kind, uid, grantId, accountId, expiresAt } = entry
    const ms = lifetime(expiresAt)
    const indexes = [
      ...(grantId === undefined ? [] : [keyOf('g', tenantId, kind, grantId)]),
      ...(accountId === undefined ? [] : [keyOf('a', tenantId, kind, accountId)]),
    ]
    const names = uid === undefined ? [] : [keyOf('u', tenantId, kind, uid)]
    const fields = Object.entries(entry).flatMap(([name, value]) =>
      value === undefined ? [] : [name, value],
    )
    const all = [key, ...indexes, ...names]
    const values = [ms, expiresAt, now(), indexes.length, ...fields]
    if (all.length > 1 && (await scripts.putAll(all, ...values))) return
    // All at once: an entry of which anything could not be written was given to no one.
    await Promise.all([
      ...indexes.map((index) => scripts.index(index, key, expiresAt, now(), ms)),
      ...names.map((name) => answered('set', setUntil(name, key, ms))),
      scripts.put(key, ms, ...fields),
    ])
  }

  function setUntil(key: string, value: string, ms: number): Promise<unknown> {
    return ms === 0 ? client.set(key, value) : client.set(key, value, 'PX', ms)
  }

  function members(index: string): Promise<string[]> {
    return answered('zrangebyscore', client.zrangebyscore(index, `(${now()}`, '+inf'))
  }

  return {
    mail: options.queues.mail,
    notices: options.queues.notices,
    put,
    find: (name) => entryAt(entryKey(name)),

    async findByUid(tenantId, kind, uid) {
      const entry = await entryAt(
        await answered('get', client.get(keyOf('u', tenantId, kind, uid))),
      )
      return entry?.uid === uid ? entry : undefined
    },

    async listByAccount(tenantId, kind, accountId) {
      const keys = await members(keyOf('a', tenantId, kind, accountId))
      const entries = await Promise.all(keys.map(entryAt))
      return entries.filter(
        (entry) => entry !== undefined && entry.accountId === accountId,
      ) as ProtocolEntry[]
    },

    async consume(name, payload) {
      const given = payload === undefined ? [] : [payload]
      return (await scripts.consume(entryKey(name), now(), ...given)) === 1
    },

    async takeByUid(tenantId, kind, uid) {
      const key = await answered('get', client.get(keyOf('u', tenantId, kind, uid)))
      if (key === null) return undefined
      const found = (await scripts.take(key, uid, now())) as string[]
      return toEntry(pairs(found))
    },

    async delete(name) {
      await answered('del', client.del(entryKey(name)))
    },

    async deleteByGrant(tenantId, kind, grantId) {
      const keys = await members(keyOf('g', tenantId, kind, grantId))
      await Promise.all(keys.map((key) => scripts.deleteOfGrant(key, grantId)))
    },

    async admit(key, { forgetSeconds, free, baseSeconds, maxSeconds }) {
      const [group, field] = counterOf(key)
      const limit = [free, baseSeconds, maxSeconds]
      const wait = await scripts.admit(group, field, now(), forgetSeconds, ...limit)
      return wait === 0
        ? { kind: 'admitted' }
        : { kind: 'refused', retryAfterSeconds: wait as number }
    },

    async attempts(key) {
      const [group, field] = counterOf(key)
      const [count, lastAt] = (await scripts.attempts(group, field, now())) as [number, string]
      return count === 0 ? undefined : { count, lastAt: Number(lastAt) }
    },

    async attemptsOf(group) {
      const fields = await answered('hgetall', client.hgetall(keyOf('n', group)))
      const at = now()
      return Object.entries(fields).flatMap(([member, made]) => {
        // The fields of attempts under way are written in another way.
        const [, count, lastAt, forgetAt] = /^(\d+) (\d+) (\d+)$/.exec(made) ?? []
        if (Number(forgetAt ?? 0) <= at) return []
        return [{ member, count: Number(count), lastAt: Number(lastAt) }]
      })
    },

    async beginAttempt(key, { forgetSeconds, free, baseSeconds, maxSeconds }, attempt, until) {
      const [group, field] = counterOf(key)
      const limit = [forgetSeconds, free, baseSeconds, maxSeconds]
      const wait = await scripts.beginAttempt(group, field, now(), ...limit, attempt, until)
      if (wait === 0) return { kind: 'admitted' }
      return wait === -1 ? { kind: 'busy' } : { kind: 'refused', retryAfterSeconds: wait as number }
    },

    async endAttempt(key, { forgetSeconds }, attempt, outcome) {
      const [group, field] = counterOf(key)
      await scripts.endAttempt(group, field, now(), forgetSeconds, attempt, outcome)
    },

    async resetAttempt(key) {
      const [group, field] = counterOf(key)
      await answered('hdel', client.hdel(group, field))
    },

    async resetAttempts(group) {
      await answered('del', client.del(keyOf('n', group)))
    },

    /** Redis removes what has expired by itself. */
    async prune() {
      await options.queues.prune()
      return 0
    },

    async check() {
      await answered('ping', client.ping())
    },

    async close() {
      await client.quit().catch(() => client.disconnect())
    },
  }
}

/** The key of an entry, of an index or of counted attempts. */
function keyOf(kind: 'e' | 'u' | 'g' | 'a' | 'n', ...parts: string[]): string {
  return `latchkey:${kind}:${hash('sha256', parts.join('\n'), 'base64url')}`
}

function entryKey({ tenantId, kind, key }: EntryName): string {
  return keyOf('e', tenantId, kind, key)
}

/** The group of a counter, which ends with the first slash, is one key; what follows is a field. */
function counterOf(key: string): [group: string, field: string] {
  const end = key.indexOf('/') + 1 || key.length
  return [keyOf('n', key.slice(0, end)), key.slice(end)]
}

function pairs(list: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {}
  for (let i = 0; i < list.length; i += 2) object[list[i] as string] = list[i + 1] as string
  return object
}

function toEntry(fields: Record<string, string>): ProtocolEntry | undefined {
  const { tenantId, kind, key, payload, expiresAt, grantId, uid, accountId, consumedAt } = fields
  if (tenantId === undefined || kind === undefined || key === undefined) return undefined
  return {
    tenantId,
    kind,
    key,
    payload: payload ?? '',
    expiresAt: Number(expiresAt),
    grantId,
    uid,
    accountId,
    consumedAt: consumedAt === undefined ? undefined : Number(consumedAt),
  }
}
