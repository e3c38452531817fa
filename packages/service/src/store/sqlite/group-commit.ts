import type { DatabaseSync } from 'node:sqlite'
import { count } from '../../telemetry/metrics.ts'
import { bound } from '../../telemetry/tracing.ts'
import { StoreError } from '../errors.ts'

/** Runs writes one after another and makes those that arrive together durable together. */
export interface GroupCommit {
  /**
   * Runs `work` in a savepoint: if it rejects, only its own changes are undone. Resolves once the
   * outcome is durable.
   *
   * @param work - Awaits nothing but queries on this connection. Work without any await runs
   *   synchronously, so a read on the same connection never sees half of a group.
   * @throws StoreError when the transaction could not be committed.
   */
  write<T>(work: () => T | Promise<T>): Promise<T>
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>
}

interface Job {
  work: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/** Each write of a group holds the others up, so a group is kept to a few milliseconds of work. */
const MAX_GROUP = 256

/** Group commit on a connection with no other writer. */
export function createGroupCommit(database: DatabaseSync): GroupCommit {
  const commitGroup = prepareGroup(database)
  const waiting: Job[] = []
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    // Requests that came in with the same turn of the event loop join the group.
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

/** Commits a group in one transaction with a savepoint for each job. */
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
          // SQLite itself ends the transaction on a full disk and the like: then all is undone.
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
