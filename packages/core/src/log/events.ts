import { hash } from 'node:crypto'
import type { LatchkeyError } from '../errors/errors.ts'

/**
 * The names of the events. On Node, the diagnostics channel of an event is `latchkey:` and its
 * name.
 */
export type AuthEventName =
  | 'login.started'
  | 'login.succeeded'
  | 'login.failed'
  | 'login.restarted'
  | 'session.created'
  | 'session.adopted'
  | 'login.new_device'
  | 'session.revoked'
  | 'token.refreshed'
  | 'token.refresh_failed'
  | 'token.refresh_waited'
  | 'user.refresh_failed'
  | 'access.refused'
  | 'access.rehearsed'
  | 'logout.local'
  | 'logout.federated'
  | 'logout.backchannel'
  | 'discovery.refreshed'
  | 'discovery.stale'
  | 'discovery.failed'

/** The facts of an event. They contain no token, code, cookie or name of a user. */
export interface AuthEvent {
  readonly issuer?: string
  /** A hash of issuer and `sub`: the same for every event of a user. */
  readonly user?: string
  /** The code of the error, if the event is a failure. */
  readonly code?: string
  /** The id on the error page that the visitor saw. */
  readonly correlationId?: string
  /**
   * The requirement of a guard that a user did not meet, such as `roles` or `claims.department`.
   */
  readonly failed?: string
  /** The number of sessions or logins that the event is about, if there can be several. */
  readonly count?: number
}

/** Receives an event. The error is for the log only. */
export type Publish = (name: AuthEventName, event: AuthEvent, error?: LatchkeyError) => void

/** The hash by which events name a user. */
export function userHash(issuer: string, sub: string): string {
  return hash('sha256', `${issuer} ${sub}`, 'base64url').slice(0, 22)
}
