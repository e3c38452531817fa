import { spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'

/** How long Node takes to start on an idle machine of 2026, in milliseconds. */
const NODE_STARTS = 40

/** Where the processes of one run keep what the first of them measured. */
const VARIABLE = 'LATCHKEY_TEST_SLOWNESS'

/**
 * How many times as long a step takes as on an idle machine, at least 1. It is measured once, when the run starts: by the
 * time in which Node starts, and by the programs that wait for a processor.
 */
export function slowness(): number {
  const measured = Number(process.env[VARIABLE] ?? measure())
  process.env[VARIABLE] = String(measured)
  return measured
}

function measure(): number {
  const started = performance.now()
  spawnSync(process.execPath, ['--eval', ''], { stdio: 'ignore' })
  const waiting = (loadavg()[0] ?? 0) / availableParallelism()
  return Math.max(1, (performance.now() - started) / NODE_STARTS, waiting)
}

/**
 * A time limit in milliseconds. It ends only what hangs, so it is several times what a step takes on an idle machine, and
 * grows with {@link slowness}.
 */
export function limit(seconds: number): number {
  return Math.round(seconds * 1_000 * slowness())
}

/** The limit of a test, of a hook and of a wait for a condition. */
export const usual = { test: 240, hook: 240, wait: 60 } as const
