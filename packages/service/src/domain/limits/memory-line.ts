import { createFairLine } from './fair-line.ts'

/** Work that waits until the memory that it takes is free, one tenant after the other. */
export interface MemoryLine {
  /**
   * Runs work once all that runs leaves enough memory for it.
   *
   * @param kib - The memory that the work takes, in KiB. More than there is in all counts as all.
   * @param refuse - Makes the error for work that may wait no longer.
   */
  run<T>(kib: number, tenantId: string, work: () => Promise<T>, refuse: () => Error): Promise<T>
  readonly waiting: number
}

interface Waiting {
  kib: number
  begin(): void
  refuse(): void
}

/**
 * Makes a line whose work takes at most `totalKib` KiB at once. Work begins in its order, so one that takes much is not
 * overtaken by others for ever.
 */
export function createMemoryLine(totalKib: number, maxWaiting: number): MemoryLine {
  const line = createFairLine<Waiting>(maxWaiting)
  let used = 0

  function beginNext(): void {
    for (let next = line.peek(); next && used + next.kib <= totalKib; next = line.peek()) {
      line.take()
      used += next.kib
      next.begin()
    }
  }

  return {
    async run(wanted, tenantId, work, refuse) {
      const kib = Math.min(wanted, totalKib)
      await new Promise<void>((resolve, reject) => {
        const waiting = { kib, begin: resolve, refuse: () => reject(refuse()) }
        line.add(tenantId, waiting)?.refuse()
        beginNext()
      })
      try {
        return await work()
      } finally {
        used -= kib
        beginNext()
      }
    },
    get waiting() {
      return line.size
    },
  }
}
