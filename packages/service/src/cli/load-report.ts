/** The operations of a load test. */
export type Operation = 'login' | 'refresh' | 'api'

/** The names of the operations, in the order in which they are printed. */
const OPERATIONS: readonly Operation[] = ['login', 'refresh', 'api']

/** The measurements of one kind of operation. */
export interface Measured {
  readonly operation: Operation
  readonly done: number
  readonly perSecond: number
  /** The latencies of successful operations, in milliseconds. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /**
   * The number of failures by the code of the error, such as `429` or `temporarily_unavailable`.
   */
  readonly errors: Readonly<Record<string, number>>
}

/** Collects the latencies and errors of a run. */
export class LoadReport {
  readonly #millis: Record<Operation, number[]> = { login: [], refresh: [], api: [] }
  readonly #errors: Record<Operation, Map<string, number>> = {
    login: new Map(),
    refresh: new Map(),
    api: new Map(),
  }

  /**
   * Runs an operation and measures it. Resolves to `undefined` if the operation failed.
   *
   * @param stop - Once this signal is aborted, failed operations are not counted.
   */
  async measure<Result>(
    operation: Operation,
    run: () => Promise<Result>,
    stop: AbortSignal,
  ): Promise<Result | undefined> {
    const startedAt = performance.now()
    try {
      const result = await run()
      this.#millis[operation].push(performance.now() - startedAt)
      return result
    } catch (error) {
      if (stop.aborted) return undefined
      const code = codeOf(error)
      const errors = this.#errors[operation]
      errors.set(code, (errors.get(code) ?? 0) + 1)
      return undefined
    }
  }

  /** The numbers of operations that have succeeded (`done`) and failed so far. */
  counts(): { done: number; failed: number } {
    return {
      done: Object.values(this.#millis).reduce((sum, { length }) => sum + length, 0),
      failed: Object.values(this.#errors).reduce(
        (sum, errors) => sum + [...errors.values()].reduce((all, one) => all + one, 0),
        0,
      ),
    }
  }

  /** The measurements of a run that took this many seconds, by operation. */
  result(seconds: number): Measured[] {
    return OPERATIONS.map((operation) => {
      const sorted = this.#millis[operation].toSorted((a, b) => a - b)
      return {
        operation,
        done: sorted.length,
        perSecond: rounded(sorted.length / seconds),
        p50: percentile(sorted, 0.5),
        p95: percentile(sorted, 0.95),
        p99: percentile(sorted, 0.99),
        errors: Object.fromEntries(this.#errors[operation]),
      }
    })
  }
}

/** An operation that failed. `code` is a status, an OAuth error, or words such as `no code`. */
export class LoadError extends Error {
  readonly code: string

  constructor(code: string) {
    super(`The installation answered ${code}.`)
    this.code = code
  }
}

/** The rows of the printed table. */
export function rowsOf(measured: readonly Measured[]): Record<string, string>[] {
  return measured.map(({ operation, done, perSecond, p50, p95, p99, errors }) => ({
    operation,
    done: String(done),
    'per second': String(perSecond),
    'p50 ms': String(p50),
    'p95 ms': String(p95),
    'p99 ms': String(p99),
    errors:
      Object.entries(errors)
        .map(([code, count]) => `${count} × ${code}`)
        .join(', ') || '0',
  }))
}

function codeOf(error: unknown): string {
  if (error instanceof LoadError) return error.code
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError') return 'timeout'
  return typeof cause?.code === 'string' ? cause.code : 'no answer'
}

/** A percentile of a sorted list, by the nearest rank; 0 for an empty list. */
function percentile(sorted: readonly number[], share: number): number {
  return rounded(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0)
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
