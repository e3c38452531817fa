import type { Job } from '../../store/jobs.ts'
import { entryOf } from '../writes/audit.ts'
import { nowMicros, type ServiceScope } from '../writes/context.ts'
import { newId } from '../writes/ids.ts'

/**
 * Stores a job on behalf of the scope's actor, and wakes the worker of this process.
 *
 * @param action - The action of an audit entry about the job, which is stored in the same step.
 */
export async function insertJob<J extends Job>(
  scope: ServiceScope,
  job: Omit<J, 'id' | 'actor' | 'createdAt'>,
  action?: string,
): Promise<J> {
  const { context, actor } = scope
  const { name, requestId, address, userAgent } = actor
  const full = {
    ...job,
    id: newId('job', context.clock),
    actor: { name, requestId, address, userAgent },
    createdAt: nowMicros(context.clock),
  } as unknown as J
  await context.store.jobs.insert(
    full,
    action === undefined ? undefined : entryOf(scope, action, full.id),
  )
  context.events.emit('job')
  return full
}
