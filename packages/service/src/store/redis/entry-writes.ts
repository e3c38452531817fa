import type { Change, EntryName, ProtocolEntry, ProtocolStore } from '../protocol-store.ts'
import type { Micros } from '../records.ts'
import type { Scripted } from './connection.ts'
import { membersOf } from './entry-reads.ts'
import { entryKey, keyOf, pairs, toEntry } from './keys.ts'
import { answered } from './scripts.ts'

/**
 * The longest lifetime, in milliseconds, for which PEXPIRE is reliable. Entries with a longer
 * lifetime never expire in Redis.
 */
const FOR_EVER_MS = 1e12

/**
 * Makes the methods that write entries with their indexes, and mark entries as used. On a Cluster,
 * each step works on one key. On one server, an entry is written with its indexes in one step.
 */
export function createEntryWrites(
  connection: Scripted,
): Pick<
  ProtocolStore,
  'write' | 'put' | 'replace' | 'consume' | 'takeByUid' | 'delete' | 'deleteByGrant'
> {
  const { client, scripts, now } = connection

  const { putApart, putAhead, replaceApart, named } = createRowWrites(connection)

  const consume = async ({ key, until, ms }: Spent, ...payload: string[]): Promise<boolean> =>
    (await scripts.consume(key, now(), until, ms, ...payload)) === 1

  const remove = (key: string): Promise<unknown> => answered('del', client.del(key))

  async function write(changes: readonly Change[]): Promise<boolean> {
    const plan = planOf(changes, now())
    const { spent, removed, rows, bound, keys } = plan
    if (keys.length > 1 || bound.length > 0) {
      const made = await scripts.write(keys, ...valuesOf(plan, now()))
      if (made !== undefined) return made === 1
    }
    for (const one of spent) if (!(await consume(one))) return false
    // An answered device login names its grant, and a list of sessions must not miss one that moves.
    const ahead = bound.length > 0 ? rows.filter(({ isNew }) => isNew) : []
    await Promise.all(ahead.map(putAhead))
    if (!(await makeBound(plan))) {
      await Promise.all(ahead.map(({ key }) => remove(key)))
      return false
    }
    const free = <One extends { read: string | undefined }>(all: One[]) =>
      all.filter((one) => !isBound(one))
    await Promise.all([
      ...free(removed).map(({ key }) => remove(key)),
      ...free(rows).flatMap((row) => (ahead.includes(row) ? named(row) : putApart(row))),
    ])
    const shortened = spent.filter(({ ms }) => ms > 0)
    const indexes = rows.flatMap((row) => row.indexes)
    await Promise.all(
      indexes.flatMap((index) =>
        shortened.map(({ key, until }) => scripts.shorten(index, key, until)),
      ),
    )
    return true
  }

  /** Makes the changes with a condition. Stops at the first whose condition is not met. */
  async function makeBound({ removed, rows }: ReturnType<typeof planOf>): Promise<boolean> {
    for (const { key, read } of removed.filter(isBound))
      if ((await scripts.remove(key, now(), read ?? '')) !== 1) return false
    for (const row of rows.filter(isBound))
      if (!(await replaceApart(row, row.read ?? ''))) return false
    return true
  }

  return {
    write,

    async put(entry) {
      await write([{ kind: 'put', entry }])
    },

    replace: (entry, payload) => replaceApart(rowsOf(entry, now()), payload),

    async consume(name, payload) {
      return consume(spentOf({ name }, now()), ...(payload === undefined ? [] : [payload]))
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
      const keys = await membersOf(connection, keyOf('g', tenantId, kind, grantId))
      await Promise.all(keys.map((key) => scripts.deleteOfGrant(key, grantId)))
    },
  }
}

/** Makes the functions that write an entry and its indexes one after the other. */
function createRowWrites({ client, scripts, now }: Scripted) {
  /** Writes an entry and its indexes, whose keys may be on several servers. */
  async function putApart(row: Rows): Promise<void> {
    // All parts are written at once, without a rollback. If a part fails, the caller gets an error
    // and does not hand out the entry.
    await Promise.all([...indexed(row), ...named(row), scripts.put(row.key, row.ms, ...row.fields)])
  }

  /**
   * Writes a new entry and then its indexes, so that an index names it only once it is there. Its
   * `uid` may still be that of a former entry.
   */
  async function putAhead(row: Rows): Promise<void> {
    await scripts.put(row.key, row.ms, ...row.fields)
    await Promise.all(indexed(row))
  }

  /** Like {@link putApart}, unless the entry has changed since the caller read its payload. */
  async function replaceApart(row: Rows, read: string): Promise<boolean> {
    const { key, ms, fields } = row
    if ((await scripts.replace(key, now(), read, ms, ...fields)) !== 1) return false
    await Promise.all([...indexed(row), ...named(row)])
    return true
  }

  function indexed({ key, indexes, ms, expiresAt }: Rows): Promise<unknown>[] {
    return indexes.map((index) => scripts.index(index, key, expiresAt, now(), ms))
  }

  function named({ key, names, ms }: Rows): Promise<unknown>[] {
    return names.map((name) => answered('set', setUntil(name, key, ms)))
  }

  function setUntil(key: string, value: string, ms: number): Promise<unknown> {
    return ms === 0 ? client.set(key, value) : client.set(key, value, 'PX', ms)
  }

  return { putApart, putAhead, replaceApart, named }
}

/** The entries of changes, by the change, and all their Redis keys in the order of the script. */
function planOf(changes: readonly Change[], now: Micros) {
  const spent = changes.flatMap((one) => (one.kind === 'consume' ? [spentOf(one, now)] : []))
  const removed = changes.flatMap((one) =>
    one.kind === 'delete' ? [{ key: entryKey(one.name), read: one.read }] : [],
  )
  const rows = changes.flatMap((one) =>
    one.kind === 'put'
      ? [{ ...rowsOf(one.entry, now), read: one.read, isNew: one.isNew === true }]
      : [],
  )
  const ofRows = rows.flatMap(({ key, indexes, names }) => [key, ...indexes, ...names])
  const keys = [...[...spent, ...removed].map(({ key }) => key), ...ofRows]
  return { spent, removed, rows, bound: [...removed, ...rows].filter(isBound), keys }
}

/** Whether a change depends on the payload that the caller has read. */
function isBound({ read }: { read: string | undefined }): boolean {
  return read !== undefined
}

/** The arguments of the script that makes all changes in one step. */
function valuesOf({ spent, removed, rows, bound, keys }: ReturnType<typeof planOf>, now: Micros) {
  const values = rows.flatMap(({ ms, expiresAt, indexes, names, fields }) => [
    ...[ms, expiresAt, indexes.length, names.length, fields.length],
    ...fields,
  ])
  return [
    ...[now, spent.length, removed.length, bound.length],
    ...spent.flatMap(({ until, ms }) => [until, ms]),
    ...bound.flatMap(({ key, read = '' }) => [keys.indexOf(key) + 1, read]),
    ...values,
  ]
}

type Rows = ReturnType<typeof rowsOf>

/** The Redis keys of an entry, of its indexes and of its `uid`, with the values to store. */
function rowsOf(entry: ProtocolEntry, now: Micros) {
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
    ms: lifetime(expiresAt, now),
    expiresAt,
    fields,
  }
}

/**
 * The time to live in milliseconds, rounded up; 0 means for ever. Reads ignore an entry whose
 * `expiresAt` has passed.
 */
function lifetime(expiresAt: Micros, now: Micros): number {
  const ms = Math.ceil((expiresAt - now) / 1000)
  return ms > FOR_EVER_MS ? 0 : Math.max(1, ms)
}

type Spent = ReturnType<typeof spentOf>

/**
 * The key of an entry to mark as used, and its latest expiry: `until` in microseconds since the
 * epoch, `ms` in milliseconds from now. 0: the expiry stays.
 */
function spentOf(
  { name, keepSeconds }: { name: EntryName; keepSeconds?: number | undefined },
  now: Micros,
) {
  const key = entryKey(name)
  if (keepSeconds === undefined) return { key, until: 0, ms: 0 }
  return { key, until: now + keepSeconds * 1e6, ms: keepSeconds * 1_000 }
}
