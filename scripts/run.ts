import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { styleText } from 'node:util'

/** How a command ended: its exit code, everything it wrote, and how long it took. */
export type Outcome = { code: number; output: string; seconds: number }

/** Where a command runs, in which environment, and after how many milliseconds it is ended. */
export type RunOptions = Pick<SpawnOptions, 'cwd' | 'env' | 'timeout'>

/**
 * Runs a command to its end, without a terminal and without input. A command that cannot be started
 * ends with code 127 and the reason as its output, so callers see one kind of failure.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const startedAt = performance.now()
  const chunks: Buffer[] = []
  const keep = (chunk: Buffer) => chunks.push(chunk)

  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await once(child, 'close').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => {
      if (typeof code === 'number') return code
      keep(Buffer.from(`ended by ${signal}`))
      return 1
    },
    (error: Error) => {
      keep(Buffer.from(error.message))
      return 127
    },
  )
  const seconds = (performance.now() - startedAt) / 1000
  return { code, output: Buffer.concat(chunks).toString(), seconds }
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
