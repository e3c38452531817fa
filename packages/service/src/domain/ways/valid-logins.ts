import { randomInt } from 'node:crypto'
import type { Micros, User } from '../../store/records.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'

/** The login with which a user acts. Times are in seconds since the epoch. */
export interface Login {
  readonly loggedInAt: number
  /** The end of the user's sessions that this login requested and survived. */
  readonly keptAt?: number | undefined
}

/** A login that asks for the end of all sessions but its own. */
export interface EndingLogin {
  readonly login: Login
  /** The time from which sessions are valid afterwards; see {@link endOfSessions}. */
  readonly at: Micros
}

/**
 * Whether a login at `loggedInAt` (seconds since the epoch) is still valid. It is not if the user
 * is disabled or the user's sessions were ended since.
 *
 * @param keptAt - The end of sessions that this login requested. It survives only that one.
 */
export function isLoginValid(user: User, loggedInAt = 0, keptAt?: number): boolean {
  if (user.disabled) return false
  const isKept = keptAt !== undefined && Math.round(keptAt * 1e6) === user.sessionsValidAfter
  return isKept || Math.round(loggedInAt * 1e6) >= user.sessionsValidAfter
}

/**
 * Whether a login is about to survive an end of sessions: it has stored the time of the end, but
 * the end itself is not written yet. Until then, the login is not valid.
 */
export function isAboutToBeKept(user: User, keptAt?: number): boolean {
  const isAhead = keptAt !== undefined && Math.round(keptAt * 1e6) > user.sessionsValidAfter
  return isAhead && !user.disabled
}

/**
 * The time to store when a session ends all others but itself. Every other end is a whole millisecond. This one is
 * between two milliseconds, so that the kinds can be distinguished.
 */
export function endOfSessions(
  { clock }: Pick<DomainContext, 'clock'>,
  { sessionsValidAfter }: User,
): Micros {
  const part = randomInt(1, 1_000)
  const now = Math.floor(nowMicros(clock) / 1_000) * 1_000
  const last = Math.ceil(sessionsValidAfter / 1_000) * 1_000
  return now > last ? now - 1_000 + part : last + part
}

/** The user with all earlier sessions voided, including those that survived an earlier end. */
export function withoutSessions({ clock }: Pick<DomainContext, 'clock'>, user: User): User {
  const latest = Math.max(nowMicros(clock), user.sessionsValidAfter)
  return { ...user, sessionsValidAfter: Math.ceil(latest / 1_000) * 1_000 }
}
