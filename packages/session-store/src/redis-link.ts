import type { Script } from './scripts.ts'

/** The arguments of a script, beside its keys. */
export type ScriptArgument = string | Buffer

/** The reason of a connection that was closed, where nothing more is known. */
export const NO_CONNECTION = 'there is no connection'

/** Hears how the connection to Redis fares. */
export interface ConnectionWatcher {
  lost(cause: unknown): void
  ready(): void
}

/** The few operations that any Redis client must offer. */
export interface RedisLink {
  get(key: string): Promise<Buffer | null>
  /** Runs a script that Redis knows. Texts in the answer are bytes. */
  evalSha(script: Script, keys: string[], args: ScriptArgument[]): Promise<unknown>
  eval(script: Script, keys: string[], args: ScriptArgument[]): Promise<unknown>
  /** Every key that begins like this, on all nodes, some at a time; some may come twice. */
  scan(prefix: string): AsyncIterable<string[]>
  /** Whether keys are on several servers, so that a script has one key. */
  readonly isCluster?: boolean
  /** The host and port that it leads to, without a password. */
  readonly address?: string | undefined
  /** Leaves a connection on which nothing has been answered for a while, and makes another. */
  reconnect?(): void
  /** Reports when the connection is lost, cannot be made, or is there. */
  watch?(connection: ConnectionWatcher): void
  /** Closes the connection, if the store made it. */
  close(): Promise<void>
}

/** Runs a script by its name, and sends the script itself where Redis does not know it (any more). */
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

/** The pattern of SCAN for keys that begin with exactly this. */
export function patternOf(prefix: string): string {
  return `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`
}
