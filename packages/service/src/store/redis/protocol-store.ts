import { randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { MessageQueues, ProtocolStore } from '../protocol-store.ts'
import { createAttempts } from './attempts.ts'
import { connectRedis } from './connect.ts'
import type { Scripted } from './connection.ts'
import { createEntryReads } from './entry-reads.ts'
import { createEntryWrites } from './entry-writes.ts'
import { createScripts } from './scripts.ts'

export interface RedisProtocolStoreOptions {
  /** The URL of Redis; see `parseRedisAddress`. */
  url: string
  clock: Clock
  /** The queues of messages. They are in another database, because Redis may lose its data. */
  queues: MessageQueues
}

/** The lifetime of the value that a check writes. */
const CHECK_MILLISECONDS = 1_000

/**
 * Creates a protocol store in Redis or Valkey, for any number of processes.
 *
 * On a Cluster, each step works on one key. On one server, an entry is written with its indexes in
 * one step. A read by an index checks the entries that the index names. So an outdated index costs
 * a look-up but never gives a wrong result.
 */
export function createRedisProtocolStore(options: RedisProtocolStoreOptions): ProtocolStore {
  const client = connectRedis(options.url)
  const connection: Scripted = {
    client,
    scripts: createScripts(client),
    now: () => Math.floor(options.clock.now() * 1000),
  }

  return {
    mail: options.queues.mail,
    notices: options.queues.notices,
    ...createEntryWrites(connection),
    ...createEntryReads(connection),
    ...createAttempts(connection),

    /** Deletes only old messages, because Redis deletes expired entries itself. */
    async prune() {
      await options.queues.prune()
      return 0
    },

    /**
     * Writes as every login does. Redis answers a PING also if its memory is full, if it is a
     * replica, or if the user may not write. On a Cluster, each check tries one of the nodes.
     */
    async check() {
      await connection.scripts.check(`latchkey:check:${randomUUID()}`, CHECK_MILLISECONDS)
    },

    async close() {
      await client.quit().catch(() => client.disconnect())
    },
  }
}
