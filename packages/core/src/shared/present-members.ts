/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>

/**
 * The members of an object that have a value; the same object if all have one. A provider leaves
 * out a member without a value, or sends null or an empty text. All responses of providers are read
 * through this function, so that these three forms mean the same.
 *
 * @see OpenID Connect Core 1.0 §5.3.2
 */
export function presentMembers<T extends object>(members: T): T {
  const all = Object.entries(members)
  const present = all.filter(([, value]) => value !== null && value !== '')
  return present.length === all.length ? members : (Object.fromEntries(present) as T)
}
