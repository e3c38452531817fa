import { Cluster, Redis } from 'ioredis'
import { parseRedisAddress } from './address.ts'

/** A connection to one server, to the server that Sentinel names, or to a Cluster. */
export type RedisConnection = Redis | Cluster

/** The maximum time of a command and of connecting, in milliseconds. */
const COMMAND_MS = 2_000

/** The time, in milliseconds, without a response after which a connection with waiting commands is replaced. */
const SILENT_MS = 3_000

/**
 * The time, in milliseconds, after which a Sentinel without a response is passed over. It is half of
 * {@link COMMAND_MS}, so that a command that waits can still be run when the next Sentinel answers.
 */
const SENTINEL_MS = COMMAND_MS / 2

/**
 * Connects to a URL in the form of {@link parseRedisAddress}. A lost connection is reopened
 * automatically; until then, commands fail after a short time.
 *
 * @param commandTimeout - The maximum time of a command, in milliseconds. Default:
 *   {@link COMMAND_MS}.
 * @throws if the URL has another form.
 */
export function connectRedis(text: string, commandTimeout: number = COMMAND_MS): RedisConnection {
  const { kind, nodes, username, password, database, name, hasTls } = parseRedisAddress(text)
  const common = {
    connectTimeout: COMMAND_MS,
    commandTimeout,
    socketTimeout: Math.max(SILENT_MS, commandTimeout),
    maxRetriesPerRequest: 1,
    connectionName: 'latchkey',
    // READONLY: the server has become a replica and did not run the command. `2` reconnects to the
    // URL, and repeats the command.
    reconnectOnError: (error: Error): 2 | false =>
      /(^|-)READONLY /.test(error.message) ? 2 : false,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(hasTls && { tls: {} }),
  }
  const client = connect()
  // Commands report their own failures. Without this listener, a lost connection would end the process.
  client.on('error', () => {})
  return client

  function connect(): RedisConnection {
    if (kind === 'cluster') {
      return new Cluster(nodes, {
        redisOptions: common,
        clusterRetryStrategy: retryAfter,
        slotsRefreshTimeout: COMMAND_MS,
      })
    }
    const single = { ...common, db: database, retryStrategy: retryAfter }
    if (kind === 'sentinel' && name !== undefined) {
      return new Redis({
        ...{ ...single, sentinels: nodes, name },
        sentinelRetryStrategy: retryAfter,
        sentinelCommandTimeout: SENTINEL_MS,
        // Behind Sentinel, ioredis uses `tls` alone for neither of the two connections.
        ...(hasTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
      })
    }
    return new Redis({ ...single, ...nodes[0] })
  }
}

function retryAfter(attempt: number): number {
  return Math.min(50 * attempt, 500)
}
