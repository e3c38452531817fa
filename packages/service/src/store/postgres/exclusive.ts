import pg from 'pg'
import { script } from '../sql/sql.ts'
import type { Connections } from './connections.ts'

/**
 * The functions of PostgreSQL that take a lock: for one holder, or shared by any number of holders.
 */
const LOCKS = {
  exclusive: 'pg_try_advisory_xact_lock',
  shared: 'pg_try_advisory_xact_lock_shared',
}

/**
 * Makes the function that runs a task if its lock is free. An `exclusive` lock has one holder;
 * `shared` locks of a task can be held at the same time. The function resolves to whether the task
 * ran.
 *
 * The lock belongs to a transaction, which does nothing else. So the lock ends with the process,
 * even after a crash, and works through a connection pooler.
 */
export function createExclusive(
  connections: Connections,
  kind: keyof typeof LOCKS = 'exclusive',
): (task: string, work: () => Promise<void>) => Promise<boolean> {
  return (task, work) =>
    connections.useForLock(async (run) => {
      await run(script('begin; set local idle_in_transaction_session_timeout = 0'))
      // The statement has no parameters. With a parameter, the snapshot would be held until the
      // next statement, and vacuuming and `create index concurrently` would wait for the snapshot.
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
