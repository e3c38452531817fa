import type { DatabaseSync } from 'node:sqlite'

/** Runs writes of one database together in few transactions. */
export interface GroupCommit {
  /** Runs `write` in the next transaction; resolves with its result once that is committed. */
  run<T>(write: () => T): Promise<T>
  /** Commits what is waiting. */
  flush(): void
}

interface Waiting {
  write: () => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Collects all writes of one turn of the event loop and commits them in one transaction, which costs
 * about as much as committing one of them.
 *
 * Reads on the same connection never see half a batch, because a batch runs without giving way.
 * When one write fails, the whole batch is undone and every promise in it rejects.
 */
export function createGroupCommit(database: DatabaseSync): GroupCommit {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let waiting: Waiting[] = []

  function flush(): void {
    const batch = waiting
    if (batch.length === 0) return
    waiting = []
    let results: unknown[]
    try {
      begin.run()
      results = batch.map((item) => item.write())
      commit.run()
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      for (const item of batch) item.reject(error)
      return
    }
    batch.forEach((item, index) => {
      item.resolve(results[index])
    })
  }

  return {
    run<T>(write: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ write, resolve: resolve as Waiting['resolve'], reject })
      })
    },
    flush,
  }
}
