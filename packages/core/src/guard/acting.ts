import type { AuthSession } from '../session/session.ts'
import type { Requirement } from './requirement.ts'

/** The message of a guard that refuses a person who acts for the user. */
export const ACTOR_REFUSED =
  'Another person acts for this user, and the guard lets only the user through.'

/**
 * Returns `actor` if another person acts for the user and the guard refuses that; otherwise
 * `undefined`. A guard refuses with `actor: false`, and if the login is too weak, because that
 * person cannot log in again as the user.
 */
export function actorRefused(
  { act }: Pick<AuthSession, 'act'>,
  { actor }: Pick<Requirement<never, never>, 'actor'>,
  tooWeak: string | undefined,
): 'actor' | undefined {
  return act && (actor === false || tooWeak !== undefined) ? 'actor' : undefined
}
