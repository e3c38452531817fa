import type { Job } from '../../store/jobs.ts'
import { nowMicros, type ServiceScope } from '../writes/context.ts'
import { newId } from '../writes/ids.ts'

/** Stores a job on behalf of the scope's actor, and wakes the worker of this process. */
export async function insertJob<J extends Job>(
  { context, actor }: ServiceScope,
  job: Omit<J, 'id' | 'actor' | 'createdAt'>,
): Promise<J> {
  const { name, requestId, address, userAgent } = actor
  const full = {
    ...job,
    id: newId('job', context.clock),
    actor: { name, requestId, address, userAgent },
    createdAt: nowMicros(context.clock),
  } as unknown as J
  await context.store.jobs.insert(full)
  context.events.emit('job')
  return full
}
