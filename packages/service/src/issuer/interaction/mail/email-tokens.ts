import { randomBytes } from 'node:crypto'
import type { StoredOrigin } from '../../../domain/ways/valid-links.ts'
import { entry, type Holder } from '../../../domain/writes/entries.ts'
import type { StoredPassword } from '../../../store/records.ts'

/** The purpose of a link in a message. */
export type TokenPurpose = 'VerifyToken' | 'ResetToken'

/** The content of a link in a message. */
export interface EmailToken extends StoredOrigin {
  userId?: string | undefined
  /** The account to make, for an address that has none yet. */
  signup?: Signup | undefined
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

const tokens = {
  VerifyToken: entry<EmailToken>('VerifyToken', 86_400),
  ResetToken: entry<EmailToken>('ResetToken', 3_600),
}

/**
 * Makes a token of 256 bits, of which only a hash is stored.
 *
 * @param owner - The owner of the token. An owner has one token of each purpose; a new one
 *   replaces it.
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

/** Reads a token without spending it. */
export async function readEmailToken(
  holder: Holder,
  purpose: TokenPurpose,
  token: string,
): Promise<EmailToken | undefined> {
  return (await tokens[purpose].readByToken(holder, token))?.value
}

/** Spends a token; of several requests with the same one, exactly one gets its content. */
export function spendEmailToken(
  holder: Holder,
  purpose: TokenPurpose,
  token: string,
): Promise<EmailToken | undefined> {
  return tokens[purpose].takeByToken(holder, token)
}

/** Removes the records of an owner's links, which have the address. */
export async function dropEmailTokens(holder: Holder, owner: string): Promise<void> {
  for (const kind of Object.values(tokens)) await kind.drop(holder, { key: owner })
}
