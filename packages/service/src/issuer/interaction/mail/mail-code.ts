import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { lookUpApplication } from '../../../domain/applications/applications.ts'
import { entry } from '../../../domain/writes/entries.ts'
import { emailKey } from '../../../store/email-key.ts'
import type { User } from '../../../store/records.ts'
import { type FlowRequest, mailContextOf } from '../flow/flow-request.ts'
import { sendCode } from './messages.ts'

const DIGITS = 8

/** The lifetime of a code, in seconds. OWASP ASVS 5.0 §6.5.5 allows ten minutes. */
const LIFETIME_SECONDS = 600

/** The user id in a code for an address without an account. */
const NOBODY = 'nobody'

const mailKinds = { first: 'loginCode', second: 'code', address: 'addressCode' } as const

/** The receiver of a code: a user, or a person of whom only the address is known. */
export type Recipient = Pick<User, 'id' | 'email' | 'profile' | 'verifiedAt'>

/** A mailed code. Its `code` is stored encrypted under the master key. */
interface MailCode {
  /** The id of this code. A later code for the same login has another id. */
  id: string
  userId: string
  /** The address as the visitor typed it. */
  email: string
  /** The code itself; `undefined` if its master key no longer exists. */
  code: string | undefined
}

const codes = entry<MailCode>('MailCode', LIFETIME_SECONDS, {
  member: 'code',
  as: 'sealed',
  purpose: (tenantId, login) => `mail-code:${tenantId}:${login}`,
})

/** The latest code of a login. Without an account at the address, no message was sent. */
export interface SentCode extends MailCode {
  /** Whether the code was used up. In this case, `code` is `undefined`. */
  isUsed: boolean
}

/** The result of entering a code. */
export type MailCodeOutcome = 'right' | 'wrong' | 'expired'

/**
 * Mails a code that is valid only for this login, and invalidates the previous code. Without a
 * user, the same work is done, but no message is sent, and the code is not valid.
 *
 * @param login - The id of the login or session that the code belongs to.
 * @param purpose - The step that the code is for. `address` proves that an email address is the
 *   user's own. In a first step, the message does not mention a password.
 * @returns `false` if too many messages were sent to the address. In this case, no code was sent.
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

/** Whether a code was mailed for the login and is still valid. */
export async function hasMailCode(flow: FlowRequest, login: string, user: User): Promise<boolean> {
  const sent = await findMailCode(flow, login)
  return sent?.code !== undefined && isFor(sent, user)
}

/**
 * Checks a mailed code, and uses it up if it is right. Only one of several concurrent attempts
 * succeeds.
 *
 * @param recipient - The user. With `emailKey`, the code must have been sent to that address,
 *   because the user may no longer own an earlier one.
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
  // Only this code is used up, and not a code that was sent in the meantime.
  const isFirst = await codes.spend(flow, login, sent)
  return isFirst ? 'right' : 'expired'
}

function isFor(
  { userId, email }: MailCode,
  { id, emailKey: key }: Parameters<typeof judgeMailCode>[2],
): boolean {
  return userId === id && (key === undefined || emailKey(email) === key)
}

/** The latest code that was mailed for the login. */
export async function findMailCode(
  flow: FlowRequest,
  login: string,
): Promise<SentCode | undefined> {
  const sent = await codes.read(flow, login)
  if (!sent) return undefined
  const { value, isSpent: isUsed } = sent
  return { ...value, isUsed, code: isUsed ? undefined : value.code }
}

/** Deletes a mailed code. */
export async function endMailCode(flow: FlowRequest, login: string): Promise<void> {
  await codes.drop(flow, login)
}
