import type { HeldJob, Job, MoveJob } from '../../store/jobs.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { Move } from '../users/users.ts'
import { entryOf, note } from '../writes/audit.ts'
import { type DomainContext, nowMicros, type Scope, type ServiceScope } from '../writes/context.ts'
import { newId } from '../writes/ids.ts'
import { isKeyGone } from '../writes/key-gone.ts'

/** Makes a job on behalf of the scope's actor. */
export function newJob<J extends Job>(
  { context, actor }: ServiceScope,
  job: Omit<J, 'id' | 'actor' | 'createdAt'>,
): J {
  const { name, requestId, address, userAgent } = actor
  return {
    ...job,
    id: newId('job', context.clock),
    actor: { name, requestId, address, userAgent },
    createdAt: nowMicros(context.clock),
  } as unknown as J
}

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
  const { context } = scope
  const full = newJob(scope, job)
  await context.store.jobs.insert(
    full,
    action === undefined ? undefined : entryOf(scope, action, full.id),
  )
  context.events.emit('job')
  return full
}

/**
 * The job that tells a user of a changed address; `undefined` if the earlier address was not
 * verified. An unverified address may be another person's.
 */
export function moveJob(scope: Scope, move: Move): MoveJob | undefined {
  const { tenantId, context } = scope
  const { id: userId, verifiedAt } = move.before
  if (verifiedAt === undefined) return undefined
  const sealed = context.vault.seal(purpose(userId), JSON.stringify(move))
  return newJob<MoveJob>(scope, {
    ...{ tenantId: SYSTEM_TENANT_ID, kind: 'tell-move', total: 1, state: 'running' },
    work: { tenantId, userId, sealed },
    progress: null,
  })
}

/**
 * Runs a job of {@link moveJob}. Gives the message up if its master key was removed.
 *
 * @param tell - Sends the message.
 */
export async function tellOfMove(
  scope: Scope,
  tell: (scope: Scope, move: Move) => Promise<void>,
  job: HeldJob<MoveJob>,
): Promise<void> {
  const { context } = scope
  const { tenantId, userId, sealed } = job.work
  // A job of an earlier version that has told the user is empty.
  if (sealed === '' || !(await context.store.tenants.get(tenantId))) return
  let text: string
  try {
    text = context.vault.open(purpose(userId), sealed)
  } catch (error) {
    if (!(await isKeyGone(context, error))) throw error
    const { requestId } = job.actor
    const actor = { name: 'service', ...(requestId !== undefined && { requestId }) }
    return note({ context, actor, tenantId }, 'mail.given_up', userId, 'failure')
  }
  await tell({ ...scope, tenantId }, JSON.parse(text) as Move)
}

/** Seals the facts of the messages that are not sent yet under the newest master key. */
export async function resealMoves({ vault, store }: DomainContext): Promise<void> {
  const waiting = await store.jobs.running(SYSTEM_TENANT_ID, 'tell-move')
  for (const { work, ...job } of waiting as MoveJob[]) {
    if (work.sealed === '') continue
    const sealed = vault.reseal(purpose(work.userId), work.sealed)
    if (sealed !== undefined) await store.jobs.setWork({ ...job, work: { ...work, sealed } }, work)
  }
}

const purpose = (userId: string): string => `move:${userId}`
