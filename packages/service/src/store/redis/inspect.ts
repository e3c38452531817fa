import { Cluster } from 'ioredis'
import type { RedisConnection } from './connect.ts'
import { answered } from './scripts.ts'

/** How a Redis is set up, as far as sessions depend on it. */
export interface RedisFacts {
  /** `host:port`, where the connection knows it. */
  node: string
  /**
   * The `maxmemory-policy` of Redis, which decides what happens when memory is full; `undefined`
   * where it does not say.
   */
  evictionPolicy: string | undefined
  /** The seconds by which its clock is ahead of that of this machine. */
  secondsAhead: number
  /** Whether its data survives a restart. */
  isPersistent: boolean
}

/** The facts of each node that takes writes. */
export async function inspectRedis(client: RedisConnection): Promise<RedisFacts[]> {
  if (client instanceof Cluster) {
    await answered('ping', client.ping())
    return Promise.all(client.nodes('master').map(factsOf))
  }
  return [await factsOf(client)]
}

type Node = Exclude<RedisConnection, Cluster>

/** `INFO` instead of `CONFIG`, which hosted services do not open. */
async function factsOf(node: Node): Promise<RedisFacts> {
  const asked = Date.now()
  const [seconds] = await answered('time', node.time())
  // It answered somewhere between the two.
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

/** Whether snapshots are made; where that may not be asked, that one was made says so. */
async function savesSnapshots(node: Node, lastSave: number): Promise<boolean> {
  try {
    const [, save] = (await node.config('GET', 'save')) as string[]
    return save !== undefined && save !== ''
  } catch {
    return lastSave > 0
  }
}
