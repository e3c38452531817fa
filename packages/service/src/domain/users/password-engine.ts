import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/bcrypt'
import { count, observe, secondsSince } from '../../telemetry/metrics.ts'
import { beginWait } from '../../telemetry/tracing.ts'
import { createFairLine } from '../limits/fair-line.ts'
import { createMemoryLine } from '../limits/memory-line.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'

/** The bcrypt cost of every hash that the service makes. */
export const STANDARD_COST = 10

/** The priority of a hash in the queue. Hashes for logins are computed before those for imports. */
export type HashPriority = 'login' | 'import'

/**
 * The engine that computes password hashes. Tenants take turns. By default, one core stays free for
 * everything else.
 */
export interface PasswordEngine {
  /**
   * Computes bcrypt of `text` at the standard cost.
   *
   * @throws ServiceError `unavailable` when too many calls of the same priority are waiting.
   */
  hash(text: string, priority: HashPriority, tenantId: string): Promise<string>

  /**
   * Whether `text` matches the bcrypt `hash`. Nothing matches a malformed hash. A hash of a lower
   * cost takes as long as {@link dummyHash}, so that the time is the same as for an unknown user.
   *
   * @throws ServiceError `unavailable` when too many logins are waiting.
   */
  verify(text: string, hash: string, tenantId: string): Promise<boolean>

  /**
   * Does the difference in work between verifications at the costs `from` and `to`.
   *
   * @param from - The cost that was verified. A lower cost than the standard one counts as the
   *   standard one, because {@link verify} has done that work.
   * @throws ServiceError `unavailable` when too many logins are waiting.
   */
  makeUp(from: number, to: number, tenantId: string): Promise<void>

  /**
   * Runs other work of a login in the same queue, such as the verification of a legacy password.
   *
   * @param memoryKib - The memory that the work takes, in KiB. The work waits while all work with
   *   memory would together take more than {@link PasswordEngineOptions.memoryKib}. Default 0.
   * @throws ServiceError `unavailable` when too many logins are waiting.
   */
  run<T>(work: () => Promise<T>, tenantId: string, memoryKib?: number): Promise<T>

  /** A hash at the standard cost that no password matches, to verify against for unknown users. */
  readonly dummyHash: string

  /** The numbers of running and waiting hashes, for health and tests. */
  readonly load: { running: number; waiting: number }
}

export interface PasswordEngineOptions {
  /**
   * The maximum number of hashes computed at the same time. Default: one less than the number of
   * cores, at least one.
   */
  concurrency?: number
  /**
   * The maximum number of waiting logins, and separately of waiting imports. If more arrive, a
   * waiting call of the tenant with the most waiting calls is refused. Default 1,000, which is
   * about 50 seconds of work per core.
   */
  maxWaiting?: number
  /**
   * The memory for hashes of other systems that are computed at the same time, in KiB. A hash that
   * needs more memory is computed alone. Default {@link MAX_MEMORY_KIB}.
   */
  memoryKib?: number
}

/**
 * The maximum memory of one verification, in KiB, and the default maximum of all verifications of a
 * process at once: 256 MiB.
 */
export const MAX_MEMORY_KIB = 262_144

// bcrypt at the standard cost of 32 random bytes that were not kept.
const DUMMY_HASH = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

/**
 * Verifies with at least the work of the standard cost, so that the time does not reveal a cheaper
 * hash.
 */
async function verifyPadded(text: string, encoded: string): Promise<boolean> {
  const matches = await verify(text, encoded)
  const cost = Number(/^\$2[aby]\$(\d\d)\$/.exec(encoded)?.[1] ?? STANDARD_COST)
  await pad(cost, STANDARD_COST)
  return matches
}

/**
 * Does the difference in work between the costs `from` and `to`. Each cost doubles the work, so one
 * dummy verification at each cost from `from` to `to - 1` adds up to the difference.
 */
async function pad(from: number, to: number): Promise<void> {
  for (let step = from; step < to; step++) {
    await verify('', DUMMY_HASH.replace('$10$', `$${String(step).padStart(2, '0')}$`))
  }
}

/** Creates the password engine. The hashes are computed on libuv's threads. */
export function createPasswordEngine(options: PasswordEngineOptions = {}): PasswordEngine {
  const concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1)
  const maxWaiting = options.maxWaiting ?? 1_000
  const waiting = {
    login: createFairLine<Job>(maxWaiting),
    import: createFairLine<Job>(maxWaiting),
  }
  const memory = createMemoryLine(options.memoryKib ?? MAX_MEMORY_KIB, maxWaiting)
  let running = 0

  function run<T>(work: () => Promise<T>, priority: HashPriority, tenantId: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const askedAt = performance.now()
      const waitSpan = beginWait('latchkey.password.wait')
      const start = () => {
        running++
        observe('passwordWaits', { priority }, secondsSince(askedAt))
        const startedAt = performance.now()
        waitSpan
          .advance('latchkey.password.hash', work)
          .finally(() => observe('passwordHashes', { priority }, secondsSince(startedAt)))
          .then(resolve, reject)
          .finally(startNext)
      }
      const refuse = () => {
        waitSpan.end()
        reject(tooMany())
      }
      if (running < concurrency) return start()
      const refused = waiting[priority].add(tenantId, { start, refuse })
      refused?.refuse()
    })
  }

  function startNext(): void {
    running--
    const next = waiting.login.take() ?? waiting.import.take()
    next?.start()
  }

  return {
    hash: (text, ...by) => run(() => hash(text, { cost: STANDARD_COST }), ...by),
    verify: (text, encoded, tenantId) => run(() => verifyPadded(text, encoded), 'login', tenantId),
    makeUp: (from, to, tenantId) =>
      run(() => pad(Math.max(from, STANDARD_COST), to), 'login', tenantId),
    run(work, tenantId, memoryKib = 0) {
      const inLine = () => run(work, 'login', tenantId)
      return memoryKib === 0 ? inLine() : memory.run(memoryKib, tenantId, inLine, tooMany)
    },
    dummyHash: DUMMY_HASH,
    get load() {
      return { running, waiting: waiting.login.size + waiting.import.size + memory.waiting }
    },
  }
}

interface Job {
  start(): void
  refuse(): void
}

function tooMany(): ServiceError {
  count('limits', { limit: 'passwordQueue' })
  return new ServiceError('unavailable', reason('passwords_busy'), { retryAfterSeconds: 5 })
}
