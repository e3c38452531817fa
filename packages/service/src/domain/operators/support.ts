import type { OperatorUser } from '../../store/ports.ts'
import type { EntryPlace, MessageState, QueuedMessage } from '../../store/protocol-store.ts'
import type { Connection, Credential, Micros, Operator, Tenant, User } from '../../store/records.ts'
import type { Obstacle } from '../factors/login-obstacles.ts'
import type { TextLanguage, TextMail } from '../tenants/tenant-texts.ts'
import type { Move } from '../users/users.ts'
import type { Scope, ServiceScope } from '../writes/context.ts'
import type { Reason } from '../writes/reasons/index.ts'
import type { Impersonation, ImpersonationState } from './impersonations.ts'

/** A session of a user at the issuer. */
export interface LiveSession {
  id: string
  /** The time of the login, in whole seconds since the epoch. */
  loggedInAt: number
  /** The names of the browser and of its operating system, as far as the browser sends them. */
  browser: string
  system: string
  /** The IP address of the client that logged in; empty if it is not known. */
  address: string
  /** The ids of the applications that the user has logged in to with this session. */
  applicationIds: string[]
}

/** The kinds of messages that an operator can have sent to a user. */
export const requestedMails = ['reset', 'verify', 'invite'] as const

/** One of {@link requestedMails}. */
export type RequestedMail = (typeof requestedMails)[number]

/** A message in the outbox, without its content. */
export type MailRecord = Omit<QueuedMessage, 'sealed'>

/** The position of a message in a list, as a cursor. */
export type MailPlace = Pick<QueuedMessage, 'createdAt' | 'id'>

/** A device on which a user is not asked for the second step. */
export interface TrustedDevice {
  id: string
  /** The time when the user trusted the device. */
  since: Micros
  browser: string
  system: string
}

/**
 * The access of a client to a user. The client has a client metadata document, or is an application
 * on a device.
 */
export interface ClientAccess {
  /** An id that is unique among the accesses of the user. */
  id: string
  userId: string
  clientId: string
  /**
   * Whether the client is an application of the tenant, to which the user has logged in on a
   * device.
   */
  isApplication: boolean
  /** The hosts of the client that the tenant can trust or block. Empty for an application. */
  hosts: readonly string[]
  /**
   * The origin that receives the client's authorization codes; `device` for a program on the user's
   * device.
   */
  place: string
  /** The name that the client claims, or the name of the application. */
  name: string | undefined
  since: Micros
  /** The time when the issuer last issued tokens for the client, rounded to the hour. */
  usedAt: Micros | undefined
  /** All scopes that the user has granted, for logins and for APIs. */
  scopes: readonly string[]
  /** The granted scopes for logins. */
  ofLogin: readonly string[]
  /** The granted scopes for each API, by the API's identifier. */
  apis: Readonly<Record<string, readonly string[]>>
}

/** A host with clients that have client metadata documents. */
export interface Program {
  host: string
  isBlocked: boolean
  /** Whether the tenant's list has the host. The list counts under the trust policy `listed`. */
  isListed: boolean
  /** The time when the host was last blocked or unblocked, within a year. */
  judgedAt: Micros | undefined
  /** The time when a user has last granted access to a client of the host, within a year. */
  grantedAt: Micros | undefined
}

/**
 * A cursor in a list of programs: behind a blocked host, or behind a grant. With `granted: null`,
 * the programs with grants begin.
 */
export type ProgramPlace = { blocked: string } | { granted: EntryPlace | null }

/** The state of a user: sessions, trusted devices, access of clients, messages and obstacles. */
export interface UserState {
  sessions: LiveSession[]
  devices: TrustedDevice[]
  clients: ClientAccess[]
  /** The credentials. A placeholder stands for a legacy password. */
  ways: readonly Credential[]
  /** The newest messages of the last 7 days. */
  mails: MailRecord[]
  /** The reasons why the user cannot log in; empty if the user can log in. */
  obstacles: Obstacle[]
}

/** A webhook endpoint that was switched off. */
export interface WebhookSwitchedOff {
  url: string
  /** `gone`: the endpoint answered 410. `failing`: it has accepted nothing for days. */
  reason: 'gone' | 'failing'
}

/** A change of the role or the tenants of an operator. */
export interface RoleChange {
  operator: Operator
  before: Pick<Operator, 'role' | 'reach'>
  /** The email address of the operator who made the change; `undefined` for the command line. */
  by: string | undefined
}

/** An invitation to mail to an operator. */
export interface MailedInvitation {
  invited: OperatorUser
  link: string
  /** The email address of the operator who invites. */
  by: string
  /** Whether the console asks for a second step at each login. */
  isStepForced: boolean
}

/** The result of testing a connection: the provider answered, or the test failed. */
export type ContactResult =
  | {
      readonly kind: 'answered'
      /** Facts about the provider, in sentences. */
      readonly facts: readonly Reason[]
      /** The reasons why logins could fail although the provider answered. */
      readonly warnings: readonly Reason[]
    }
  | {
      readonly kind: 'failed'
      /** The reason of the failure; a string if another party worded it. */
      readonly reason: Reason | string
      /** Whether the service refuses to send requests to an address of this kind. */
      readonly isRefused: boolean
    }

/** A message as its reader would see it. */
export interface MailSample {
  subject: string
  text: string
  html: string
}

/** A login of an operator as a user, with its current state. */
export type ShownImpersonation = Impersonation & { readonly state: ImpersonationState }

/** A form that sends a browser with an impersonation ticket to the domain of a tenant. */
export interface TicketForm {
  readonly action: string
  readonly ticket: string
  /** The email address of the user. */
  readonly email: string
}

/** The languages of messages. */
export const mailLanguages = ['en', 'de'] as const

/** One of {@link mailLanguages}. */
export type MailLanguage = (typeof mailLanguages)[number]

/** Operations of operators that need more than the data store, such as mail and sessions. */
export interface Support {
  /**
   * Renders a message with the texts of the tenant, the logo from `logoUrl`, and example values.
   * The tenant need not be stored.
   */
  sample(
    tenant: Tenant,
    mail: TextMail,
    language: TextLanguage,
    logoUrl: string | undefined,
  ): MailSample
  /**
   * Sends a sample message to the operator's own address. Its subject says that it is a test, and
   * its link opens nothing.
   *
   * @throws ServiceError `rate_limited` when too many messages went to the address.
   */
  sendSample(
    scope: Scope,
    sample: { tenant: Tenant; mail: TextMail; language: TextLanguage; to: User },
  ): Promise<void>
  /** Whether mail is sent. Without a mail server, every message is captured instead. */
  readonly sendsMail: boolean
  /**
   * The sessions of a user.
   *
   * @throws ServiceError `not_found` for an unknown user, as every method with a required `userId`.
   */
  sessions(scope: Scope, userId: string): Promise<LiveSession[]>
  /** Ends a session: its applications get logout tokens, and its tokens are revoked. */
  endSession(scope: Scope, userId: string, id: string): Promise<LiveSession>
  /** Ends all sessions of a user. Resolves to the sessions that were ended. */
  endSessions(scope: Scope, userId: string): Promise<LiveSession[]>
  /**
   * Sends a message with a new link, in the language of the user's `locale` unless `language` is
   * given.
   *
   * @throws ServiceError `conflict` where the link would open nothing, `rate_limited` when too many
   *   messages went to the address.
   */
  sendMail(
    scope: Scope,
    userId: string,
    mail: { kind: RequestedMail; language?: MailLanguage | undefined },
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
  /**
   * A page of the messages of the last 7 days that are in a state, the newest first. The last page
   * has no `next`.
   */
  mailsInState(
    scope: Scope,
    query: { state: MessageState | undefined; after: MailPlace | undefined; limit: number },
  ): Promise<{ items: MailRecord[]; next: MailPlace | undefined }>
  mail(scope: Scope, id: string): Promise<MailRecord>
  /**
   * Repeats a message that did not arrive, with a new link. The language is that of the earlier
   * message if its content is still stored, otherwise the user's.
   */
  sendAgain(scope: Scope, id: string): Promise<MailRecord>
  /**
   * Notifies a user's earlier, verified address by mail that an operator has changed the address.
   * The message has a link to contest the change.
   */
  tellOfMove(scope: Scope, move: Move): Promise<void>
  /** Tells an operator by mail that their role or tenants have changed, and who changed them. */
  tellOfRole(scope: ServiceScope, change: RoleChange): Promise<void>
  /** Sends an operator the link of an invitation, in the language of the operator. */
  mailInvitation(scope: ServiceScope, invitation: MailedInvitation): Promise<void>
  /**
   * Notifies the operator who made an invitation that the invitation was accepted. An invitation by
   * the command line causes no message.
   */
  tellOfAcceptance(scope: ServiceScope, accepted: OperatorUser): Promise<void>
  /**
   * Sends a mail to the owners and admins who see the tenant: one of its webhooks was switched off.
   */
  tellOfWebhook(scope: Scope, webhook: WebhookSwitchedOff): Promise<void>
  /**
   * The state of a user. The caller passes the tenant, the user and the credentials, so these are
   * not read again.
   */
  stateOf(tenant: Tenant, user: User, credentials: readonly Credential[]): Promise<UserState>
  /** Removes a trusted device, so that the user is asked for the second step on it again. */
  forgetDevice(scope: Scope, userId: string, id: string): Promise<void>
  /** The access that a user has granted to clients, the newest grant first. */
  grants(scope: Scope, userId: string): Promise<ClientAccess[]>
  /**
   * A page of the access that users have granted, the newest first: to the clients of a host, or to
   * an application by logging in on a device.
   */
  grantsTo(
    scope: Scope,
    to: { host: string } | { clientId: string },
    page: { after: EntryPlace | undefined; limit: number },
  ): Promise<{ items: ClientAccess[]; next: EntryPlace | undefined }>
  /**
   * Withdraws the access of a client to a user, and revokes the client's refresh tokens. Resolves
   * to the withdrawn access.
   */
  withdrawAccess(scope: Scope, userId: string, id: string): Promise<ClientAccess>
  /**
   * A page of the programs: the blocked ones by name, followed by those to which users have granted
   * access within a year, the newest grant first.
   *
   * @param isBlocked - `true` lists only the blocked programs, `false` only the others. Default:
   *   both.
   */
  programs(
    scope: Scope,
    isBlocked: boolean | undefined,
    page: { after: ProgramPlace | undefined; limit: number },
  ): Promise<{ items: Program[]; next: ProgramPlace | undefined }>
  /**
   * The program with this host.
   *
   * @throws ServiceError `not_found` for a host that the tenant does not know.
   */
  program(scope: Scope, host: string): Promise<Program>
  /** Blocks a host and ends all grants to its clients, or unblocks the host. */
  blockProgram(scope: Scope, host: string, isBlocked: boolean): Promise<Program>
  /** The reasons why the user cannot log in now; empty if the user can log in. */
  obstacles(scope: Scope, userId: string): Promise<Obstacle[]>
  /**
   * Reads the metadata and the keys of a connection's provider. The connection need not be stored.
   */
  contact(connection: Connection): Promise<ContactResult>
  /** The logins of operators as the user, with their current state, the newest first. */
  impersonations(scope: Scope, userId: string): Promise<ShownImpersonation[]>
  /**
   * Stores an operator's request to log in as a user, with a written reason. If the tenant requires
   * the user's agreement, the user gets a mail.
   *
   * @throws ServiceError where the tenant, the operator or the user does not allow it.
   */
  askToImpersonate(
    scope: Scope,
    by: OperatorUser,
    userId: string,
    reason: string,
  ): Promise<ShownImpersonation>
  /**
   * Makes the form that sends the operator's browser to the tenant's domain. Its ticket is single
   * use, and expires after two minutes.
   */
  impersonate(scope: Scope, by: OperatorUser, userId: string, id: string): Promise<TicketForm>
  /** Ends the login of an operator as the user, or withdraws the request for it. */
  endImpersonation(scope: Scope, userId: string, id: string): Promise<void>
  /** Resets the user's failed login attempts and the limit of messages to the user. */
  letTryAgain(scope: Scope, userId: string): Promise<void>
}
