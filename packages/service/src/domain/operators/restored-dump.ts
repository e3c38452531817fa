import type { Logger } from 'pino'
import { every } from '../../background/every.ts'
import type { DataStore, LogMemory } from '../../store/ports.ts'
import { noteRestore } from './restores.ts'

/** A restored dump: the audit log ends before an id that Redis has seen. */
export interface RestoredDump {
  /** The last id in the audit log (`ends`), and the highest id that Redis knows of (`past`). */
  ends: number
  past: number
}

/**
 * The interval, in milliseconds, at which the position in the log is stored; and the interval at
 * which a starting process checks whether another one has recorded the restore.
 */
const KEEP_EVERY_MS = 1_000
const LOOK_MS = 100

/**
 * Compares the end of the audit log with the position that Redis remembers. Returns `undefined`
 * unless the log ends before that position.
 */
export async function findRestoredDump(
  store: DataStore,
  memory: Pick<LogMemory, 'read'>,
): Promise<RestoredDump | undefined> {
  const past = (await memory.read(await store.restores.logName())) ?? 0
  const ends = await store.audit.last()
  return past > ends ? { ends, past } : undefined
}

/**
 * Checks for a restored dump. After a restore, the state in Redis is deleted and the restore is
 * recorded. From then on, the position of the audit log is stored in Redis at an interval.
 *
 * @param memory - The connection to Redis. It stays open until the returned object is closed.
 */
export async function watchForRestoredDumps(
  store: DataStore,
  memory: LogMemory,
  logger: Pick<Logger, 'error'> | undefined,
): Promise<{ close(): Promise<void> }> {
  const name = await store.restores.logName()

  async function take(): Promise<void> {
    const dump = await findRestoredDump(store, memory)
    if (!dump) return
    // Before the restore is recorded, so that after a crash in between the next start finds the
    // dump again.
    await memory.removeState()
    await noteRestore(store, { at: Date.now() * 1_000, past: dump.past, keepsAccess: false })
    logger?.error(
      { ...dump },
      'The database is older than what Redis knows of it: a dump was restored, or a failover lost changes. ' +
        'All users are logged out. API keys, operators and endpoints have no effect until you confirm them: ' +
        'latchkey-service confirm',
    )
  }

  while (await findRestoredDump(store, memory)) {
    const isDone = await (store.exclusively?.('restored dump', take) ?? take().then(() => true))
    if (!isDone) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }

  let kept = 0
  async function keep(): Promise<void> {
    if (!(store.audit.mayFollow?.(kept) ?? true)) return
    const newest = await store.audit.newest()
    if (newest > kept) await memory.keep(name, newest)
    kept = newest
  }
  await keep()
  // Failures of the database or Redis are ignored here: requests report them.
  const keeping = every(KEEP_EVERY_MS, keep, () => {})
  return {
    async close() {
      await keeping.close()
      kept = 0
      await keep().catch(() => {})
    },
  }
}
