import type { QueuedMessage } from '../../store/protocol-store.ts'
import type { Micros, User } from '../../store/records.ts'
import { usersById } from '../users/users.ts'
import type { Scope } from '../writes/context.ts'

/** The fields of a message that determine its recipient. */
type Mail = Pick<QueuedMessage, 'id' | 'userId' | 'kind' | 'createdAt'>

/** The recipient of a message. */
export interface MailRecipient {
  readonly user: User
  /** The address to which the message was sent; `undefined` if it is not known. */
  readonly address: string | undefined
}

/** A change of a user's email address: the time, and the address before it. */
interface Move {
  readonly at: Micros
  readonly before: string
}

/** The maximum number of a user's audit entries that are read. */
const MOST = 100

/** The kinds of messages that are sent to the user's address before a change. */
const ofBefore: ReadonlySet<string | undefined> = new Set(['moved', 'movedBySupport', 'displaced'])

/**
 * The recipients of messages, by message id, with their addresses at the time of each message.
 * Messages to deleted users are left out.
 */
export async function recipientsOf(
  scope: Scope,
  mails: readonly Mail[],
): Promise<ReadonlyMap<string, MailRecipient>> {
  const ids = [...new Set(mails.flatMap(({ userId }) => userId ?? []))]
  const users = await usersById(scope, ids)
  const found = new Map<string, MailRecipient>()
  for (const user of users) {
    const own = mails.filter(({ userId }) => userId === user.id)
    const isChanged = own.some(({ createdAt, kind }) => {
      return ofBefore.has(kind) || createdAt <= user.updatedAt
    })
    const moves = isChanged ? await movesOf(scope, user.id) : []
    for (const mail of own) found.set(mail.id, { user, address: addressOf(mail, user, moves) })
  }
  return found
}

function addressOf({ kind, createdAt }: Mail, user: User, moves: readonly Move[]) {
  // An address code is sent to a new address, which may never become the user's.
  if (kind === 'addressCode') return undefined
  if (!ofBefore.has(kind)) return moves.find(({ at }) => at > createdAt)?.before ?? user.email
  const distance = ({ at }: Move) => Math.abs(at - createdAt)
  return moves.toSorted((a, b) => distance(a) - distance(b))[0]?.before
}

/** The changes of a user's address in the newest audit entries, the earliest first. */
async function movesOf({ context, tenantId }: Scope, user: string): Promise<Move[]> {
  const { audit } = context.store
  const page = { after: undefined, limit: MOST }
  const { items } = await audit.search(tenantId, { user, action: 'user.' }, page)
  const details = await audit.details(items.map(({ id }) => id))
  return items.toReversed().flatMap(({ id, at }) => {
    const change = details.get(id)?.changes.find(({ name }) => name === 'profile.email')
    return change?.before === undefined ? [] : [{ at, before: change.before }]
  })
}
