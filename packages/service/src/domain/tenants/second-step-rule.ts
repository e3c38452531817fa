import type { TenantSettings } from '../../store/records.ts'
import { allowedFactors } from '../ways/login-methods.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'
import { instantOfDay } from '../writes/days.ts'

/**
 * The metadata key of a tenant or application with the day from which each login needs a second
 * step, such as `2026-12-31`. The day begins at midnight in UTC. Before that day, users are asked
 * to add a second step, and may postpone this.
 */
export const SECOND_STEP_KEY = 'latchkey_second_step_from'

/** The rule that each login needs a second step. */
export interface SecondStepRule {
  /** The day from which the rule applies. */
  readonly from: string
  /**
   * Whether the rule applies now. Before, users are asked to add a second step, and may postpone
   * this.
   */
  readonly isDue: boolean
}

/**
 * The rule of a tenant and an application, from the days in their metadata. The earliest day
 * decides. Returns `undefined` if no value is a day.
 */
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
 * Whether users can have a second step at all. If they cannot, a rule that requires one would
 * prevent every login.
 */
export function allowsSecondSteps(settings: TenantSettings): boolean {
  return allowedFactors(settings).length > 0
}
