import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { IdentityServiceOptions } from '../../src/service-options.ts'

const service = join(import.meta.dirname, '../..')

/** A service in a process of its own. */
export interface Serving {
  readonly origin: string
  readonly port: number
  readonly pid: number | undefined
  /** What it reported so far, a JSON object a line. */
  log(): string
  signal(signal: NodeJS.Signals): void
  /** As if the power of the process were cut; resolves when it is gone. */
  kill(): Promise<void>
  /** Lets it finish what is under way; resolves when it is gone. */
  stop(): Promise<void>
}

/** What another process serves: options of the service that JSON can say, and the port. */
export type ServeOptions = Omit<IdentityServiceOptions, 'clock' | 'logger' | 'idTokenClaims'> & {
  port?: number
  /** From which level on it reports. Default: `warn`. */
  logLevel?: string
  /** How long it serves on after SIGTERM. */
  drainSeconds?: number
  /** By how many seconds the clock of its machine is ahead. */
  clockSeconds?: number
}

/**
 * Serves from another process, a data folder or by any options.
 *
 * @param fileBlocks - When given, no file of the process grows beyond so many blocks of 512 bytes:
 *   the writes beyond it fail as they do on a full disk.
 * @param release - The folder of another release's service.
 */
export async function serveElsewhere(
  what: string | ServeOptions,
  fileBlocks?: number,
  release = service,
): Promise<Serving> {
  const options: ServeOptions = typeof what === 'string' ? { data: what } : what
  const limit = fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks};`
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      `${limit} exec "$0" "$@"`,
      process.execPath,
      '--conditions=latchkey-source',
      join(release, 'test/store/serve.ts'),
      JSON.stringify(options),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const line = await firstLine(child)
  if (line === undefined) throw new Error(`The child serves nothing: ${log}`)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  return {
    origin: `http://127.0.0.1:${line}`,
    port: Number(line),
    pid: child.pid,
    log: () => log,
    signal: (signal) => void child.kill(signal),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (!child.stdout) throw new Error('The child has no pipes.')
  for await (const line of createInterface({ input: child.stdout })) return line
  return undefined
}
