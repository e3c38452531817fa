import pg from 'pg'
import { script } from '../sql/sql.ts'
import type { Connections } from './connections.ts'

/** The functions that take a lock: for one holder only, or shared by any number. */
const LOCKS = {
  exclusive: 'pg_try_advisory_xact_lock',
  shared: 'pg_try_advisory_xact_lock_shared',
}

/**
 * Makes the function that runs a task in one process at a time or, for `shared`, together with others that share it.
 *
 * The lock belongs to a transaction. So it ends with the process, however that ends, and works through a pooler. The
 * transaction does nothing else.
 */
export function createExclusive(
  connections: Connections,
  kind: keyof typeof LOCKS = 'exclusive',
): (task: string, work: () => Promise<void>) => Promise<boolean> {
  return (task, work) =>
    connections.useForLock(async (run) => {
      await run(script('begin; set local idle_in_transaction_session_timeout = 0'))
      // As one text without parameters. With a parameter, the snapshot would be held until the next statement, and
      // vacuuming and `create index concurrently` would wait for it.
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
