import { hash, randomUUID } from 'node:crypto'
import { findPassword } from '../../../domain/users/passwords.ts'
import type { Contest } from '../../../domain/users/take-back.ts'
import { holdOf } from '../../../domain/ways/second-operator.ts'
import { type LinkOrigin, originOf, readStanding } from '../../../domain/ways/valid-links.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { idPattern } from '../../../domain/writes/ids.ts'
import { composeMail, type MailKind } from '../../../mail/compose.ts'
import type { Language, TextKey } from '../../../pages/index.ts'
import { translator } from '../../../pages/texts/index.ts'
import { emailKey } from '../../../store/email-key.ts'
import type { QueuedMessage } from '../../../store/protocol-store.ts'
import type { Credential, Micros, Standing, StoredPassword, User } from '../../../store/records.ts'
import type { IssuerContext } from '../../context.ts'
import type { RequestFacts } from '../../requests/request-facts.ts'
import { type EmailToken, issueEmailToken, type Signup, type TokenPurpose } from './email-tokens.ts'
import { issueContestToken, issueUndoToken } from './undo-token.ts'

/** The kinds of messages with a link to `/verify` or `/reset`. */
type LinkKind = Extract<MailKind, 'verify' | 'reset' | 'exists' | 'invite'>

/** The facts about the request that causes a message. */
export interface MailContext {
  facts: RequestFacts
  language: Language
  /** The handle of the login in progress, so that the link continues it. */
  flow?: string | undefined
  applicationId?: string | undefined
  /** The browser in which the login in progress began. */
  browser?: string | undefined
}

const linkOf: { [Kind in LinkKind]: [TokenPurpose, string] } = {
  verify: ['VerifyToken', '/verify'],
  reset: ['ResetToken', '/reset'],
  exists: ['ResetToken', '/reset'],
  invite: ['ResetToken', '/reset'],
}

/**
 * The lifetime of an invitation's link, in seconds. An operator requests it, so the user may open
 * it days later.
 */
const INVITE_SECONDS = 7 * 86_400

/**
 * Sends a message with a link to the user.
 *
 * Without a user, the same work is done, but nothing is sent, so that the time does not tell
 * whether there is an account.
 *
 * @returns The message; `undefined` if too many messages were sent to the address.
 */
export async function sendLink(
  context: IssuerContext,
  kind: keyof typeof linkOf,
  mailContext: MailContext,
  email: string,
  user: User | undefined,
): Promise<QueuedMessage | undefined> {
  if (!(await context.throttle.admitMail(mailContext.facts, email))) return undefined
  const holder = user?.id ?? `nobody-${randomUUID()}`
  const { tenant } = mailContext.facts
  const nobody = { tenantId: tenant.id, id: holder, emailKey: '' }
  const origin = await originOf(context.domain, user ?? nobody)
  if (user && (await isAddressHeld(context, user))) return tellHeld(context, mailContext, user)
  const content = { userId: holder, email: user?.email ?? '', ...origin }
  return postLink(context, kind, mailContext, holder, content, user)
}

/** Whether the user's address waits for the confirmation of a second operator. */
export async function isAddressHeld({ domain }: IssuerContext, user: User): Promise<boolean> {
  const standing = await readStanding(domain, user)
  return holdOf({ user, standing }, nowMicros(domain.clock)) !== undefined
}

/**
 * Notifies the user that a second operator has to confirm the address first. Sent in place of the
 * message that would contain a link or code.
 */
export async function tellHeld(
  context: IssuerContext,
  { facts, language }: MailContext,
  user: User,
): Promise<QueuedMessage> {
  const message = composeMail('held', facts.tenant, user, { language })
  return context.outbox.post(facts.tenant, message, { kind: 'held', userId: user.id })
}

/**
 * Sends the message with the link that creates the account of a sign-up. Every browser has its own
 * link, so that a stranger's sign-up with the address does not invalidate the owner's link.
 */
export async function sendSignupLink(
  context: IssuerContext,
  mailContext: MailContext,
  email: string,
  signup: Signup,
): Promise<void> {
  if (!(await context.throttle.admitMail(mailContext.facts, email))) return
  const key = emailKey(email)
  const holder = `signup-${hash('sha256', `${mailContext.browser} ${key}`, 'base64url')}`
  const content = { signup, emailKey: key, email }
  const to = { email, profile: {}, verifiedAt: undefined }
  await postLink(context, 'verify', mailContext, holder, content, to)
}

async function postLink(
  context: IssuerContext,
  kind: keyof typeof linkOf,
  { facts, language, flow, applicationId, browser }: MailContext,
  holder: string,
  content: EmailToken,
  to: Parameters<typeof composeMail>[2],
): Promise<QueuedMessage> {
  const [purpose, path] = linkOf[kind]
  const token = await issueEmailToken(
    { context, tenant: facts.tenant },
    purpose,
    holder,
    { ...content, flow, applicationId, browser },
    kind === 'invite' ? INVITE_SECONDS : undefined,
  )
  const query = new URLSearchParams({ token, ui_locales: language })
  if (applicationId !== undefined) query.set('application', applicationId)
  const link = `${facts.issuer}${path}?${query}`
  const message = composeMail(kind, facts.tenant, to, { language, link })
  return context.outbox.post(facts.tenant, message, { kind, userId: content.userId })
}

/**
 * Sends the link for a new password to a user who has taken the account back. The limit of messages
 * to an address does not apply, because each undo link causes only one message.
 */
export async function sendRecovery(
  context: IssuerContext,
  mailContext: MailContext,
  user: User,
): Promise<void> {
  const { id: userId, email } = user
  const content = { userId, email, ...(await originOf(context.domain, user)) }
  await postLink(context, 'reset', mailContext, userId, content, user)
}

/** The kinds of changes about which a user gets a message with a link that undoes the change. */
type Change = 'changed' | 'factors' | 'guessed' | 'moved' | 'connected' | 'device'

/** A change of the user's login methods. */
export type FactorChange =
  | { readonly kind: 'added' | 'removed'; readonly way: Credential['kind'] }
  | { readonly kind: 'used' | 'renewed' }

const factorTexts = {
  added: 'mailFactorAddedText',
  removed: 'mailFactorRemovedText',
  used: 'mailRecoveryUsedText',
  renewed: 'mailRecoveryRenewedText',
} as const satisfies Record<FactorChange['kind'], TextKey>

/** The text of a message about a changed login method, with the method's name. */
function factorText(
  change: FactorChange,
  language: Language,
): { text: TextKey; values: Record<string, string> } {
  const text = factorTexts[change.kind]
  if (!('way' in change)) return { text, values: {} }
  return { text, values: { way: translator(language)(nameOfWay(change.way)) } }
}

function nameOfWay(way: Credential['kind']): TextKey {
  if (way === 'password') return 'password'
  return way === 'social' ? 'mailWaySocial' : `factorName_${way}`
}

/** Further facts about a change. */
interface ChangeFacts {
  /** Values in the text of the message. */
  values?: Record<string, string>
  /** The change of the login methods, for `factors`. */
  factor?: FactorChange
  /** The earlier password, if it was changed. */
  password?: StoredPassword | undefined
  /** A time before the change. Default: the beginning of the request. */
  at?: Micros
  /** The state of the account for which the link is valid. Default: the present state. */
  origin?: LinkOrigin
}

/**
 * Notifies the user of a security event. The password, the email address or a login method was
 * changed; the user has logged in on a new device; or a person who knows the password has failed at
 * the second step. The message has a link that restores the account to its state before the change.
 *
 * @param user - The user before the change. The message goes to the email address in this record.
 */
export async function sendNews(
  context: IssuerContext,
  kind: Change,
  { facts, language }: MailContext,
  user: User,
  { values = {}, factor, password: known, at = facts.startedAt, origin }: ChangeFacts = {},
): Promise<void> {
  const { tenant, issuer } = facts
  const { id: userId, email, verifiedAt } = user
  const place = { context: context.domain, tenantId: tenant.id }
  const password = known ?? (await findPassword(place, userId))?.password
  const { moves, rulings } = origin ?? (await originOf(context.domain, user))
  const isMove = kind === 'moved'
  const before = { userId, at, email, verifiedAt, password, moves, rulings, isMove }
  const token = await issueUndoToken({ context, tenant }, before)
  const link = `${issuer}/undo?${new URLSearchParams({ token, ui_locales: language })}`
  const told = factor ? factorText(factor, language) : { values }
  const message = composeMail(kind, tenant, user, { language, link, ...told })
  await context.outbox.post(tenant, message, { kind, userId })
}

/**
 * Notifies an email address that its account was taken back with an undo link, with a link to
 * contest this. The limit of messages to an address does not apply, because each undo link causes
 * only one message.
 */
export async function tellDisplaced(
  context: IssuerContext,
  { facts, language }: MailContext,
  contest: Contest,
): Promise<void> {
  const { tenant, issuer } = facts
  const token = await issueContestToken({ context, tenant }, contest)
  const link = `${issuer}/contest?${new URLSearchParams({ token, ui_locales: language })}`
  const { email, userId } = contest
  const to = { email, profile: {}, verifiedAt: undefined }
  const message = composeMail('displaced', tenant, to, { language, link })
  await context.outbox.post(tenant, message, { kind: 'displaced', userId })
}

/**
 * Notifies a proven email address that an operator has changed it, with a link to contest the
 * change. The link locks the account, and gives it to neither side. If the address is no longer on
 * record, the message has no link.
 */
export async function tellReaddressed(
  context: IssuerContext,
  { facts, language }: MailContext,
  before: User,
  { email }: Pick<User, 'email'>,
  { rulings, readdressed }: Standing,
): Promise<void> {
  const { tenant, issuer } = facts
  const { id: userId } = before
  const left = readdressed?.from.findLast(({ emailKey: key }) => key === before.emailKey)
  const token = left && (await issueContestToken({ context, tenant }, { ...left, userId, rulings }))
  const query = token && new URLSearchParams({ token, ui_locales: language })
  const link = query && `${issuer}/contest?${query}`
  const message = composeMail('movedBySupport', tenant, before, {
    ...{ language, values: { email } },
    ...(link ? { link } : { text: 'mailMovedBySupportPlain' }),
  })
  await context.outbox.post(tenant, message, { kind: 'movedBySupport', userId })
}

/**
 * Notifies the user that the reader of the former address contests the change of the address, and
 * that the account is locked.
 *
 * @param isOfOperator - Whether an operator has changed the address. Otherwise, the user has taken
 *   the account back.
 */
export async function tellContested(
  context: IssuerContext,
  { facts, language }: MailContext,
  user: User,
  isOfOperator: boolean,
): Promise<void> {
  const message = composeMail('contested', facts.tenant, user, {
    language,
    ...(isOfOperator && { text: 'mailContestedSupportText' }),
  })
  await context.outbox.post(facts.tenant, message, { kind: 'contested', userId: user.id })
}

/** Notifies the user that the account was deleted. This cannot be undone. */
export async function sendFarewell(
  context: IssuerContext,
  { facts, language }: MailContext,
  user: User,
): Promise<void> {
  const message = composeMail('deleted', facts.tenant, user, { language })
  await context.outbox.post(facts.tenant, message, { kind: 'deleted', userId: user.id })
}

/**
 * Sends a code. Without a user, the same work is done, but nothing is sent; see {@link sendLink}.
 *
 * @returns `false` if too many messages were sent to the address.
 */
export async function sendCode(
  context: IssuerContext,
  kind: Extract<MailKind, 'code' | 'loginCode' | 'addressCode'>,
  { facts, language }: MailContext,
  email: string,
  user: (NonNullable<Parameters<typeof composeMail>[2]> & { id?: string }) | undefined,
  values: { code: string; application: string },
): Promise<boolean> {
  if (!(await context.throttle.admitMail(facts, email))) return false
  const message = composeMail(kind, facts.tenant, user, { language, values })
  // For an email address from a provider, the id may not be that of an account.
  const userId = idPattern('usr').test(user?.id ?? '') ? user?.id : undefined
  await context.outbox.post(facts.tenant, message, { kind, userId })
  return true
}
