import { randomBytes } from 'node:crypto'
import type { Before, Contest } from '../../../domain/users/take-back.ts'
import { entry, type Holder, keyOf } from '../../../domain/writes/entries.ts'
import { emailKey } from '../../../store/email-key.ts'

const SECONDS = 7 * 86_400

/** The tokens of links that undo a change. */
const changes = entry<Before>('UndoToken', SECONDS)

/** The tokens of links with which an earlier email address contests the loss of its account. */
const contests = entry<Contest>('ContestToken', SECONDS)

/**
 * Creates the token for a link that undoes a change. A user may have several tokens.
 *
 * A change of the email address invalidates the links of earlier changes. So the link of the
 * address change undoes those changes, too: an intruder may have changed the password before the
 * address.
 */
export async function issueUndoToken(holder: Holder, before: Before): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const whole = before.isMove ? await withEarlier(holder, before) : before
  await changes.put(holder, token, whole, { token, accountId: before.userId })
  return token
}

async function withEarlier(holder: Holder, before: Before): Promise<Before> {
  const { userId, email, moves = 0, rulings = 0 } = before
  const all = (await changes.ofAccount(holder, userId)).map(({ value }) => value)
  const ended = all.filter(
    (one) =>
      !one.isMove &&
      emailKey(one.email) === emailKey(email) &&
      (one.moves ?? 0) === moves &&
      (one.rulings ?? 0) === rulings,
  )
  const [oldest] = ended.sort((a, b) => a.at - b.at)
  if (!oldest || oldest.at >= before.at) return before
  return { ...before, at: oldest.at, earlierPassword: oldest.password }
}

/** Reads a token without using it up. */
export async function readUndoToken(holder: Holder, token: string): Promise<Before | undefined> {
  return (await changes.readByToken(holder, token))?.value
}

/**
 * Uses up a token and the tokens of later changes, because an intruder who made these changes may
 * have their links.
 *
 * @returns Whether the token was still valid. Of several requests with the same token, exactly one
 *   gets `true`.
 */
export async function spendUndoToken(
  holder: Holder,
  token: string,
  { userId, at }: Before,
): Promise<boolean> {
  for (const { value, entry: stored } of await changes.ofAccount(holder, userId)) {
    if (value.at >= at && stored.uid !== keyOf(token)) await changes.drop(holder, stored)
  }
  return (await changes.takeByToken(holder, token)) !== undefined
}

/** Creates the token for a link that contests the loss of an account. */
export async function issueContestToken(holder: Holder, contest: Contest): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await contests.put(holder, token, contest, { token, accountId: contest.userId })
  return token
}

/** Reads a token without using it up. */
export async function readContestToken(
  holder: Holder,
  token: string,
): Promise<Contest | undefined> {
  return (await contests.readByToken(holder, token))?.value
}

/** Uses up a token. Of several requests with the same token, exactly one gets `true`. */
export async function spendContestToken(holder: Holder, token: string): Promise<boolean> {
  return (await contests.takeByToken(holder, token)) !== undefined
}

/** Deletes the records of a user's links, because they contain addresses and a password hash. */
export async function dropUndoTokens(holder: Holder, userId: string): Promise<void> {
  for (const kind of [changes, contests]) {
    for (const { entry: stored } of await kind.ofAccount(holder, userId)) {
      await kind.drop(holder, stored)
    }
  }
}
