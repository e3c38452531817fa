import { type ChainableCommander, Cluster, type Redis } from 'ioredis'
import type { LogMemory } from '../ports.ts'
import type { RedisConnection } from './connect.ts'
import { answered } from './scripts.ts'

// The script that stores an id unless a higher id is stored. Lua's numbers hold ids exactly,
// because ids are below 2^53.
const KEEP_HIGHEST = `local known = tonumber(redis.call('get', KEYS[1]) or '0')
  if tonumber(ARGV[1]) > known then redis.call('set', KEYS[1], ARGV[1]) end
  return 0`

/** The kinds of keys of {@link stateKeys}: entries and their indexes. */
const KINDS = ['e', 'u', 'g', 'a']

/** The number of keys that each step of a scan reads, approximately. */
const SCAN_COUNT = 1_000

/**
 * Makes the record of the highest audit log id of each database. The log of a restored backup ends
 * before this id.
 */
export function createLogMemory(client: RedisConnection): LogMemory {
  const keyOf = (name: string) => `latchkey:log:${name}`
  return {
    async read(name) {
      const text = await answered('get', client.get(keyOf(name)))
      return text === null ? undefined : Number(text)
    },
    async keep(name, id) {
      await answered('eval', client.eval(KEEP_HIGHEST, 1, keyOf(name), id))
    },
    removeState: () => removeState(client),
  }
}

/** Whether Redis has entries or their indexes, of any service. */
export async function hasState(client: RedisConnection): Promise<boolean> {
  for await (const { keys } of stateKeys(client)) if (keys.length > 0) return true
  return false
}

/** Deletes all entries and their indexes, those of other services too. */
export async function removeState(client: RedisConnection): Promise<void> {
  for await (const { node, keys } of stateKeys(client)) {
    if (keys.length === 0) continue
    // Each command has one key, because on a Cluster a command cannot have keys of several slots.
    const pipeline = node.pipeline()
    for (const key of keys) pipeline.unlink(key)
    await answered('unlink', allDone(pipeline.exec()))
  }
}

/** Resolves if each command of a pipeline was successful. Rejects with the first error of one. */
async function allDone(executed: ReturnType<ChainableCommander['exec']>): Promise<void> {
  for (const [error] of (await executed) ?? []) if (error) throw error
}

/** Yields the keys of all entries and their indexes in steps, each with the node that has them. */
async function* stateKeys(
  client: RedisConnection,
): AsyncGenerator<{ node: Redis; keys: string[] }> {
  if (client instanceof Cluster) await answered('ping', client.ping())
  const nodes = client instanceof Cluster ? client.nodes('master') : [client]
  for (const node of nodes) {
    for (let cursor = '0'; ; ) {
      const [next, keys] = await answered(
        'scan',
        node.scan(cursor, 'MATCH', `latchkey:[${KINDS.join('')}]:*`, 'COUNT', SCAN_COUNT),
      )
      yield { node, keys }
      if (next === '0') break
      cursor = next
    }
  }
}
