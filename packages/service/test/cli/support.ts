import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandEnv } from '../../../../test/support/command-env.ts'

/** The command. */
export const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** How a run of the command ended. */
export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `latchkey-service` to its end, with `env` and nothing else that could be an option. */
export async function run(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const child = start(args, env)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

/** A server that `latchkey-service serve` started. */
export interface Served {
  url: string
  /** Every line it logged so far. */
  log(): string
  /** Sends the signal; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `latchkey-service serve` on a free port until it listens. */
export async function serve(args: string[], env: Record<string, string> = {}): Promise<Served> {
  const child = start(['serve', '--port', '0', ...args], env)
  let log = ''
  const port = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      log += chunk
      const line = log.split('\n').find((text) => text.includes('"msg":"listening"'))
      if (line) resolve(JSON.parse(line).port)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('close', () => reject(new Error(log)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    log: () => log,
    stop(signal = 'SIGTERM') {
      return new Promise((resolve) => {
        child.once('close', resolve)
        child.kill(signal)
      })
    },
  }
}

/** A folder that is removed afterwards. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts the command. */
export function start(args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['--conditions=latchkey-source', main, ...args], {
    env: { ...commandEnv, LATCHKEY_DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
