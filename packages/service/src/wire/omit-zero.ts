/**
 * Copies an object without its zero values: `undefined`, null, false, 0, "", empty objects and
 * empty arrays.
 *
 * @param keep - The names of members that stay with any value.
 * @see Specification, "Conventions for all resources" 3
 */
export function omitZero(
  object: Record<string, unknown>,
  keep: readonly string[] = [],
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (!isZero(value) || keep.includes(name)) kept[name] = value
  }
  return kept
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object') return !value
  if (value === null) return true
  for (const _ in value) return false
  return true
}
