import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/bcrypt'
import PQueue from 'p-queue'
import { ServiceError } from './errors.ts'

/** Cost of every hash the service makes itself. */
export const STANDARD_COST = 10

/** Who waits for a hash: a person logging in goes before a row of an import. */
export type HashPriority = 'login' | 'import'

/** bcrypt in the order of arrival, with a core left free for everything else. */
export interface PasswordEngine {
  /**
   * bcrypt of `text` at the standard cost.
   *
   * @throws ServiceError `unavailable` when too many calls are waiting.
   */
  hash(text: string, priority: HashPriority): Promise<string>

  /** Whether `text` belongs to the bcrypt `hash`. A malformed hash belongs to nothing. */
  verify(text: string, hash: string): Promise<boolean>

  /** The hash of no password: verifying against it costs what a real verification costs. */
  readonly dummyHash: string

  /** Hashes that run or wait, for health and tests. */
  readonly load: { running: number; waiting: number }
}

export interface PasswordEngineOptions {
  /** Hashes computed at the same time. Default: one less than the cores, at least one. */
  concurrency?: number
  /** Calls that may wait; beyond it they are refused. Default 1,000, about 50 s of work per core. */
  maxWaiting?: number
}

// bcrypt at the standard cost of 32 random bytes that were thrown away.
const DUMMY_HASH = '$2b$10$7yor3i90cR3O9nmRATQy5OroG.S./vNzk2SGBfxnbVr8G1N1hDKBW'

/** Makes the password engine; its work runs on libuv's threads. */
export function createPasswordEngine(options: PasswordEngineOptions = {}): PasswordEngine {
  const concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1)
  const maxWaiting = options.maxWaiting ?? 1_000
  const queue = new PQueue({ concurrency })

  async function run<T>(work: () => Promise<T>, priority: HashPriority): Promise<T> {
    if (queue.size >= maxWaiting) {
      throw new ServiceError(
        'unavailable',
        `${queue.size} password hashes are waiting already; try again in a few seconds.`,
        { retryAfterSeconds: 5 },
      )
    }
    return queue.add(work, { priority: priority === 'login' ? 1 : 0 })
  }

  return {
    hash: (text, priority) => run(() => hash(text, { cost: STANDARD_COST }), priority),
    verify: (text, encoded) => run(() => verify(text, encoded), 'login'),
    dummyHash: DUMMY_HASH,
    get load() {
      return { running: queue.pending, waiting: queue.size }
    },
  }
}
