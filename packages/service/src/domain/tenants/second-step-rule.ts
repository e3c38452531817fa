import type { TenantSettings } from '../../store/records.ts'
import { allowedFactors } from '../ways/login-methods.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'
import { instantOfDay } from '../writes/days.ts'

/**
 * The metadata key of a tenant or application with the day from which each login needs a second
 * step, such as `2026-12-31`. The day begins at midnight in UTC. Before that day, users are asked
 * to add one, and may postpone it.
 */
export const SECOND_STEP_KEY = 'latchkey_second_step_from'

/** The rule that each login needs a second step. */
export interface SecondStepRule {
  /** The day from which it holds. */
  readonly from: string
  /** Whether it holds now. Before, users are asked and may postpone it. */
  readonly isDue: boolean
}

/** The rule from the days in the metadata of a tenant and an application. The earliest day decides. */
export function secondStepRule(
  { clock }: Pick<DomainContext, 'clock'>,
  ...days: readonly unknown[]
): SecondStepRule | undefined {
  const [from] = days.filter(isDay).sort()
  const begins = from === undefined ? undefined : instantOfDay(from)
  if (from === undefined || begins === undefined) return undefined
  return { from, isDue: nowMicros(clock) >= begins }
}

/** Whether a value is a day such as `2026-12-31`. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && instantOfDay(value) !== undefined
}

/**
 * Whether users can have a second step at all. Otherwise, the rule would let none of them log in.
 */
export function allowsSecondSteps(settings: TenantSettings): boolean {
  return allowedFactors(settings).length > 0
}
