import { randomInt, timingSafeEqual } from 'node:crypto'
import { lookUpApplication } from '../../domain/applications.ts'
import { nowMicros } from '../../domain/context.ts'
import { openIfKnown } from '../../domain/vault.ts'
import { entryName } from '../../store/protocol-store.ts'
import type { User } from '../../store/records.ts'
import { type FlowRequest, occasionOf } from './flow-request.ts'
import { sendCode } from './messages.ts'

const KIND = 'MailCode'

const DIGITS = 8

/** OWASP ASVS 5.0 §6.5.5 allows ten minutes. */
const LIFETIME_SECONDS = 600

/** A code that was mailed: whose it is, and the code itself, encrypted under the master key. */
interface MailCode {
  userId: string
  sealed: string
}

/** What came of a code that was entered. */
export type MailCodeOutcome = 'right' | 'wrong' | 'expired'

/**
 * Mails a code that is good for this login alone, and ends the one before.
 *
 * @param login - Names the login, or the session, that the code belongs to.
 * @returns Whether it was sent; it is not when too many messages went to the address.
 */
export async function mailCode(flow: FlowRequest, login: string, user: User): Promise<boolean> {
  const { context, tenant, applicationId } = flow
  const { domain, protocol } = context
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
  const application =
    applicationId && (await lookUpApplication(domain, tenant.id, applicationId))?.name
  const { companyName, domain: host } = tenant.settings
  const values = { code, application: application || companyName || host }
  if (!(await sendCode(context, occasionOf(flow), user, values))) return false
  const sealed = domain.vault.seal(purposeOf(tenant.id, login), code)
  const content: MailCode = { userId: user.id, sealed }
  await protocol.put({
    ...entryName(tenant.id, KIND, login),
    payload: JSON.stringify(content),
    expiresAt: nowMicros(domain.clock) + LIFETIME_SECONDS * 1e6,
  })
  return true
}

/** Whether a code was mailed for the login and is still good. */
export async function hasMailCode(flow: FlowRequest, login: string, user: User): Promise<boolean> {
  return (await findCode(flow, login, user)) !== undefined
}

/** Judges a mailed code, and uses it up. Of any number of attempts at once exactly one succeeds. */
export async function judgeMailCode(
  flow: FlowRequest,
  login: string,
  user: User,
  entered: string,
): Promise<MailCodeOutcome> {
  const { context, tenant } = flow
  const code = await findCode(flow, login, user)
  if (code === undefined) return 'expired'
  const given = Buffer.from(entered.replace(/[\s-]/g, ''))
  const expected = Buffer.from(code)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'wrong'
  return (await context.protocol.consume(entryName(tenant.id, KIND, login))) ? 'right' : 'expired'
}

/** The code that is good; none is after its master key was rotated out. */
async function findCode(
  { context, tenant }: FlowRequest,
  login: string,
  user: User,
): Promise<string | undefined> {
  const entry = await context.protocol.find(entryName(tenant.id, KIND, login))
  if (!entry || entry.consumedAt !== undefined) return undefined
  const sent = JSON.parse(entry.payload) as MailCode
  if (sent.userId !== user.id) return undefined
  return openIfKnown(context.domain.vault, purposeOf(tenant.id, login), sent.sealed)
}

function purposeOf(tenantId: string, login: string): string {
  return `mail-code:${tenantId}:${login}`
}
