import { isRecord } from '../shared/records.ts'
import { isScope } from './resources.ts'

const MAX_IMPLYING = 100

/**
 * Whether a value maps scopes to lists of the scopes that they imply, with at most 100 entries
 * each.
 */
export function isImpliedScopes(value: unknown): boolean {
  if (!isRecord(value)) return false
  const all = Object.entries(value)
  return (
    all.length <= MAX_IMPLYING &&
    all.every(([scope, implied]) => {
      return (
        isScope(scope) &&
        Array.isArray(implied) &&
        implied.length <= MAX_IMPLYING &&
        implied.every(isScope)
      )
    })
  )
}

/** The scopes with all scopes that they imply, directly or through other scopes. */
export function withImplied(
  scopes: readonly string[],
  implied: Readonly<Record<string, readonly string[]>> | undefined,
): readonly string[] {
  if (!implied) return scopes
  const all = new Set(scopes)
  // The loop also visits scopes that it adds on the way.
  for (const scope of all) {
    if (!Object.hasOwn(implied, scope)) continue
    for (const one of implied[scope] ?? []) all.add(one)
  }
  return [...all]
}
