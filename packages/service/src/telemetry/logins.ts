import { count } from './metrics.ts'

/** The outcome of a first step: verified, or the reason why not. */
type Outcome =
  | { kind: 'verified' | 'throttled' | 'needs_link' }
  | { kind: 'refused'; reason: string }

/**
 * Counts a login that ends at its first step. A login that continues is counted when every factor
 * is verified.
 *
 * @param outcome - The outcome of the first step. Its reasons come from a closed list.
 */
export function countRefused(method: string, outcome: Outcome): void {
  if (outcome.kind === 'verified') return
  count('logins', { outcome: outcome.kind === 'refused' ? outcome.reason : outcome.kind, method })
}
