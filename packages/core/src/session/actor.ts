/**
 * The person who acts for the user, by the claim `act` of a token. A claim without a name counts as well, so that a
 * guard never takes such a login for one of the user.
 *
 * @see RFC 8693 §4.1
 */
export function actorOf(claims: Readonly<Record<string, unknown>>): { sub: string } | undefined {
  const { act } = claims
  if (act === undefined || act === null) return undefined
  const { sub } = Object(act) as { sub?: unknown }
  return { sub: typeof sub === 'string' ? sub : '' }
}
