import type { QueuedMessage } from '../store/protocol-store.ts'
import type { Scope } from './context.ts'

/** A session of a user at the issuer. */
export interface LiveSession {
  id: string
  /** In whole seconds since the epoch. */
  loggedInAt: number
  /** The names of the browser and its system, as far as it sends them. */
  browser: string
  system: string
  /** The applications that the user has logged in to with it. */
  applicationIds: string[]
}

/** Messages that an operator has sent to a user. */
export const requestedMails = ['reset', 'verify', 'invite'] as const

/** One of {@link requestedMails}. */
export type RequestedMail = (typeof requestedMails)[number]

/** A message, as the outbox tells of it: never its content. */
export type MailRecord = Omit<QueuedMessage, 'sealed'>

/** Help of operators for users, beyond the data store. */
export interface Support {
  /** @throws ServiceError `not_found` for an unknown user, as all of these do. */
  sessions(scope: Scope, userId: string): Promise<LiveSession[]>
  /** Ends a session: its applications are told, and its tokens are revoked. */
  endSession(scope: Scope, userId: string, id: string): Promise<LiveSession>
  /** Ends all sessions; answers with those that there were. */
  endSessions(scope: Scope, userId: string): Promise<LiveSession[]>
  /**
   * Sends a message with a new link.
   *
   * @throws ServiceError `conflict` where the link would open nothing, `rate_limited` when too many
   *   messages went to the address.
   */
  sendMail(
    scope: Scope,
    userId: string,
    mail: { kind: RequestedMail; language: 'en' | 'de' },
  ): Promise<MailRecord>
  /** Messages of the last 7 days, the newest first. */
  mails(
    scope: Scope,
    query: {
      userId: string | undefined
      after: { createdAt: number; id: string } | undefined
      limit: number
    },
  ): Promise<MailRecord[]>
  mail(scope: Scope, id: string): Promise<MailRecord>
  /** Sends a message of the same kind with a new link, in place of one that did not arrive. */
  sendAgain(scope: Scope, id: string): Promise<MailRecord>
}
