import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../../../test/support/free-port.ts'
import { limit, usual } from '../../../../test/support/limits.ts'
import { redisPath } from '../../../../test/support/redis-server.ts'

/** A Redis of a test, on a loopback port and in a folder of its own. */
export interface TestRedis {
  readonly port: number
  readonly url: string
  readonly process: ChildProcess
  /** A connection to look at it with; one each call. */
  inspect<T>(look: (redis: Redis) => Promise<T>): Promise<T>
  /** Ends the process at once. */
  kill(): Promise<void>
  /** Starts it again on the same port; what it held in memory is gone. */
  restart(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a Redis with more lines of configuration, and waits until it answers. */
export async function startRedis(
  lines: readonly string[] = [],
  {
    port = 0,
    isSentinel = false,
    password = '',
  }: { port?: number; isSentinel?: boolean; password?: string } = {},
): Promise<TestRedis> {
  const chosen = port || (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-redis-'))
  const file = join(folder, 'redis.conf')
  const common = [
    `port ${chosen}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    'daemonize no',
    'rdbcompression no',
  ]
  const memoryOnly = isSentinel ? [] : ['save ""', 'appendonly no', 'repl-diskless-sync-delay 0']
  writeFileSync(file, [...common, ...memoryOnly, ...lines, ''].join('\n'))
  const launch = (): ChildProcess =>
    spawn(redisPath() ?? 'redis-server', [file, ...(isSentinel ? ['--sentinel'] : [])], {
      stdio: 'ignore',
    }).on('error', () => {}) // Then nothing answers, which says so.
  let child = launch()
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
  const redis: TestRedis = {
    port: chosen,
    url: `redis://127.0.0.1:${chosen}`,
    get process() {
      return child
    },
    async inspect(look) {
      const connection = new Redis(chosen, '127.0.0.1', {
        ...{ lazyConnect: true, retryStrategy: null },
        ...(password && { password }),
      })
      connection.on('error', () => {})
      try {
        await connection.connect()
        return await look(connection)
      } finally {
        connection.disconnect()
      }
    },
    kill,
    async restart() {
      await kill()
      child = launch()
      await answering(redis)
    },
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await answering(redis)
  } catch (error) {
    await redis[Symbol.asyncDispose]()
    throw error
  }
  return redis
}

/** Waits until something is true, and says what when it never is. */
export async function until(
  what: string,
  check: () => Promise<boolean> | boolean,
  seconds: number = usual.wait,
): Promise<void> {
  const end = Date.now() + limit(seconds)
  while (Date.now() < end) {
    if (await Promise.resolve(check()).catch(() => false)) return
    await sleep(50)
  }
  throw new Error(`never came about: ${what}`)
}

function answering(redis: TestRedis): Promise<void> {
  return until('Redis answers', async () => (await redis.inspect((r) => r.ping())) === 'PONG')
}
async function startMaster(): Promise<{ master: TestRedis; replica: TestRedis }> {
  const master = await startRedis()
  const replica = await startRedis([`replicaof 127.0.0.1 ${master.port}`])
  await until('the replica follows', async () =>
    (await replica.inspect((r) => r.info('replication'))).includes('master_link_status:up'),
  )
  return { master, replica }
}

/** A master, a replica and one Sentinel that watches them. */
export interface TestSentinel {
  readonly master: TestRedis
  readonly replica: TestRedis
  readonly sentinel: TestRedis
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts them; failover follows half a second after the master has gone. */
export async function startSentinel(): Promise<TestSentinel> {
  const { master, replica } = await startMaster()
  const sentinel = await startRedis(
    [
      `sentinel monitor sessions 127.0.0.1 ${master.port} 1`,
      'sentinel down-after-milliseconds sessions 500',
      'sentinel failover-timeout sessions 3000',
    ],
    { isSentinel: true },
  )
  await until('Sentinel knows the replica', async () => {
    const known = await sentinel.inspect((r) => r.call('sentinel', 'replicas', 'sessions'))
    return (known as unknown[]).length === 1
  })
  return {
    master,
    replica,
    sentinel,
    async [Symbol.asyncDispose]() {
      for (const one of [sentinel, replica, master]) await one[Symbol.asyncDispose]()
    },
  }
}

/** Three masters that share the slots. */
export interface TestCluster {
  readonly nodes: readonly TestRedis[]
  [Symbol.asyncDispose](): Promise<void>
}

const SLOTS = 16_384

/** Starts them and waits until they agree. */
export async function startCluster(): Promise<TestCluster> {
  const lines = ['cluster-enabled yes', 'cluster-node-timeout 2000']
  const nodes = await Promise.all([startRedis(lines), startRedis(lines), startRedis(lines)])
  const [first] = nodes
  for (const [at, node] of nodes.entries()) {
    // Redis 6 has no ADDSLOTSRANGE.
    const slots = Array.from({ length: SLOTS }, (_, slot) => slot)
    const own = slots.filter((slot) => Math.floor((slot * 3) / SLOTS) === at)
    await node.inspect(async (r) => {
      await r.call('cluster', 'addslots', ...own)
      await r.call('cluster', 'meet', '127.0.0.1', first.port)
    })
  }
  await until('the nodes agree', async () => {
    const all = await Promise.all(
      nodes.map((node) => node.inspect((r) => r.call('cluster', 'info') as Promise<string>)),
    )
    return all.every((info) => /state:ok.*known_nodes:3/s.test(info))
  })
  return {
    nodes,
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node[Symbol.asyncDispose]()
    },
  }
}

/** Moves one slot, with its keys, between two nodes while clients use it. */
export async function moveSlot(
  slot: number,
  from: TestRedis,
  to: TestRedis,
  all: readonly TestRedis[],
): Promise<void> {
  const idOf = (node: TestRedis): Promise<string> =>
    node.inspect((r) => r.call('cluster', 'myid') as Promise<string>)
  const [fromId, toId] = [await idOf(from), await idOf(to)]
  await to.inspect((r) => r.call('cluster', 'setslot', slot, 'importing', fromId))
  await from.inspect(async (r) => {
    await r.call('cluster', 'setslot', slot, 'migrating', toId)
    for (;;) {
      const keys = (await r.call('cluster', 'getkeysinslot', slot, 100)) as string[]
      if (keys.length === 0) break
      await r.call('migrate', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys)
    }
  })
  for (const node of [to, from, ...all]) {
    await node.inspect((r) => r.call('cluster', 'setslot', slot, 'node', toId))
  }
}
