import { createFairLine } from './fair-line.ts'

/** Runs work when enough memory is free. Tenants take turns. */
export interface MemoryLine {
  /**
   * Runs work once the running work leaves enough memory for it.
   *
   * @param kib - The memory that the work takes, in KiB. More than the total counts as the total.
   * @param refuse - Makes the error for work that is refused because too much is waiting.
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
 * Makes a queue whose work takes at most `totalKib` KiB at once. Work starts in the order of the queue, so that large
 * work is not overtaken again and again.
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
