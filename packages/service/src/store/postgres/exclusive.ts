import pg from 'pg'
import { script } from '../sql/sql.ts'
import type { Connections } from './connections.ts'

/**
 * Runs a task in one process at a time. The lock belongs to a transaction, so that it ends with the
 * process, however that ends, and works through a pooler. The transaction holds nothing else.
 */
export function createExclusive(connections: Connections) {
  return (task: string, work: () => Promise<void>): Promise<boolean> =>
    connections.useForLock(async (run) => {
      await run(script('begin; set local idle_in_transaction_session_timeout = 0'))
      // Without a parameter: the snapshot of a statement with one is held until the next statement, and vacuuming and
      // `create index concurrently` would wait for it.
      const lock = `pg_try_advisory_xact_lock(hashtext('latchkey'), hashtext(${pg.escapeLiteral(task)}))`
      const { rows: taken } = await run(script<{ taken: boolean }>(`select ${lock} as taken`))
      try {
        const isOurs = taken[0]?.taken ?? false
        if (isOurs) await work()
        return isOurs
      } finally {
        await run(script('rollback')).catch(() => {})
      }
    })
}
