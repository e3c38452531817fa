import { Presets, SingleBar } from 'cli-progress'

/** Shows how an import goes. */
export interface Progress {
  row(state: 'done' | 'rejected'): void
  stop(): void
}

/** A bar on a terminal; nothing elsewhere. It goes to stderr, so that output can be piped. */
export function createProgress(total: number, done: number, rejected: number): Progress {
  if (!process.stderr.isTTY) return { row() {}, stop() {} }
  let failures = rejected
  let rows = done + rejected
  const bar = new SingleBar(
    {
      format:
        '{bar} {percentage}% | {value}/{total} | {rate}/s | {eta_formatted} left | {failures} failed',
      stream: process.stderr,
      etaBuffer: 500,
      hideCursor: true,
      stopOnComplete: true,
    },
    Presets.shades_classic,
  )
  const begun = performance.now()
  const before = rows
  const figures = () => {
    const seconds = (performance.now() - begun) / 1_000
    return { failures, rate: Math.round((rows - before) / Math.max(seconds, 0.001)) }
  }
  bar.start(total, rows, figures())
  return {
    row(state) {
      rows++
      if (state === 'rejected') failures++
      bar.update(rows, figures())
    },
    stop: () => bar.stop(),
  }
}
