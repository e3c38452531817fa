import { Presets, SingleBar } from 'cli-progress'

/** The progress display of an import. */
export interface Progress {
  row(state: 'done' | 'rejected'): void
  stop(): void
}

/**
 * Creates a progress bar on stderr, so that stdout can be piped. If stderr is not a terminal,
 * nothing is displayed.
 */
export function createProgress(total: number, done: number, rejected: number): Progress {
  if (!process.stderr.isTTY) return { row() {}, stop() {} }
  let failures = rejected
  let rows = done + rejected
  const bar = new SingleBar(
    {
      format: '{bar} {percentage}% | {value}/{total} | {rate}/s | {left} left | {failures} failed',
      stream: process.stderr,
      // At this size the line fits 80 columns; a longer line would be cut off.
      barsize: 20,
      stopOnComplete: true,
    },
    Presets.shades_classic,
  )
  const begun = performance.now()
  const before = rows
  // Rows are completed a hundred at a time, so the rate is averaged over the whole run.
  const figures = () => {
    const seconds = (performance.now() - begun) / 1_000
    const rate = (rows - before) / Math.max(seconds, 0.001)
    return {
      failures,
      rate: Math.round(rate),
      left: rate > 0 ? duration((total - rows) / rate) : '?',
    }
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

/** Formats a duration, such as `45s`, `2m05s` or `1h02m`. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (number: number): string => String(number).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}m${two(whole % 60)}s`
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}
