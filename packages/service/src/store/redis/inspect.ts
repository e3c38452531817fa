import { Cluster } from 'ioredis'
import type { RedisConnection } from './connect.ts'
import { answered } from './scripts.ts'

/** The settings of a Redis on which sessions depend. */
export interface RedisFacts {
  /** `host:port`, if it is known. */
  node: string
  /**
   * The `maxmemory-policy`, which decides what Redis deletes when memory is full; `undefined` if
   * Redis does not say.
   */
  evictionPolicy: string | undefined
  /** How many seconds its clock is ahead of this machine's. */
  secondsAhead: number
  /** Whether its data survives a restart. */
  isPersistent: boolean
}

/** The settings of each node that accepts writes. */
export async function inspectRedis(client: RedisConnection): Promise<RedisFacts[]> {
  if (client instanceof Cluster) {
    await answered('ping', client.ping())
    return Promise.all(client.nodes('master').map(factsOf))
  }
  return [await factsOf(client)]
}

type Node = Exclude<RedisConnection, Cluster>

/** Reads `INFO`, because hosted services do not allow `CONFIG`. */
async function factsOf(node: Node): Promise<RedisFacts> {
  const asked = Date.now()
  const [seconds] = await answered('time', node.time())
  // Redis answered at some moment between the two.
  const secondsAhead = Number(seconds) - (asked + Date.now()) / 2_000
  const [memory, persistence] = await Promise.all([
    answered('info', node.info('memory')),
    answered('info', node.info('persistence')),
  ])
  const field = (text: string, name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1]
  const { host, port } = node.options
  const saves = Number(field(persistence, 'rdb_last_save_time') ?? 0)
  return {
    node: `${host}:${port}`,
    evictionPolicy: field(memory, 'maxmemory_policy'),
    secondsAhead,
    isPersistent: field(persistence, 'aof_enabled') === '1' || (await savesSnapshots(node, saves)),
  }
}

/** Whether snapshots are enabled. If Redis does not tell, whether there was one. */
async function savesSnapshots(node: Node, lastSave: number): Promise<boolean> {
  try {
    const [, save] = (await node.config('GET', 'save')) as string[]
    return save !== undefined && save !== ''
  } catch {
    return lastSave > 0
  }
}
