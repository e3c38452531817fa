import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { styleText } from 'node:util'
import { limit, slowness } from '../test/support/limits.ts'

/** How a command ended: its exit code, everything it wrote, and how long it took. */
export type Outcome = { code: number; output: string; seconds: number }

/** Where a command runs, in which environment, and how long it may take. */
export interface RunOptions extends Pick<SpawnOptions, 'cwd' | 'env'> {
  /** The limit on an idle machine; it grows with what else the machine does. Default: none. */
  limitSeconds?: number
  /** Ends the command, with code 1, as soon as it has written a text that matches. Default: it goes on to its end. */
  until?: RegExp
}

/** The number of characters at the end of the output that are searched for the text that ends a command. */
const KEPT = 10_000

/**
 * Runs a command to its end, without a terminal and without input. A command that cannot be started
 * ends with code 127 and the reason as its output, so callers see one kind of failure.
 */
export async function run(
  command: string,
  args: readonly string[],
  { limitSeconds, until, ...options }: RunOptions = {},
): Promise<Outcome> {
  const startedAt = performance.now()
  const chunks: Buffer[] = []
  const keep = (chunk: Buffer) => chunks.push(chunk)
  let latest = ''

  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const end = () => {
    child.kill()
    // Processes that it has started may keep them open.
    child.stdout.destroy()
    child.stderr.destroy()
  }
  const endLate = () => {
    keep(Buffer.from(lateness(command, args, limitSeconds ?? 0, startedAt)))
    end()
  }
  const timer = limitSeconds === undefined ? undefined : setTimeout(endLate, limit(limitSeconds))
  if (until) {
    child.stdout.on('data', (chunk: Buffer) => {
      latest = `${latest}${chunk}`.slice(-KEPT)
      if (until.test(latest)) end()
    })
  }
  const code = await once(child, 'close').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => {
      if (typeof code === 'number') return code
      if (!child.killed)
        keep(Buffer.from(`It was ended by ${signal}, which it was sent from outside.`))
      return 1
    },
    (error: Error) => {
      keep(Buffer.from(error.message))
      return 127
    },
  )
  clearTimeout(timer)
  return { code, output: Buffer.concat(chunks).toString(), seconds: secondsSince(startedAt) }
}

/** Says which command has reached its limit, and what to do. */
function lateness(
  command: string,
  args: readonly string[],
  limitSeconds: number,
  startedAt: number,
): string {
  const [line = ''] = [command, ...args].join(' ').trim().split('\n')
  const allowed = (limit(limitSeconds) / 1000).toFixed(0)
  return `
\`${line}\` was ended at its limit of ${allowed} s, after ${secondsSince(startedAt).toFixed(1)} s.
The limit is ${limitSeconds} s on an idle machine, times ${slowness().toFixed(1)} as this one was slower when the run started.
If it became busier since then, run this again; otherwise the command hangs: run it by hand.
`
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}

/**
 * Prints one line for a finished step, and what it wrote when it failed. A failure also sets the
 * exit code of this process.
 *
 * @returns Whether the step succeeded.
 */
export function report(name: string, outcome: Outcome): boolean {
  const passed = outcome.code === 0
  const mark = passed ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  console.log(`${mark}  ${name.padEnd(48)} ${outcome.seconds.toFixed(1)} s`)
  if (!passed) {
    console.log(outcome.output.trimEnd())
    process.exitCode = 1
  }
  return passed
}
