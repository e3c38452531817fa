import { Cluster } from 'ioredis'
import type { RedisConnection } from './connect.ts'
import { answered } from './scripts.ts'

/** The facts about a node of Redis on which sessions depend. */
export interface RedisFacts {
  /** The address of the node as `host:port`. */
  node: string
  /**
   * The `maxmemory-policy`, which decides what Redis deletes when memory is full; `undefined` if
   * Redis does not state it.
   */
  evictionPolicy: string | undefined
  /**
   * The number of seconds by which the clock of the node is ahead of this machine's clock; negative
   * if the clock of the node is behind.
   */
  secondsAhead: number
  /** Whether the data of the node survives a restart. */
  isPersistent: boolean
}

/** Reads the facts about each node that accepts writes. */
export async function inspectRedis(client: RedisConnection): Promise<RedisFacts[]> {
  if (client instanceof Cluster) {
    await answered('ping', client.ping())
    return Promise.all(client.nodes('master').map(factsOf))
  }
  return [await factsOf(client)]
}

type Node = Exclude<RedisConnection, Cluster>

/**
 * Reads the facts about a node. They come from `INFO`, because hosted services do not allow
 * `CONFIG`.
 */
async function factsOf(node: Node): Promise<RedisFacts> {
  const asked = Date.now()
  const [seconds] = await answered('time', node.time())
  // Redis read its clock at some moment between the request and the response.
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

/**
 * Whether Redis saves snapshots. If Redis does not allow `CONFIG`, snapshots count as enabled when
 * one was ever saved.
 */
async function savesSnapshots(node: Node, lastSave: number): Promise<boolean> {
  try {
    const [, save] = (await node.config('GET', 'save')) as string[]
    return save !== undefined && save !== ''
  } catch {
    return lastSave > 0
  }
}
