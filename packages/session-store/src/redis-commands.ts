import { type Availability, createAvailability } from './availability.ts'
import { type RedisLink, runScript, type ScriptArgument } from './redis-link.ts'
import type { Script } from './scripts.ts'

/**
 * The commands of a store. Each key gets the prefix of the store, and each command has a time
 * limit.
 */
export interface RedisCommands {
  /**
   * Reads the value of a key. If the key has a list, a hash or another type, the result is a value
   * that is not a session.
   */
  get(name: string): Promise<Buffer | null>
  /** Reads the value of a key, and passes it to `use` synchronously when the reply arrives. */
  read<T>(name: string, use: (value: Buffer | null) => T): Promise<T>
  run(script: Script, name: string, args?: ScriptArgument[]): Promise<unknown>
  /**
   * Runs a script on several keys. If the keys are on different servers, as on a Cluster, nothing
   * is done and the result is `undefined`.
   */
  runOnAll(script: Script, names: string[], args: ScriptArgument[]): Promise<unknown[] | undefined>
  /** Yields all names with a prefix, in groups. Each name is yielded once. */
  scan(start: string): AsyncIterable<string[]>
  readonly health: Availability['health']
}

/** Creates the commands of a store over a connection. */
export function createRedisCommands(
  link: RedisLink,
  prefix: string,
  timeoutMilliseconds: number,
): RedisCommands {
  const availability = createAvailability(
    timeoutMilliseconds,
    () => link.reconnect?.(),
    link.address,
  )
  link.watch?.(availability.connection)
  let isOneServer = !link.isCluster
  const read: RedisCommands['read'] = (name, use) =>
    availability.run('read', () => link.get(prefix + name), use, foreign)
  return {
    read,
    get: (name) => read(name, same),
    run: (script, name, args) =>
      availability.run('write', () => runScript(link, script, [prefix + name], args), same),
    async runOnAll(script, names, args) {
      if (!isOneServer) return undefined
      const keys = names.map((name) => prefix + name)
      const run = () => runScript(link, script, keys, args).catch(apart)
      const answer = await availability.run('write', run, same)
      isOneServer = answer !== undefined
      return answer as unknown[] | undefined
    },
    async *scan(start) {
      const seen = new Set<string>()
      for await (const keys of link.scan(prefix + start)) {
        const fresh = new Set(keys.filter((key) => !seen.has(key)))
        for (const key of fresh) seen.add(key)
        yield [...fresh].map((key) => key.slice(prefix.length))
      }
    },
    health: () => availability.health(),
  }
}

/**
 * Returns `undefined` for the error of a script whose keys are on different servers, which a proxy
 * in front of several servers sends. Throws any other error.
 */
function apart(error: unknown): undefined {
  if (error instanceof Error && /(^|-)CROSSSLOT /.test(error.message)) return undefined
  throw error
}

const UNREADABLE = Buffer.alloc(2)

function foreign(error: unknown): Buffer | undefined {
  return error instanceof Error && error.message.startsWith('WRONGTYPE') ? UNREADABLE : undefined
}

function same<T>(value: T): T {
  return value
}
