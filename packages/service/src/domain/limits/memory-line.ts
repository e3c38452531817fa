import { createFairLine } from './fair-line.ts'

/** A queue that runs work when enough memory is free. Tenants take turns. */
export interface MemoryLine {
  /**
   * Runs work as soon as the running work leaves enough memory.
   *
   * @param kib - The memory that the work takes, in KiB. More than the total counts as the total.
   * @param refuse - Makes the error for work that is refused because the queue is full.
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
 * Creates a queue whose running work takes at most `totalKib` KiB. Work starts in the order of the
 * queue, so that large work is not overtaken again and again.
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
