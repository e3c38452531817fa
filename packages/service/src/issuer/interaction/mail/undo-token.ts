import { randomBytes } from 'node:crypto'
import type { Before } from '../../../domain/users/take-back.ts'
import { entry, type Holder, keyOf } from '../../../domain/writes/entries.ts'

/** The changes that can be taken back, for a week. */
const changes = entry<Before>('UndoToken', 7 * 86_400)

/** Makes the token of a link that takes a change back. A user may have several. */
export async function issueUndoToken(holder: Holder, before: Before): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await changes.put(holder, token, before, { token, accountId: before.userId })
  return token
}

/** Reads a token without spending it. */
export async function readUndoToken(holder: Holder, token: string): Promise<Before | undefined> {
  return (await changes.readByToken(holder, token))?.value
}

/**
 * Spends a token, and those of later changes with it: an intruder who made them may have their links.
 *
 * @returns Whether it was there; of several requests with the same one, exactly one spends it.
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
