import { randomInt } from 'node:crypto'
import type { Micros, User } from '../../store/records.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'

/** The login of the user who makes a request. Times are in seconds since the epoch. */
export interface Login {
  readonly loggedInAt: number
  /** The time of an end of sessions that this login requested and survived. */
  readonly keptAt?: number | undefined
}

/** A login that ends all other sessions of its user. */
export interface EndingLogin {
  readonly login: Login
  /** The time before which other sessions are no longer valid; see {@link endOfSessions}. */
  readonly at: Micros
}

/**
 * Whether a login is still valid. A login is not valid if the user is disabled, or the user's
 * sessions were ended after it.
 *
 * @param loggedInAt - The time of the login, in seconds since the epoch.
 * @param keptAt - The time of an end of sessions that this login requested, in the same unit. The
 *   login survives only that end.
 */
export function isLoginValid(user: User, loggedInAt = 0, keptAt?: number): boolean {
  if (user.disabled) return false
  const isKept = keptAt !== undefined && Math.round(keptAt * 1e6) === user.sessionsValidAfter
  return isKept || Math.round(loggedInAt * 1e6) >= user.sessionsValidAfter
}

/**
 * Whether a login is about to survive an end of sessions: the time of the end is stored with the
 * login, but not yet with the user. Until the user has the time, the login is not valid.
 */
export function isAboutToBeKept(user: User, keptAt?: number): boolean {
  const isAhead = keptAt !== undefined && Math.round(keptAt * 1e6) > user.sessionsValidAfter
  return isAhead && !user.disabled
}

/**
 * The time to store when a session ends all other sessions. Every other end of sessions has a time
 * of whole milliseconds. This time is between two milliseconds, so that the two kinds can be
 * distinguished.
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

/** The user after all sessions have ended, including those that survived an earlier end. */
export function withoutSessions({ clock }: Pick<DomainContext, 'clock'>, user: User): User {
  const latest = Math.max(nowMicros(clock), user.sessionsValidAfter)
  return { ...user, sessionsValidAfter: Math.ceil(latest / 1_000) * 1_000 }
}
