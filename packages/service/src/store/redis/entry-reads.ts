import type { EntryPlace, ProtocolEntry, ProtocolStore } from '../protocol-store.ts'
import type { Scripted } from './connection.ts'
import { entryKey, keyOf, pairs, toEntry } from './keys.ts'
import { answered } from './scripts.ts'

/**
 * Makes the methods that find entries by their keys and by indexes.
 *
 * A method reads an index first, and then checks the entries that the index names. So an outdated
 * index costs a look-up but never gives a wrong result. `pageByAccount` may miss an entry that gets
 * another key meanwhile.
 */
export function createEntryReads(
  connection: Scripted,
): Pick<ProtocolStore, 'find' | 'findAll' | 'findByUid' | 'listByAccount' | 'pageByAccount'> {
  const { client, scripts, now } = connection

  async function entryAt(key: string | null): Promise<ProtocolEntry | undefined> {
    if (key === null) return undefined
    return unexpired(await answered('hgetall', client.hgetall(key)))
  }

  function unexpired(fields: Record<string, string>): ProtocolEntry | undefined {
    const entry = toEntry(fields)
    return entry && entry.expiresAt > now() ? entry : undefined
  }

  /**
   * The positions of members of an index that expire at the same time as a position, and come after
   * it.
   */
  async function tiedBehind(index: string, { at, key: last }: EntryPlace): Promise<EntryPlace[]> {
    const ending = await answered('zrevrangebyscore', client.zrevrangebyscore(index, at, at))
    return ending.filter((key) => key < last).map((key) => ({ key, at }))
  }

  return {
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
      const name = keyOf('u', tenantId, kind, uid)
      for (let last: string | null = null; ; ) {
        const key = await answered('get', client.get(name))
        const entry = key === last ? undefined : await entryAt(key)
        if (entry?.uid === uid) return entry
        // The entry may have got another key between the two commands.
        if (key === null || key === last) return undefined
        last = key
      }
    },

    async listByAccount(tenantId, kind, accountId) {
      const index = keyOf('a', tenantId, kind, accountId)
      const read = new Set<string>()
      let entries: ProtocolEntry[] = []
      let members = await membersOf(connection, index)
      for (;;) {
        const keys = members.filter((key) => !read.has(key))
        const all = await Promise.all(keys.map(entryAt))
        const found = all.filter((entry) => entry !== undefined)
        for (const key of keys) read.add(key)
        const isEarlier = ({ uid }: ProtocolEntry) => found.some((later) => later.uid === uid)
        entries = entries.filter((one) => one.uid === undefined || !isEarlier(one))
        entries.push(...found.filter((entry) => entry.accountId === accountId))
        const missing = keys.filter((_, at) => all[at] === undefined)
        if (missing.length === 0) return entries
        // A missing entry may have got another key between the two commands. So the index is read
        // again, until each further entry that it names is found.
        const left = await scripts.members([index, ...missing], now())
        members = (left as string[] | undefined) ?? (await membersOf(connection, index))
      }
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
  }
}

/** The members of an index that have not expired. */
export function membersOf({ client, now }: Scripted, index: string): Promise<string[]> {
  return answered('zrangebyscore', client.zrangebyscore(index, `(${now()}`, '+inf'))
}
