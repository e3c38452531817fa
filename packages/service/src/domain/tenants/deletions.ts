import { setImmediate as turn } from 'node:timers/promises'
import type { TenantDeletion } from '../../store/ports.ts'
import { entryOf } from '../writes/audit.ts'
import { type DomainContext, exclusively } from '../writes/context.ts'

/**
 * The maximum number of users that one step erases. In SQLite, a step delays other writes by some
 * tens of milliseconds.
 */
const STEP = 100

/** The deleted tenants that still have rows, in the order of deletion. */
export function listDeletions({ store }: Pick<DomainContext, 'store'>): Promise<TenantDeletion[]> {
  return store.tenants.deletions()
}

/** Callbacks for the erasure of deleted tenants. */
export interface ErasureWatch {
  /** Called when the erasure of a tenant begins, after each step, and with `left` 0 at its end. */
  onStep?(deletion: TenantDeletion): void
  /**
   * Whether to stop after the current step. Another process, or this one after a restart,
   * continues.
   */
  isStopped?(): boolean
}

/**
 * Erases the rows of deleted tenants, step by step. The remaining rows are the only state, so a
 * later call continues where a killed process has stopped.
 *
 * @returns `false` if another process is already erasing them.
 */
export async function eraseDeleted(
  context: DomainContext,
  watch: ErasureWatch = {},
): Promise<boolean> {
  if ((await listDeletions(context)).length === 0) return true
  return exclusively(context, 'erase-tenants', async () => {
    for (;;) {
      const [deletion] = await listDeletions(context)
      if (!deletion || watch.isStopped?.()) return
      await eraseOne(context, deletion, watch)
    }
  })
}

async function eraseOne(
  context: DomainContext,
  deletion: TenantDeletion,
  watch: ErasureWatch,
): Promise<void> {
  const { id } = deletion
  const scope = { context, actor: { name: 'service' }, tenantId: id }
  let { left } = deletion
  watch.onStep?.(deletion)
  while (!watch.isStopped?.()) {
    const hasMore = await context.store.tenants.erase(id, STEP, entryOf(scope, 'tenant.erase', id))
    left = hasMore ? Math.max(0, left - STEP) : 0
    watch.onStep?.({ ...deletion, left })
    if (!hasMore) return
    await turn()
  }
}
