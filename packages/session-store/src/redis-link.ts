import type { Script } from './scripts.ts'

/** The arguments of a script, without its keys. */
export type ScriptArgument = string | Buffer

/** The reason for a lost connection if nothing more is known. */
export const NO_CONNECTION = 'there is no connection'

/** Receives changes of the connection to Redis. */
export interface ConnectionWatcher {
  lost(cause: unknown): void
  ready(): void
}

/** The operations of a Redis client that the store needs. */
export interface RedisLink {
  get(key: string): Promise<Buffer | null>
  /** Runs a script that Redis has cached. Strings in the result are buffers. */
  evalSha(script: Script, keys: string[], args: ScriptArgument[]): Promise<unknown>
  eval(script: Script, keys: string[], args: ScriptArgument[]): Promise<unknown>
  /** Yields all keys with a prefix, of all nodes, in groups. A key may occur twice. */
  scan(prefix: string): AsyncIterable<string[]>
  /**
   * Whether the keys are distributed over several servers, so that a script may have only one key.
   */
  readonly isCluster?: boolean
  /** The host and port of Redis, without a password. */
  readonly address?: string | undefined
  /** Replaces a connection that has not answered for a while. */
  reconnect?(): void
  /** Reports when the connection is lost, cannot be opened, or is ready. */
  watch?(connection: ConnectionWatcher): void
  /** Closes the connection, if the store has opened it. */
  close(): Promise<void>
}

/** Runs a script by its hash, and sends the script itself if Redis has not cached it. */
export async function runScript(
  link: RedisLink,
  script: Script,
  keys: string[],
  args: ScriptArgument[] = [],
): Promise<unknown> {
  try {
    return await link.evalSha(script, keys, args)
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return link.eval(script, keys, args)
  }
}

/** The pattern for SCAN that matches keys with exactly this beginning. */
export function patternOf(prefix: string): string {
  return `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`
}
