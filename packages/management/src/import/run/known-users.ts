import { createReadStream } from 'node:fs'
import { emailKey, type ImportRow } from '../row.ts'
import { readSource } from '../source.ts'
import { otherTenant, readJournal } from './journal.ts'

/** A user of an earlier import. */
export interface KnownUser {
  id: string
  oldId: string
  email: string
  /** The line of the user in the newest export; empty if the user has no line there. */
  line: string
}

/** The users of earlier imports. */
export interface KnownUsers {
  /**
   * Finds the user of a row by the row's old id. If the row has no old id, finds the user by email
   * address.
   */
  find(row: ImportRow): KnownUser | undefined
  /** Whether an earlier import created the user with this id of the service. */
  has(id: string): boolean
  /** Records the id of a row's user, who may be new. */
  note(row: ImportRow, id: string): void
  /** All known users, including those that `note` has added. */
  all(): KnownUser[]
}

/**
 * Reads the users from the result file of an earlier import, and from the journal of an interrupted
 * update.
 *
 * @param tenant - The id of the tenant whose users are updated.
 * @throws Error for a file without the column `new_id`, if an old id belongs to two users, or if
 *   the journal is of another tenant.
 */
export async function readKnownUsers(
  resultFile: string | undefined,
  journalFile: string,
  tenant: string,
): Promise<KnownUsers> {
  const byId = new Map<string, KnownUser>()
  const byOldId = new Map<string, KnownUser>()
  const byEmail = new Map<string, KnownUser>()

  function add(user: KnownUser): void {
    const before = byOldId.get(user.oldId)
    if (before && before.id !== user.id) {
      throw new Error(
        `The old id ${user.oldId} has two users, ${before.id} and ${user.id}; keep one of them in ${resultFile}.`,
      )
    }
    byId.set(user.id, user)
    if (user.oldId !== '') byOldId.set(user.oldId, user)
    byEmail.set(emailKey(user.email), user)
  }

  if (resultFile !== undefined) {
    const read = () => createReadStream(resultFile)
    const source = { name: resultFile, format: 'csv', encoding: 'utf8', read } as const
    for await (const { line, members, fault } of readSource(source)) {
      const id = members.get('new_id')
      if (id === undefined || fault !== undefined) {
        throw new Error(
          `${resultFile}, line ${line}: there is no new_id. Name the result file of an earlier import, or --update alone to match users by address.`,
        )
      }
      const email = members.get('email') ?? ''
      add({ id, oldId: members.get('old_id') ?? '', email, line: '' })
    }
  }
  for await (const entry of readJournal(journalFile)) {
    if (!('row' in entry)) {
      if (entry.tenant !== tenant) throw otherTenant(journalFile)
      continue
    }
    const { id, old, email = '' } = entry
    if (id !== undefined) add({ id, oldId: old, email, line: '' })
  }
  const before = new Set(byId.keys())
  return {
    has: (id) => before.has(id),
    find: ({ oldId, user }) =>
      oldId === '' ? byEmail.get(emailKey(user.profile.email)) : byOldId.get(oldId),
    note({ oldId, line, user }, id) {
      const last = byId.get(id)
      const known = { id, oldId: oldId || (last?.oldId ?? ''), line: String(line) }
      byId.set(id, { ...known, email: user.profile.email })
    },
    all: () => [...byId.values()],
  }
}
