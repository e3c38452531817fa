/**
 * The person who acts for the user, from the claim `act` of a token; `undefined` without that
 * claim. If `act` has no `sub`, the result has an empty `sub`, so that a guard still notices the
 * other person.
 *
 * @see RFC 8693 §4.1
 */
export function actorOf(claims: Readonly<Record<string, unknown>>): { sub: string } | undefined {
  const { act } = claims
  if (act === undefined || act === null) return undefined
  const { sub } = Object(act) as { sub?: unknown }
  return { sub: typeof sub === 'string' ? sub : '' }
}
