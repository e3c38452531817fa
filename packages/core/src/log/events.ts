import { hash } from 'node:crypto'
import type { LatchkeyError } from '../errors/errors.ts'

/**
 * The names of events, one word each. The names are those of the diagnostics channels, after
 * `latchkey:`.
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

/** The facts of an event; never a token, a code, a cookie or a name. */
export interface AuthEvent {
  readonly issuer?: string
  /** A hash of issuer and sub. It is the same for the same user, and reveals nothing else. */
  readonly user?: string
  /** The code of the error, for what failed. */
  readonly code?: string
  /** Finds the page that a visitor saw. */
  readonly correlationId?: string
  /** The requirement of a guard that a user did not meet, such as `roles` or `claims.department`. */
  readonly failed?: string
  /** How many, for what happens to several at once. */
  readonly count?: number
}

/** Publishes events. The error is only for the log. */
export type Publish = (name: AuthEventName, event: AuthEvent, error?: LatchkeyError) => void

/** The hash that stands for a user in events. */
export function userHash(issuer: string, sub: string): string {
  return hash('sha256', `${issuer} ${sub}`, 'base64url').slice(0, 22)
}
