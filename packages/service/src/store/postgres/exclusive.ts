import pg from 'pg'
import { script } from '../sql/sql.ts'
import type { Connections } from './connections.ts'

/** The functions that take a lock, for one holder at a time and for any number that share it. */
const LOCKS = {
  exclusive: 'pg_try_advisory_xact_lock',
  shared: 'pg_try_advisory_xact_lock_shared',
}

/**
 * Runs a task in one process at a time, or together with those that share it. The lock belongs to a transaction, so that it ends with the
 * process, however that ends, and works through a pooler. The transaction holds nothing else.
 */
export function createExclusive(
  connections: Connections,
  kind: keyof typeof LOCKS = 'exclusive',
): (task: string, work: () => Promise<void>) => Promise<boolean> {
  return (task, work) =>
    connections.useForLock(async (run) => {
      await run(script('begin; set local idle_in_transaction_session_timeout = 0'))
      // Without a parameter: the snapshot of a statement with one is held until the next statement, and vacuuming and
      // `create index concurrently` would wait for it.
      const lock = `${LOCKS[kind]}(hashtext('latchkey'), hashtext(${pg.escapeLiteral(task)}))`
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
