import type { DatabaseSync } from 'node:sqlite'
import { count } from '../../telemetry/metrics.ts'
import { bound } from '../../telemetry/tracing.ts'
import { StoreError } from '../errors.ts'

/** Runs writes one after another. Writes that arrive at the same time become durable together. */
export interface GroupCommit {
  /**
   * Runs `work` in a savepoint. If `work` throws or rejects, only its own changes are undone.
   * Settles like `work`, once the group is durable.
   *
   * @param work - A function that awaits only queries on this connection. If no function of a group
   *   awaits a promise, the group runs synchronously, so a read on the same connection never sees
   *   half of a group.
   * @throws StoreError if the transaction cannot be committed.
   */
  write<T>(work: () => T | Promise<T>): Promise<T>
  /** Resolves when no write waits or runs. */
  idle(): Promise<void>
}

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/**
 * The maximum number of writes in a group. The writes of a group wait for each other, so a group
 * may take only a few milliseconds.
 */
const MAX_GROUP = 256

/** Makes group commit for a connection that nothing else writes to. */
export function createGroupCommit(database: DatabaseSync): GroupCommit {
  const commitGroup = prepareGroup(database)
  const waiting: Job[] = []
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    // The group includes writes of requests that arrive in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await commitGroup(waiting.splice(0, MAX_GROUP))
    running = undefined
  }

  return {
    write(work) {
      return new Promise((resolve, reject) => {
        waiting.push({ work: bound(work), resolve, reject })
        running ??= drain()
      })
    },
    async idle() {
      while (running) await running
    },
  }
}

/** Makes the function that commits a group in one transaction, with a savepoint for each job. */
function prepareGroup(database: DatabaseSync): (group: Job[]) => Promise<void> {
  const begin = database.prepare('begin immediate')
  const savepoint = database.prepare('savepoint job')
  const undo = database.prepare('rollback to job')
  const release = database.prepare('release job')
  const commit = database.prepare('commit')

  return async (group) => {
    const settle: (() => void)[] = []
    try {
      begin.run()
      for (const { work, resolve, reject } of group) {
        savepoint.run()
        try {
          const outcome = work()
          const result = outcome instanceof Promise ? await outcome : outcome
          settle.push(() => resolve(result as never))
        } catch (error) {
          // SQLite itself may roll back the transaction, for example on a full disk. All writes of
          // the group fail in this case.
          if (!database.isTransaction) throw error
          undo.run()
          settle.push(() => reject(error))
        }
        release.run()
      }
      commit.run()
    } catch (error) {
      if (database.isOpen && database.isTransaction) database.exec('rollback')
      count('storeErrors', { store: 'sqlite' })
      const failure = new StoreError('The database could not commit.', { cause: error })
      for (const { reject } of group) reject(failure)
      return
    }
    for (const tell of settle) tell()
  }
}
