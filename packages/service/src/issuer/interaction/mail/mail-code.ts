import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { lookUpApplication } from '../../../domain/applications/applications.ts'
import { entry } from '../../../domain/writes/entries.ts'
import { emailKey } from '../../../store/email-key.ts'
import type { User } from '../../../store/records.ts'
import { type FlowRequest, mailContextOf } from '../flow/flow-request.ts'
import { sendCode } from './messages.ts'

const DIGITS = 8

/** OWASP ASVS 5.0 §6.5.5 allows ten minutes. */
const LIFETIME_SECONDS = 600

/** The user id of a code for an address without an account. */
const NOBODY = 'nobody'

const mailKinds = { first: 'loginCode', second: 'code', address: 'addressCode' } as const

/** The receiver of a code: a user, or a person of whom only the address is known. */
export type Recipient = Pick<User, 'id' | 'email' | 'profile' | 'verifiedAt'>

/** A mailed code. It is stored encrypted under the master key. */
interface MailCode {
  /** Names this code: one that is sent later for the same login is another. */
  id: string
  userId: string
  /** The address as it was typed. */
  email: string
  /** The code itself; `undefined` when its master key is gone. */
  code: string | undefined
}

const codes = entry<MailCode>('MailCode', LIFETIME_SECONDS, {
  member: 'code',
  as: 'sealed',
  purpose: (tenantId, login) => `mail-code:${tenantId}:${login}`,
})

/** A code that was mailed, or seemingly mailed. */
export interface SentCode extends MailCode {
  /** Then it is told no more. */
  isUsed: boolean
}

/** The result of a code that was entered. */
export type MailCodeOutcome = 'right' | 'wrong' | 'expired'

/**
 * Mails a code that is valid only for this login, and invalidates the previous one. Without a user
 * the same work is done, but no message is sent, and the code is not valid.
 *
 * @param login - Names the login, or the session, that the code belongs to.
 * @param purpose - The step of the login that the code is: the message of the first one knows of no
 *   password. `address`: it makes an address the user's own.
 * @returns Whether it was sent; it is not when too many messages went to the address.
 */
export async function mailCode(
  flow: FlowRequest,
  login: string,
  { email, user }: { email: string; user: Recipient | undefined },
  purpose: keyof typeof mailKinds = 'second',
): Promise<boolean> {
  const { context, tenant, applicationId } = flow
  const { domain } = context
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
  const application =
    applicationId && (await lookUpApplication(domain, tenant.id, applicationId))?.name
  const { companyName, domain: host } = tenant.settings
  const values = { code, application: application || companyName || host }
  if (!(await sendCode(context, mailKinds[purpose], mailContextOf(flow), email, user, values)))
    return false
  await codes.put(flow, login, { id: randomUUID(), userId: user?.id ?? NOBODY, email, code })
  return true
}

/** Whether a code was mailed for the login and is still good. */
export async function hasMailCode(flow: FlowRequest, login: string, user: User): Promise<boolean> {
  const sent = await findMailCode(flow, login)
  return sent?.code !== undefined && isFor(sent, user)
}

/**
 * Judges a mailed code, and uses it up. Of any number of attempts at once exactly one succeeds.
 *
 * @param recipient - The user. With an address, the code must have been sent to that one: a user who has left the mailbox
 *   is not proven by it.
 */
export async function judgeMailCode(
  flow: FlowRequest,
  login: string,
  recipient: Pick<User, 'id'> & Partial<Pick<User, 'emailKey'>>,
  entered: string,
): Promise<MailCodeOutcome> {
  const sent = await codes.read(flow, login)
  const code = sent?.value.code
  if (!sent || sent.isSpent || code === undefined || !isFor(sent.value, recipient)) return 'expired'
  const given = Buffer.from(entered.replace(/[\s-]/g, ''))
  const expected = Buffer.from(code)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'wrong'
  // Using an earlier code does not use up a code that was sent meanwhile.
  const isFirst = await codes.spend(flow, login, sent)
  return isFirst ? 'right' : 'expired'
}

function isFor(
  { userId, email }: MailCode,
  { id, emailKey: key }: Parameters<typeof judgeMailCode>[2],
): boolean {
  return userId === id && (key === undefined || emailKey(email) === key)
}

/** The code that was mailed last for the login. */
export async function findMailCode(
  flow: FlowRequest,
  login: string,
): Promise<SentCode | undefined> {
  const sent = await codes.read(flow, login)
  if (!sent) return undefined
  const { value, isSpent: isUsed } = sent
  return { ...value, isUsed, code: isUsed ? undefined : value.code }
}

/** Ends a mailed code. */
export async function endMailCode(flow: FlowRequest, login: string): Promise<void> {
  await codes.drop(flow, login)
}
