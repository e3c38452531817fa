import { randomBytes } from 'node:crypto'
import type { StoredOrigin } from '../../../domain/ways/valid-links.ts'
import { entry, type Holder } from '../../../domain/writes/entries.ts'
import type { StoredPassword } from '../../../store/records.ts'

/** The purpose of a link in a message. */
export type TokenPurpose = 'VerifyToken' | 'ResetToken'

/** The stored facts about a link in a message. */
export interface EmailToken extends StoredOrigin {
  userId?: string | undefined
  /** For an address without an account: the account to create. */
  signup?: Signup | undefined
  /** The email address as the user wrote it. */
  email: string
  /** The handle of the login in which the message was requested, if any. */
  flow?: string | undefined
  applicationId?: string | undefined
  /** The browser in which the message was requested, as a hash of that browser's secret. */
  browser?: string | undefined
}

/** A sign-up whose account is created when the link is opened. */
export interface Signup {
  name: string
  password: StoredPassword
  /** The key of the login step that waits until the link is opened. */
  pending: string
}

const tokens = {
  VerifyToken: entry<EmailToken>('VerifyToken', 86_400),
  ResetToken: entry<EmailToken>('ResetToken', 3_600),
}

/**
 * Creates a token of 256 bits, of which only a hash is stored.
 *
 * @param owner - The owner of the token. A new token replaces the owner's earlier one of the same
 *   purpose.
 */
export async function issueEmailToken(
  holder: Holder,
  purpose: TokenPurpose,
  owner: string,
  content: EmailToken,
  seconds?: number,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const lifetime = seconds === undefined ? {} : { seconds }
  await tokens[purpose].put(holder, { key: owner }, content, { token, ...lifetime })
  return token
}

/** Reads a token without using it up. */
export async function readEmailToken(
  holder: Holder,
  purpose: TokenPurpose,
  token: string,
): Promise<EmailToken | undefined> {
  return (await tokens[purpose].readByToken(holder, token))?.value
}

/** Uses up a token. Of several requests with the same token, exactly one gets the content. */
export function spendEmailToken(
  holder: Holder,
  purpose: TokenPurpose,
  token: string,
): Promise<EmailToken | undefined> {
  return tokens[purpose].takeByToken(holder, token)
}

/** Deletes the records of an owner's links, because they contain the email address. */
export async function dropEmailTokens(holder: Holder, owner: string): Promise<void> {
  for (const kind of Object.values(tokens)) await kind.drop(holder, { key: owner })
}
