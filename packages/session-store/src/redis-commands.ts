import { type Availability, createAvailability } from './availability.ts'
import { type RedisLink, runScript, type ScriptArgument } from './redis-link.ts'
import type { Script } from './scripts.ts'

/** The commands of a store. All keys get its prefix, and each command has a deadline. */
export interface RedisCommands {
  /** The value of a key. For a list, a hash or another type, a value without a session. */
  get(name: string): Promise<Buffer | null>
  /** Passes the value of a key to `use` at once. */
  read<T>(name: string, use: (value: Buffer | null) => T): Promise<T>
  run(script: Script, name: string, args?: ScriptArgument[]): Promise<unknown>
  /**
   * Runs a script on several keys. `undefined`, and nothing is done, if they are on different servers, as on a Cluster.
   */
  runOnAll(script: Script, names: string[], args: ScriptArgument[]): Promise<unknown[] | undefined>
  /** Yields every name with a prefix, in groups and each only once. */
  scan(start: string): AsyncIterable<string[]>
  readonly health: Availability['health']
}

/** Makes the commands of a store over a connection. */
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

/** A proxy in front of several servers refuses a script on keys of different servers. */
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
