import { hash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type {
  Change,
  EntryName,
  EntryPlace,
  MessageQueues,
  ProtocolEntry,
  ProtocolStore,
} from '../protocol-store.ts'
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
 * Each step works on one key, so that it runs on a Cluster; on one server, an entry is written with
 * its indexes in one step. Indexes are read first, and the entries that they name are checked. So
 * an outdated index costs a look-up but never gives a wrong result.
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
    return unexpired(await answered('hgetall', client.hgetall(key)))
  }

  function unexpired(fields: Record<string, string>): ProtocolEntry | undefined {
    const entry = toEntry(fields)
    return entry && entry.expiresAt > now() ? entry : undefined
  }

  /** The keys of an entry, and the values that go with them. */
  function rowsOf(entry: ProtocolEntry) {
    const { tenantId, kind, uid, grantId, accountId, expiresAt } = entry
    const fields = Object.entries(entry).flatMap(([name, value]) =>
      value === undefined ? [] : [name, value],
    )
    return {
      key: entryKey(entry),
      indexes: [
        ...(grantId === undefined ? [] : [keyOf('g', tenantId, kind, grantId)]),
        ...(accountId === undefined ? [] : [keyOf('a', tenantId, kind, accountId)]),
      ],
      names: uid === undefined ? [] : [keyOf('u', tenantId, kind, uid)],
      ms: lifetime(expiresAt),
      expiresAt,
      fields,
    }
  }

  /** Puts an entry whose keys may be on several servers. */
  async function putApart({ key, indexes, names, ms, expiresAt, fields }: Rows): Promise<void> {
    // All at once: an entry of which anything could not be written was given to no one.
    await Promise.all([
      ...indexes.map((index) => scripts.index(index, key, expiresAt, now(), ms)),
      ...names.map((name) => answered('set', setUntil(name, key, ms))),
      scripts.put(key, ms, ...fields),
    ])
  }

  type Rows = ReturnType<typeof rowsOf>

  const consume = async ({ key, until, ms }: Spent, ...payload: string[]): Promise<boolean> =>
    (await scripts.consume(key, now(), until, ms, ...payload)) === 1
  type Spent = ReturnType<typeof spentOf>

  /** The key of an entry to spend, and its latest end; 0: as before. */
  function spentOf({ name, keepSeconds }: { name: EntryName; keepSeconds?: number | undefined }) {
    const key = entryKey(name)
    if (keepSeconds === undefined) return { key, until: 0, ms: 0 }
    return { key, until: now() + keepSeconds * 1e6, ms: keepSeconds * 1_000 }
  }

  const remove = (key: string): Promise<unknown> => answered('del', client.del(key))

  async function write(changes: readonly Change[]): Promise<boolean> {
    const spent = changes.flatMap((one) => (one.kind === 'consume' ? [spentOf(one)] : []))
    const removed = changes.flatMap((one) => (one.kind === 'delete' ? [entryKey(one.name)] : []))
    const rows = changes.flatMap((one) => (one.kind === 'put' ? [rowsOf(one.entry)] : []))
    const ofRows = rows.flatMap(({ key, indexes, names }) => [key, ...indexes, ...names])
    const keys = [...spent.map(({ key }) => key), ...removed, ...ofRows]
    if (keys.length > 1) {
      const ends = spent.flatMap(({ until, ms }) => [until, ms])
      const values = rows.flatMap(({ ms, expiresAt, indexes, names, fields }) => [
        ...[ms, expiresAt, indexes.length, names.length, fields.length],
        ...fields,
      ])
      const counts = [spent.length, removed.length]
      const made = await scripts.write(keys, now(), ...counts, ...ends, ...values)
      if (made !== undefined) return made === 1
    }
    for (const one of spent) if (!(await consume(one))) return false
    await Promise.all([...removed.map(remove), ...rows.map(putApart)])
    const shortened = spent.filter(({ ms }) => ms > 0)
    const indexes = rows.flatMap((row) => row.indexes)
    await Promise.all(
      indexes.flatMap((index) =>
        shortened.map(({ key, until }) => scripts.shorten(index, key, until)),
      ),
    )
    return true
  }

  const beginAttempt: ProtocolStore['beginAttempt'] = async (counters, attempt, until) => {
    const keys = counters.map(({ key }) => counterOf(key)[0])
    const limits = counters.flatMap(({ key, limit: { free, baseSeconds, maxSeconds } }) => [
      ...[counterOf(key)[1], free, baseSeconds, maxSeconds],
    ])
    const begun = await scripts.beginAttempt(keys, now(), attempt, until, ...limits)
    if (begun === undefined) return beginApart(counters, attempt, until)
    const [number, wait] = begun as [number, number]
    if (number === 0) return { kind: 'admitted' }
    const counter = number - 1
    return wait === -1
      ? { kind: 'busy', counter }
      : { kind: 'refused', counter, retryAfterSeconds: wait }
  }

  /** Begins an attempt at counters on several servers, one after another. */
  const beginApart: ProtocolStore['beginAttempt'] = async (counters, attempt, until) => {
    for (const [counter, one] of counters.entries()) {
      const begun = await beginAttempt([one], attempt, until)
      if (begun.kind === 'admitted') continue
      const before = counters.slice(0, counter)
      await endAttempt(
        before.map((each) => ({ ...each, outcome: 'unchanged' })),
        attempt,
      )
      return { ...begun, counter }
    }
    return { kind: 'admitted' }
  }

  const endAttempt: ProtocolStore['endAttempt'] = async (ends, attempt) => {
    if (ends.length === 0) return
    const keys = ends.map(({ key }) => counterOf(key)[0])
    const outcomes = ends.flatMap(({ key, limit, outcome }) => [
      ...[counterOf(key)[1], limit.forgetSeconds, outcome],
    ])
    const ended = await scripts.endAttempt(keys, now(), attempt, ...outcomes)
    if (ended === undefined) await Promise.all(ends.map((one) => endAttempt([one], attempt)))
  }

  function setUntil(key: string, value: string, ms: number): Promise<unknown> {
    return ms === 0 ? client.set(key, value) : client.set(key, value, 'PX', ms)
  }

  function members(index: string): Promise<string[]> {
    return answered('zrangebyscore', client.zrangebyscore(index, `(${now()}`, '+inf'))
  }

  /** The members of an index behind a place that end in the same moment. */
  async function tiedBehind(index: string, { at, key: last }: EntryPlace): Promise<EntryPlace[]> {
    const ending = await answered('zrevrangebyscore', client.zrevrangebyscore(index, at, at))
    return ending.filter((key) => key < last).map((key) => ({ key, at }))
  }

  return {
    mail: options.queues.mail,
    notices: options.queues.notices,
    write,
    async put(entry) {
      await write([{ kind: 'put', entry }])
    },

    async replace(entry, payload) {
      const { key, indexes, names, ms, expiresAt, fields } = rowsOf(entry)
      if ((await scripts.replace(key, now(), payload, ms, ...fields)) !== 1) return false
      await Promise.all([
        ...indexes.map((index) => scripts.index(index, key, expiresAt, now(), ms)),
        ...names.map((name) => answered('set', setUntil(name, key, ms))),
      ])
      return true
    },

    async find(name, renewal) {
      const key = entryKey(name)
      if (!renewal) return entryAt(key)
      const at = now()
      const { left, seconds } = renewal
      const times = [at, at + left * 1e6, at + seconds * 1e6, seconds * 1_000]
      return unexpired(pairs((await scripts.renew(key, ...times)) as string[]))
    },

    async findAll(names) {
      const keys = names.map(entryKey)
      const found = (await scripts.read(keys)) as string[][] | undefined
      return found
        ? found.map((fields) => unexpired(pairs(fields)))
        : Promise.all(keys.map(entryAt))
    },

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

    async pageByAccount(tenantId, kind, accountId, { after, limit }) {
      const index = keyOf('a', tenantId, kind, accountId)
      const tied = after ? await tiedBehind(index, after) : []
      const from = after ? `(${after.at}` : '+inf'
      const rest = await answered(
        'zrevrangebyscore',
        client.zrevrangebyscore(index, from, `(${now()}`, 'WITHSCORES', 'LIMIT', 0, limit + 1),
      )
      const further = Object.entries(pairs(rest)).map(([key, at]) => ({ key, at: Number(at) }))
      const found = [...tied, ...further]
      const places = found.slice(0, limit)
      const entries = await Promise.all(places.map(({ key }) => entryAt(key)))
      return {
        entries: entries.filter((entry) => entry?.accountId === accountId) as ProtocolEntry[],
        next: found.length > limit ? places.at(-1) : undefined,
      }
    },

    async consume(name, payload) {
      return consume(spentOf({ name }), ...(payload === undefined ? [] : [payload]))
    },

    async takeByUid(tenantId, kind, uid) {
      const key = await answered('get', client.get(keyOf('u', tenantId, kind, uid)))
      if (key === null) return undefined
      const found = (await scripts.take(key, uid, now())) as string[]
      return toEntry(pairs(found))
    },

    async delete(name) {
      await remove(entryKey(name))
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

    beginAttempt,
    endAttempt,

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
