import { hash, randomBytes } from 'node:crypto'
import type { Before } from '../../../domain/users/take-back.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import type { IssuerContext } from '../../context.ts'

const KIND = 'UndoToken'

/** How long a change can be taken back. */
const SECONDS = 7 * 86_400

/** Makes the token of a link that takes a change back. A user may have several. */
export async function issueUndoToken(
  { protocol, domain }: IssuerContext,
  tenantId: string,
  before: Before,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await protocol.put({
    tenantId,
    kind: KIND,
    key: undoName(token),
    uid: undoName(token),
    accountId: before.userId,
    payload: JSON.stringify(before),
    expiresAt: nowMicros(domain.clock) + SECONDS * 1e6,
  })
  return token
}

/** Reads a token without spending it. */
export async function readUndoToken(
  { protocol }: IssuerContext,
  tenantId: string,
  token: string,
): Promise<Before | undefined> {
  const entry = await protocol.findByUid(tenantId, KIND, undoName(token))
  return entry && (JSON.parse(entry.payload) as Before)
}

/**
 * Spends a token, and those of later changes with it: an intruder who made them may have their links.
 *
 * @returns Whether it was there; of several requests with the same one, exactly one spends it.
 */
export async function spendUndoToken(
  { protocol }: IssuerContext,
  tenantId: string,
  token: string,
  { userId, at }: Before,
): Promise<boolean> {
  for (const entry of await protocol.listByAccount(tenantId, KIND, userId)) {
    const isLater = (JSON.parse(entry.payload) as Before).at >= at
    if (isLater && entry.uid !== undoName(token)) await protocol.delete(entry)
  }
  return (await protocol.takeByUid(tenantId, KIND, undoName(token))) !== undefined
}

/** The public name of a token, which opens nothing. */
export function undoName(token: string): string {
  return hash('sha256', token, 'base64url')
}
