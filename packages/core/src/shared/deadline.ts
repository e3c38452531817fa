const SLICES = 10

/** Timers of Node begin at once when they are set for longer. */
const MAX_MILLISECONDS = 2 ** 31 - 1

/**
 * Runs a function after a time. Only time in which the event loop ran counts: a blocked process,
 * for example one that loads modules at a cold start, cannot read a response that has arrived. The
 * time is made of slices, and a slice that ends late counts as one.
 *
 * @returns A function that ends the wait.
 */
export function afterLoopTime(milliseconds: number, late: () => void): () => void {
  const slice = Math.min(milliseconds, MAX_MILLISECONDS) / SLICES
  let left = SLICES
  let timer: ReturnType<typeof setTimeout>
  const next = (): void => {
    timer = setTimeout(() => {
      left -= 1
      if (left > 0) next()
      // An answer that came during the last slice is read first.
      else setImmediate(late)
    }, slice)
  }
  next()
  return () => clearTimeout(timer)
}
