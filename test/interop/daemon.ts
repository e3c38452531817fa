import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A provider that runs in a process of its own. */
export interface Daemon extends AsyncDisposable {
  /** What it wrote so far. */
  output(): string
}

/** What a daemon is started with. */
export interface DaemonOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  /** Answers once the daemon listens. */
  readonly readyAt: string
}

const START_MS = 30_000
const POLL_MS = 100

/** Starts a daemon and waits until it answers. Disposing it removes its folder. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { command, args, folder, env, readyAt } = options
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env } })
  let output = ''
  child.on('error', (error) => {
    output += String(error)
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-20_000)
    })
  }
  const daemon: Daemon = {
    output: () => output,
    async [Symbol.asyncDispose]() {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  for (let waited = 0; waited < START_MS && child.exitCode === null; waited += POLL_MS) {
    const answer = await fetch(readyAt).catch(() => undefined)
    if (answer) return daemon
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  await daemon[Symbol.asyncDispose]()
  throw new Error(`${command} did not start:\n${output}`)
}

/** A folder for the files of a daemon. */
export function daemonFolder(): string {
  return mkdtempSync(join(tmpdir(), 'latchkey-interop-'))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}
