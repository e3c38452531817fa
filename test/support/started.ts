import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What `pnpm start` prints. */
export interface Started {
  application: string
  issuer: string
  /** Where users change how they log in. */
  account: string
  outbox: string
  /** Who can log in: their password by email address. */
  passwords: Record<string, string>
  curl: string
  output: string
  /** Presses Enter; resolves with what is printed. */
  pressEnter(): Promise<string>
  /** Presses Ctrl-C; resolves with the exit code. */
  stop(): Promise<number | null>
  [Symbol.asyncDispose](): Promise<void>
}

/** What an example prints at its start. */
export type StartedExample = Pick<
  Started,
  'application' | 'passwords' | 'output' | 'pressEnter' | 'stop'
> &
  AsyncDisposable

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the script behind `pnpm start`, on a data folder of its own unless one is given. */
export async function startDemo(data?: string, ...more: string[]): Promise<Started> {
  const folder = data ?? mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  const example = await startExample('examples/three-routes/src/start.ts', [
    ...['--data', folder, '--port', '3100', '--service-port', '4500', ...more],
  ])
  const { output } = example

  async function stop(): Promise<number | null> {
    const code = await example.stop()
    if (data === undefined) rmSync(folder, { recursive: true, force: true })
    return code
  }

  return {
    ...example,
    issuer: /Issuer +(\S+)/.exec(output)?.[1] ?? '',
    account: /Account +(\S+)/.exec(output)?.[1] ?? '',
    outbox: /Outbox +(\S+)/.exec(output)?.[1] ?? '',
    curl: /(curl .*)$/m.exec(output)?.[1] ?? '',
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

/**
 * Runs an example as its `start` does, and waits until it has told where it is.
 *
 * @param more - More variables of its environment.
 */
export async function startExample(
  script: string,
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<StartedExample> {
  const child = spawn(process.execPath, ['--conditions=latchkey-source', script, ...args], {
    cwd: root,
    env: { ...process.env, PORT: '3200', ...more },
    stdio: 'pipe',
  })
  const output = await outputUntil(child, 'Ctrl-C')
  const users = [...output.matchAll(/^ +(\S+@\S+) +(.*?) {2,}/gm)]

  async function stop(): Promise<number | null> {
    if (child.exitCode === null) {
      child.kill('SIGINT')
      await new Promise((resolve) => child.once('exit', resolve))
    }
    return child.exitCode
  }

  return {
    application: /ready after .* at (\S+)/.exec(output)?.[1] ?? '',
    passwords: Object.fromEntries(users.map(([, email, password]) => [email, password])),
    output,
    async pressEnter() {
      const printed = once(child.stdout, 'data')
      child.stdin.write('\n')
      return String((await printed)[0]).trim()
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

function outputUntil(child: ChildProcess, mark: string): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      if (output.includes(mark)) resolve(output)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`It ended with ${code}:\n${output}`)))
  })
}
