/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>

/**
 * The members of an object that have a value. Providers write "nothing" in three ways: they leave the member out, or
 * send null or an empty text. Every answer of a provider is read through this function, so that all three are the same.
 *
 * @see OpenID Connect Core 1.0 §5.3.2
 */
export function presentMembers<T extends object>(members: T): T {
  const all = Object.entries(members)
  const present = all.filter(([, value]) => value !== null && value !== '')
  return present.length === all.length ? members : (Object.fromEntries(present) as T)
}
