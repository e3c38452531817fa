import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const script = join(import.meta.dirname, 'serve.ts')

/** A service in a process of its own. */
export interface Serving {
  readonly origin: string
  /** As if the power of the process were cut; resolves when it is gone. */
  kill(): Promise<void>
}

/**
 * Serves a data folder from another process.
 *
 * @param fileBlocks - When given, no file of the process grows beyond so many blocks of 512 bytes:
 *   the writes beyond it fail as they do on a full disk.
 */
export async function serveElsewhere(folder: string, fileBlocks?: number): Promise<Serving> {
  const limit = fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks};`
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      `${limit} exec "$0" "$@"`,
      process.execPath,
      '--conditions=latchkey-source',
      script,
      folder,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const port = await firstLine(child)
  return {
    origin: `http://127.0.0.1:${port}`,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout || !child.stderr) throw new Error('The child has no pipes.')
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error(`The child serves nothing: ${complaint}`)
}
