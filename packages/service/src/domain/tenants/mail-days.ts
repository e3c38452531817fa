import type { Background } from '../../background/index.ts'
import type { MailDay } from '../../store/ports.ts'
import type { MessageOutcome } from '../../store/protocol-store.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'
import { DAY_MICROS, MONTH_DAYS } from './activity.ts'

/** The number of days for which counts are kept, including the current day. */
const KEPT_DAYS = MONTH_DAYS + 1

const today = ({ clock }: Pick<DomainContext, 'clock'>) => Math.floor(nowMicros(clock) / DAY_MICROS)

/** Counts a message that was sent or given up, on the current day in UTC. */
export function countMail(
  context: DomainContext,
  tenantId: string,
  outcome: MessageOutcome,
): Promise<void> {
  return context.store.mailDays.add(tenantId, today(context), outcome)
}

/** The counts of a tenant's messages on each of the last 30 days in UTC, the oldest first. */
export async function mailsOfMonth(context: DomainContext, tenantId: string): Promise<MailDay[]> {
  const first = today(context) - MONTH_DAYS + 1
  const found = await context.store.mailDays.list(tenantId, first)
  const days = new Map(found.map((one) => [one.day, one]))
  return Array.from({ length: MONTH_DAYS }, (_, n) => {
    const day = first + n
    return days.get(day) ?? { day, sent: 0, givenUp: 0 }
  })
}

/** The interval, in milliseconds, at which old counts are deleted: a day. */
const PRUNE_MS = DAY_MICROS / 1_000

/**
 * Starts deleting old counts in the background. Resolves after the first deletion; the next ones
 * follow each day.
 */
export async function startMailDayUpkeep(
  context: DomainContext,
  background: Background,
): Promise<void> {
  const prune = () => pruneMailDays(context)
  await background.every(PRUNE_MS, 'pruning the counts of mails', prune).wake()
}

/** Deletes all counts except those of the last 31 days. */
async function pruneMailDays(context: DomainContext): Promise<void> {
  await context.store.mailDays.prune(today(context) - KEPT_DAYS + 1)
}
