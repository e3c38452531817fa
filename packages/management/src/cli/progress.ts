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
      format: '{bar} {percentage}% | {value}/{total} | {rate}/s | {left} left | {failures} failed',
      stream: process.stderr,
      // The line fits 80 columns; what does not is cut off.
      barsize: 20,
      stopOnComplete: true,
    },
    Presets.shades_classic,
  )
  const begun = performance.now()
  const before = rows
  // Rows end in hundreds at a time, so the speed is averaged over the whole run.
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

/** Such as `45s`, `2m05s` and `1h02m`. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (number: number): string => String(number).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}m${two(whole % 60)}s`
  return `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}
