import type { DatabaseSync } from 'node:sqlite'
import { count } from '../../telemetry/metrics.ts'
import { bound } from '../../telemetry/tracing.ts'
import { StoreError } from '../errors.ts'

/** Runs writes one after another. Those that arrive at the same time become durable together. */
export interface GroupCommit {
  /**
   * Runs `work` in a savepoint. If it rejects, only its own changes are undone. Resolves once the
   * outcome is durable.
   *
   * @param work - It may only await queries on this connection. If it awaits nothing, it runs
   *   synchronously, so a read on the same connection never sees half of a group.
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

/** The writes of a group wait for each other, so a group may take only a few milliseconds. */
const MAX_GROUP = 256

/** Makes group commit for a connection without another writer. */
export function createGroupCommit(database: DatabaseSync): GroupCommit {
  const commitGroup = prepareGroup(database)
  const waiting: Job[] = []
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    // Waits for requests that arrive in the same turn of the event loop.
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

/** Commits a group in one transaction, with a savepoint for each job. */
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
          // On a full disk, for example, SQLite itself ends the transaction, and everything is
          // undone.
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
