import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { startRedis } from '../../../../session-store/test/support/redis.ts'
import { systemClock } from '../../../src/clock.ts'
import type { DataStore } from '../../../src/store/ports.ts'
import { createConnections } from '../../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../../src/store/postgres/data-store.ts'
import { createPostgresQueues } from '../../../src/store/postgres/queue.ts'
import type { ProtocolStore } from '../../../src/store/protocol-store.ts'
import { createRedisProtocolStore } from '../../../src/store/redis/protocol-store.ts'
import { openSqliteDataStore } from '../../../src/store/sqlite/data-store.ts'
import { IN_MEMORY } from '../../../src/store/sqlite/database.ts'
import { createSqliteProtocolStore } from '../../../src/store/sqlite/protocol-store.ts'
import { type Cluster, waitsForOthers } from '../../support/cluster.ts'
import { createDatabase } from '../../support/postgres.ts'

/** Where an issuer of a test keeps what it knows. */
export interface Stores {
  data: DataStore
  protocol: ProtocolStore
  /** Everything that the protocol store holds, as text. */
  dump(): Promise<string>
  close(): Promise<void>
}

export async function openMemoryStores(): Promise<Stores> {
  const data = await openSqliteDataStore(IN_MEMORY)
  const protocol = createSqliteProtocolStore({ path: IN_MEMORY, clock: systemClock })
  // What a memory store keeps is what it was given.
  const given: unknown[] = []
  const recording: ProtocolStore = {
    ...protocol,
    put: (entry) => {
      given.push(entry)
      return protocol.put(entry)
    },
    replace: (entry, payload) => {
      given.push(entry)
      return protocol.replace(entry, payload)
    },
    write: (changes) => {
      given.push(...changes)
      return protocol.write(changes)
    },
    mail: {
      ...protocol.mail,
      add: (mail) => {
        given.push(mail)
        return protocol.mail.add(mail)
      },
    },
  }
  const dump = async () => JSON.stringify(given)
  return {
    data,
    protocol: recording,
    dump,
    async close() {
      await protocol.close()
      await data.close()
    },
  }
}

export async function openSqliteStores(): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-issuer-'))
  const data = await openSqliteDataStore(folder)
  const path = join(folder, 'protocol.db')
  const protocol = createSqliteProtocolStore({ path, clock: systemClock })
  return {
    data,
    protocol,
    dump: async () => (await readFile(path, 'latin1')) + (await readFile(`${path}-wal`, 'latin1')),
    async close() {
      await protocol.close()
      await data.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The stores of one more process of a cluster. */
export function openClusterStores(cluster: Cluster): Stores {
  const stores = openPostgresAndRedis(cluster)
  return { ...stores, data: waitsForOthers(stores.data) }
}

type Servers = Pick<Cluster, 'database' | 'redis'>

let servers: Promise<Servers> | undefined

/** Stores in a database and a Redis that all tests of a file share, made when the first one asks. */
export async function openSharedStores(): Promise<Stores> {
  servers ??= startServers()
  return openPostgresAndRedis(await servers)
}

async function startServers(): Promise<Servers> {
  const [database, redis] = await Promise.all([createDatabase(), startRedis()])
  return { database, redis }
}

/** Ends what {@link openSharedStores} has made. */
export async function endSharedStores(): Promise<void> {
  const started = servers
  // The next file starts its own, also if these could not be had.
  servers = undefined
  const { database, redis } = (await started?.catch(() => undefined)) ?? {}
  await Promise.all([database?.drop(), redis?.[Symbol.asyncDispose]()])
}

function openPostgresAndRedis({ database, redis }: Servers): Stores {
  const connections = createConnections({ url: database.url })
  const data = createPostgresDataStore(connections)
  const queues = createPostgresQueues(connections)
  const protocol = createRedisProtocolStore({ url: redis.url, clock: systemClock, queues })
  return {
    data,
    protocol,
    dump: async () =>
      (await redis.inspect(everything)) +
      JSON.stringify(await database.query('select * from mail')) +
      JSON.stringify(await database.query('select * from notices')),
    async close() {
      await protocol.close()
      await data.close()
    },
  }
}

async function everything(redis: Redis): Promise<string> {
  const dump: string[] = []
  for (const key of await redis.keys('*')) {
    dump.push(key, (await redis.dumpBuffer(key))?.toString('latin1') ?? '')
  }
  return dump.join('\n')
}
