import type { ManagementClient } from '../client.ts'
import { ApiError, AuthenticationError, ConflictError, NotFoundError } from '../errors.ts'
import type { User } from '../types.ts'
import { findCreated, isCreatedFrom } from './find-created.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { type Standing, WINDOW } from './resume.ts'
import { emailKey, type ImportRow } from './row.ts'

export interface RunOptions {
  client: ManagementClient
  tenantId: string
  rows: AsyncIterable<ImportRow>
  /** Rows that repeat an earlier one, with the reason. */
  repeated: ReadonlyMap<number, string>
  journal: Journal
  standing: Standing
  startedAt: number
  concurrency: number
  /** Stops the import after the rows that are under way. */
  signal: AbortSignal
  onRow(state: 'done' | 'rejected'): void
}

/**
 * Creates the users of all rows that are not finished, several at a time.
 *
 * A row ends as done or rejected, in the journal, exactly once. What fails for another reason than
 * the row itself, such as a lost connection, ends the run; it can be continued.
 *
 * A user is created twice neither by a lost answer nor by a kill: before a row is tried again, the
 * list of users is searched from a user on that was created before it was first begun.
 */
export async function runImport(options: RunOptions): Promise<void> {
  const { standing, journal, concurrency, signal, startedAt } = options
  const users = options.client.users(options.tenantId)
  const underWay = new Map<number, Promise<void>>()
  const anchors: { row: number; id: string }[] = []
  let failure: unknown
  const lost =
    standing.begunBelow > 0
      ? await findCreated(users, standing.anchor, startedAt)
      : new Map<string, User>()

  function anchorOf(row: number): string | undefined {
    return anchors.findLast((anchor) => anchor.row <= row - WINDOW)?.id ?? standing.anchor
  }

  async function search(row: ImportRow): Promise<User | undefined> {
    const key = emailKey(row.user.profile.email)
    const found = (await findCreated(users, anchorOf(row.row), startedAt, key)).get(key)
    return found && isCreatedFrom(found, row.user) ? found : undefined
  }

  async function createUser(row: ImportRow): Promise<string> {
    let mayExist = row.row < standing.begunBelow
    const known = mayExist ? lost.get(emailKey(row.user.profile.email)) : undefined
    if (known && isCreatedFrom(known, row.user)) return known.id
    const find = (): Promise<User | undefined> => {
      mayExist = true
      return search(row)
    }
    try {
      return (await users.create(row.user, { find })).id
    } catch (error) {
      const found = mayExist && error instanceof ConflictError ? await search(row) : undefined
      if (found) return found.id
      throw error
    }
  }

  async function createPassword(row: ImportRow, userId: string): Promise<void> {
    if (!row.password) return
    try {
      const credentials = options.client.credentials(options.tenantId, userId)
      await credentials.create({ password: row.password })
    } catch (error) {
      // The user is of this import and had none: an attempt before a kill has created it.
      if (!(error instanceof ConflictError && row.row < standing.begunBelow)) throw error
    }
  }

  async function process(row: ImportRow): Promise<void> {
    const base = { row: row.row, line: row.line, old: row.oldId }
    let id = standing.created.get(row.row)
    try {
      if (id === undefined) {
        id = await createUser(row)
        if (row.password) journal.append({ ...base, id, state: 'created' })
      }
      await createPassword(row, id)
      finish({ ...base, id, state: 'done' })
    } catch (error) {
      if (!isRowsOwnFault(error, id)) throw error
      const reason =
        id === undefined ? describe(error) : `password not taken over: ${describe(error)}`
      reject(row, reason, id)
    }
  }

  function reject(row: ImportRow, reason: string, id?: string): void {
    const { email } = row.user.profile
    const base = { row: row.row, line: row.line, old: row.oldId, email, reason }
    finish({ ...base, ...(id !== undefined && { id }), state: 'rejected' })
  }

  function finish(entry: JournalEntry & { state: 'done' | 'rejected' }): void {
    journal.append(entry)
    standing.finished.add(entry.row)
    standing.created.delete(entry.row)
    if (entry.id !== undefined && entry.row % 50 === 0) {
      anchors.push({ row: entry.row, id: entry.id })
      anchors.sort((a, b) => a.row - b.row)
      while (anchors.length > (2 * WINDOW) / 50 + 2) anchors.shift()
    }
    options.onRow(entry.state)
  }

  for await (const row of options.rows) {
    if (failure !== undefined || signal.aborted) break
    if (standing.finished.has(row.row)) continue
    const fault = options.repeated.get(row.row) ?? row.faults.join('; ')
    if (fault) {
      reject(row, fault)
      continue
    }
    const work = process(row)
      .catch((error) => {
        failure ??= error
      })
      .finally(() => underWay.delete(row.row))
    underWay.set(row.row, work)
    while (underWay.size >= concurrency || row.row + 1 - oldest(underWay, row.row) >= WINDOW) {
      await Promise.race(underWay.values())
    }
  }
  await Promise.all(underWay.values())
  if (failure !== undefined) throw failure
}

/** The first row that is under way; rows are begun in order. */
function oldest(underWay: ReadonlyMap<number, unknown>, otherwise: number): number {
  return underWay.keys().next().value ?? otherwise
}

function isRowsOwnFault(error: unknown, userId: string | undefined): boolean {
  if (!(error instanceof ApiError) || error instanceof AuthenticationError) return false
  // Without a user to speak of, it is the tenant that was not found.
  if (error instanceof NotFoundError) return userId !== undefined
  return error.status >= 400 && error.status < 500 && error.status !== 429
}

function describe(error: unknown): string {
  return error instanceof ApiError
    ? `${error.code}: ${error.detail || error.status}`
    : String(error)
}
