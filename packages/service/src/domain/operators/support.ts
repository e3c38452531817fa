import type { OperatorUser } from '../../store/ports.ts'
import type { EntryPlace, MessageState, QueuedMessage } from '../../store/protocol-store.ts'
import type {
  Connection,
  Credential,
  Micros,
  Operator,
  Standing,
  Tenant,
  User,
} from '../../store/records.ts'
import type { Obstacle } from '../factors/login-obstacles.ts'
import type { TextLanguage, TextMail } from '../tenants/tenant-texts.ts'
import type { Scope, ServiceScope } from '../writes/context.ts'
import type { Reason } from '../writes/reasons/index.ts'
import type { Impersonation, ImpersonationState } from './impersonations.ts'

/** A session of a user at the issuer. */
export interface LiveSession {
  id: string
  /** The time of the login, in whole seconds since the epoch. */
  loggedInAt: number
  /** The names of the browser and its system, as far as it sends them. */
  browser: string
  system: string
  /** The address of the client that logged in; empty where it is not known. */
  address: string
  /** The applications that the user has logged in to with it. */
  applicationIds: string[]
}

/** Messages that an operator has sent to a user. */
export const requestedMails = ['reset', 'verify', 'invite'] as const

/** One of {@link requestedMails}. */
export type RequestedMail = (typeof requestedMails)[number]

/** A message in the outbox, without its content. */
export type MailRecord = Omit<QueuedMessage, 'sealed'>

/** The place of a message in a list of them. */
export type MailPlace = Pick<QueuedMessage, 'createdAt' | 'id'>

/** A device on which a user is not asked for the second step. */
export interface TrustedDevice {
  id: string
  /** When the user said so. */
  since: Micros
  browser: string
  system: string
}

/** A program that may act on behalf of a user: a client that describes itself, or an application on a device. */
export interface ClientAccess {
  /** Unique among those of the user. */
  id: string
  userId: string
  clientId: string
  /** Whether it is an application of the tenant, to which the user has logged in on a device. */
  isApplication: boolean
  /** The hosts by which the tenant judges it; an application has none. */
  hosts: readonly string[]
  /** The origin that its codes go to; `device` for a program on the user's device. */
  place: string
  /** The name that it claims, or that of the application. */
  name: string | undefined
  since: Micros
  /** When the issuer last issued tokens for it, rounded to the hour. */
  usedAt: Micros | undefined
  /** The scopes that the user has agreed to, of logins and of APIs. */
  scopes: readonly string[]
  /** Those of logins alone. */
  ofLogin: readonly string[]
  /** Those of each API, by its identifier. */
  apis: Readonly<Record<string, readonly string[]>>
}

/** The clients of a host that describe themselves. */
export interface Program {
  host: string
  isBlocked: boolean
  /** Whether the tenant lists the host, which counts under the trust policy `listed`. */
  isListed: boolean
  /** When the host was blocked or unblocked last, within a year. */
  judgedAt: Micros | undefined
  /** When a user has last agreed to one of its clients, within a year. */
  grantedAt: Micros | undefined
}

/** The place of a program in a list: behind a blocked one, or behind one with a grant. */
export type ProgramPlace = { blocked: string } | { granted: EntryPlace | null }

/** The sessions of a user, and the messages that were sent. */
export interface UserState {
  sessions: LiveSession[]
  devices: TrustedDevice[]
  clients: ClientAccess[]
  /** The newest messages of the last 7 days. */
  mails: MailRecord[]
  /** The reasons why the user cannot log in; empty: there are none. */
  obstacles: Obstacle[]
}

/** An endpoint for events that was switched off. */
export interface WebhookSwitchedOff {
  url: string
  /** It answered 410, or has accepted nothing for days. */
  reason: 'gone' | 'failing'
}

/** A change of the role or the tenants of an operator. */
export interface RoleChange {
  operator: Operator
  before: Pick<Operator, 'role' | 'reach'>
  /** The address of the operator who has made the change; `undefined` for the command line. */
  by: string | undefined
}

/** An invitation on its way to an operator. */
export interface MailedInvitation {
  invited: OperatorUser
  link: string
  /** The address of the operator who invites. */
  by: string
  /** Whether the console asks for a second step at each login. */
  isStepForced: boolean
}

/** The answer of a provider to a test of its connection. */
export type ContactResult =
  | {
      readonly kind: 'answered'
      /** Facts of the provider, in sentences. */
      readonly facts: readonly Reason[]
      /** The reasons why logins could fail although it answered. */
      readonly warnings: readonly Reason[]
    }
  | {
      readonly kind: 'failed'
      /** The reason; a text where it is another party's. */
      readonly reason: Reason | string
      /** Whether the service sends no requests to such an address at all. */
      readonly isRefused: boolean
    }

/** A message as its reader would see it. */
export interface MailSample {
  subject: string
  text: string
  html: string
}

/** A login of an operator as a user, with its state now. */
export type ShownImpersonation = Impersonation & { readonly state: ImpersonationState }

/** A form that takes a browser to the domain of a tenant. */
export interface TicketForm {
  readonly action: string
  readonly ticket: string
  /** The address of the user. */
  readonly email: string
}

/** The languages of messages. */
export const mailLanguages = ['en', 'de'] as const

/** One of {@link mailLanguages}. */
export type MailLanguage = (typeof mailLanguages)[number]

/** Help of operators for users, beyond the data store. */
export interface Support {
  /** A message with the texts of a tenant, which need not be stored, the logo from `logoUrl`, and values of an example. */
  sample(
    tenant: Tenant,
    mail: TextMail,
    language: TextLanguage,
    logoUrl: string | undefined,
  ): MailSample
  /**
   * Sends such a message to the operator's own address. Its subject says that it is a test, and its link opens nothing.
   *
   * @throws ServiceError `rate_limited` when too many messages went to the address.
   */
  sendSample(
    scope: Scope,
    sample: { tenant: Tenant; mail: TextMail; language: TextLanguage; to: User },
  ): Promise<void>
  /** Whether mail is sent: without a mail server, all of it is captured. */
  readonly sendsMail: boolean
  /** @throws ServiceError `not_found` for an unknown user, as all of these do. */
  sessions(scope: Scope, userId: string): Promise<LiveSession[]>
  /** Ends a session: its applications get logout tokens, and its tokens are revoked. */
  endSession(scope: Scope, userId: string, id: string): Promise<LiveSession>
  /** Ends all sessions. Resolves to the sessions that were ended. */
  endSessions(scope: Scope, userId: string): Promise<LiveSession[]>
  /**
   * Sends a message with a new link, in the language of the user's `locale` unless another is given.
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
  /** Messages of the last 7 days in a state, the newest first. With `next` there are more. */
  mailsInState(
    scope: Scope,
    query: { state: MessageState | undefined; after: MailPlace | undefined; limit: number },
  ): Promise<{ items: MailRecord[]; next: MailPlace | undefined }>
  mail(scope: Scope, id: string): Promise<MailRecord>
  /**
   * Sends a message of the same kind with a new link, after one that did not arrive. It has the language of that
   * message if its content is still stored; otherwise the user's.
   */
  sendAgain(scope: Scope, id: string): Promise<MailRecord>
  /**
   * Tells the verified address that a user had before, by mail, that an operator has changed it. The message has a link
   * that contests that.
   */
  tellOfMove(scope: Scope, before: User, user: User, standing: Standing): Promise<void>
  /** Tells an operator by mail of another role or other tenants, and who has changed them. */
  tellOfRole(scope: ServiceScope, change: RoleChange): Promise<void>
  /** Sends an operator the link of an invitation, in the language of the operator. */
  mailInvitation(scope: ServiceScope, invitation: MailedInvitation): Promise<void>
  /** Tells the operator who has made an invitation, if it was one, that it was accepted. */
  tellOfAcceptance(scope: ServiceScope, accepted: OperatorUser): Promise<void>
  /** Tells the owners and admins who see the tenant by mail that an endpoint was switched off. */
  tellOfWebhook(scope: Scope, webhook: WebhookSwitchedOff): Promise<void>
  /** The state of a user whose records were read already; it only reads entries that expire. */
  stateOf(tenant: Tenant, user: User, credentials: readonly Credential[]): Promise<UserState>
  /** Has a user asked for the second step on a device again. */
  forgetDevice(scope: Scope, userId: string, id: string): Promise<void>
  /** The programs that may act on behalf of a user, the newest grant first. */
  grants(scope: Scope, userId: string): Promise<ClientAccess[]>
  /** A part of what users have granted to the clients of a host, or to an application on devices, the newest first. */
  grantsTo(
    scope: Scope,
    to: { host: string } | { clientId: string },
    page: { after: EntryPlace | undefined; limit: number },
  ): Promise<{ items: ClientAccess[]; next: EntryPlace | undefined }>
  /** Withdraws the access of a client to a user, and revokes its refresh tokens. Returns the withdrawn access. */
  withdrawAccess(scope: Scope, userId: string, id: string): Promise<ClientAccess>
  /**
   * A part of the programs: the blocked ones by name, then those to which users have granted access
   * within a year, the newest grant first.
   *
   * @param isBlocked - Lists those alone, or the others. Default: both.
   */
  programs(
    scope: Scope,
    isBlocked: boolean | undefined,
    page: { after: ProgramPlace | undefined; limit: number },
  ): Promise<{ items: Program[]; next: ProgramPlace | undefined }>
  /** @throws ServiceError `not_found` for a host that the tenant does not know. */
  program(scope: Scope, host: string): Promise<Program>
  /** Blocks a host, which ends all grants to its clients, or unblocks it. */
  blockProgram(scope: Scope, host: string, isBlocked: boolean): Promise<Program>
  /** The reasons why the user cannot log in now. Empty if there are none. */
  obstacles(scope: Scope, userId: string): Promise<Obstacle[]>
  /** Reads the metadata and the keys of the provider of a connection, which need not be stored. */
  contact(connection: Connection): Promise<ContactResult>
  /** The logins of operators as the user, the newest first. */
  impersonations(scope: Scope, userId: string): Promise<ShownImpersonation[]>
  /**
   * Asks to log in as a user, for a written reason. If the tenant requires that users are asked, the user gets a mail.
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
   * Makes the form that takes the browser of the operator to the tenant. Its ticket is single use, and expires after
   * two minutes.
   */
  impersonate(scope: Scope, by: OperatorUser, userId: string, id: string): Promise<TicketForm>
  /** Ends the login of an operator as the user, or withdraws the request for it. */
  endImpersonation(scope: Scope, userId: string, id: string): Promise<void>
  /** Resets the failed login attempts of the user, and the limit of messages. */
  letTryAgain(scope: Scope, userId: string): Promise<void>
}
