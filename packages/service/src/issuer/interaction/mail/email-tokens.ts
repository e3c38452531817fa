import { createHash, randomBytes } from 'node:crypto'
import { nowMicros } from '../../../domain/writes/context.ts'
import type { StoredPassword } from '../../../store/records.ts'
import type { IssuerContext } from '../../context.ts'

/** The purpose of a link in a message. */
export type TokenPurpose = 'VerifyToken' | 'ResetToken'

/** The content of a link in a message. */
export interface EmailToken {
  userId?: string | undefined
  /** The account to make, for an address that has none yet. */
  signup?: Signup | undefined
  /** The address it was sent to, in the form in which addresses are compared. */
  emailKey: string
  /** The address as it was written. */
  email: string
  /** The handle of the login during which it was asked for, if it was. */
  flow?: string | undefined
  applicationId?: string | undefined
  /** The browser in which it was asked for, as a hash of that browser's secret. */
  browser?: string | undefined
}

/** A sign-up whose account is made when the link is followed. */
export interface Signup {
  name: string
  password: StoredPassword
  /** The key of the entry for which the login that sent it waits. */
  pending: string
}

const LIFETIME_SECONDS: Record<TokenPurpose, number> = {
  VerifyToken: 86_400,
  ResetToken: 3_600,
}

/**
 * Makes a token of 256 bits, of which only a hash is stored.
 *
 * @param holder - The owner of the token. An owner has one token of each purpose; a new one
 *   replaces it.
 */
export async function issueEmailToken(
  { protocol, domain }: IssuerContext,
  tenantId: string,
  purpose: TokenPurpose,
  holder: string,
  content: EmailToken,
  seconds: number = LIFETIME_SECONDS[purpose],
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await protocol.put({
    tenantId,
    kind: purpose,
    key: holder,
    uid: hash(token),
    payload: JSON.stringify(content),
    expiresAt: nowMicros(domain.clock) + seconds * 1e6,
  })
  return token
}

/** Reads a token without spending it. */
export async function readEmailToken(
  { protocol }: IssuerContext,
  tenantId: string,
  purpose: TokenPurpose,
  token: string,
): Promise<EmailToken | undefined> {
  const entry = await protocol.findByUid(tenantId, purpose, hash(token))
  return entry && (JSON.parse(entry.payload) as EmailToken)
}

/** Spends a token; of several requests with the same one, exactly one gets its content. */
export async function spendEmailToken(
  { protocol }: IssuerContext,
  tenantId: string,
  purpose: TokenPurpose,
  token: string,
): Promise<EmailToken | undefined> {
  const entry = await protocol.takeByUid(tenantId, purpose, hash(token))
  return entry && (JSON.parse(entry.payload) as EmailToken)
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
