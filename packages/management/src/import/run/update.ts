import { createBatch } from '../../resources/batch.ts'
import type { UserUpdater } from '../../resources/user-updater.ts'
import type { ImportChangeResult, ImportConflict, UserImportChange } from '../../types.ts'
import type { ImportRow } from '../row.ts'
import { faultsInWords, type RowFault } from '../row-fault.ts'
import { toImport } from './in-bulk.ts'
import type { KnownUsers } from './known-users.ts'

/** The result for a row: that of the service, or the faults of the row. */
export type RowResult = ImportChangeResult | { status: 'faulty'; detail: string }

export interface UpdateOptions {
  update: UserUpdater
  isPreview: boolean
  /** Reads the rows of the file. Each call starts at the first row. */
  rows(): AsyncIterable<ImportRow>
  /** The rows with the email address or id of an earlier row, each with the fault to report. */
  repeated: ReadonlyMap<number, RowFault>
  known: KnownUsers
  /**
   * Whether users are matched by email address, because there is no result of an earlier import.
   */
  isByAddress: boolean
  /** Whether a row says if its user may log in. Otherwise, the user stays disabled or enabled. */
  saysState(row: ImportRow): boolean
  /** The maximum number of requests in progress. */
  concurrency: number
  signal: AbortSignal
  /**
   * Called once for each row, in any order. While it has not resolved, its rows count as being sent,
   * so a slow one slows the update down. If it rejects, the update stops with that error.
   */
  onRow(row: ImportRow, result: RowResult): Promise<void>
  /** Called as soon as a user is created. */
  onCreated(row: ImportRow, id: string): void
}

/** The maximum number of requests in progress. More of them would only wait for each other. */
const MOST_BATCHES = 4

/**
 * A row whose email address belongs to another user, who may get a new address later in this run.
 */
interface Waiting {
  row: ImportRow
  result: WaitingResult
}

type WaitingResult = Extract<ImportChangeResult, { conflicts: ImportConflict[] }>

/**
 * Updates users from the rows of a newer export, and creates new users.
 *
 * Known users are updated first, because a new user may have the old email address of a known user.
 * A row whose address belongs to another user is sent again as long as one of these rows succeeds.
 * So a chain of moved addresses is resolved in one run, and the next run changes nothing.
 */
export async function runUpdate(options: UpdateOptions): Promise<void> {
  const { known, isByAddress, isPreview, signal, onRow } = options
  const waiting: Waiting[] = []
  /** The ids of users whose email address has changed in this run. */
  const moved = new Set<string>()

  async function take(row: ImportRow, outcome: ImportChangeResult): Promise<void> {
    const result = notAnother(row, outcome)
    if (result.status === 'created' && result.id !== undefined) options.onCreated(row, result.id)
    if (result.status === 'updated' && result.members.includes(EMAIL)) moved.add(result.id)
    if (isWaiting(result)) waiting.push({ row, result })
    else await onRow(row, result)
  }

  /**
   * Turns `unchanged` into a conflict if the service found a user of an earlier import, and this
   * row does not belong to that user.
   */
  function notAnother(row: ImportRow, result: ImportChangeResult): ImportChangeResult {
    const isOther = result.status === 'unchanged' && known.has(result.id) && !known.find(row)
    if (!isOther || isByAddress) return result
    return {
      status: 'conflict',
      conflicts: [{ member: EMAIL, reason: 'address_taken', holder: result.id }],
    }
  }

  async function* first(): AsyncGenerator<ImportRow> {
    for await (const row of options.rows()) {
      const faults = [options.repeated.get(row.row) ?? row.faults].flat()
      if (faults.length > 0) await onRow(row, { status: 'faulty', detail: faultsInWords(faults) })
      else if (isByAddress || known.find(row)) yield row
    }
  }

  async function* second(): AsyncGenerator<ImportRow> {
    if (isByAddress) return
    for await (const row of options.rows()) {
      const isGood = !options.repeated.has(row.row) && row.faults.length === 0
      // The users of the first pass are known. The users that this pass creates become known only
      // after all passes.
      if (isGood && !known.find(row)) yield row
    }
  }

  await sendAll(options, first(), take)
  await sendAll(options, second(), take)
  for (;;) {
    const before = waiting.splice(0)
    if (before.length === 0 || signal.aborted) break
    let hasMoved = false
    const settle = async (one: Waiting, result: ImportChangeResult): Promise<void> => {
      const merged = merge(one.result, notAnother(one.row, result))
      if (isWaiting(merged)) waiting.push({ row: one.row, result: merged })
      else {
        hasMoved = true
        await take(one.row, merged)
      }
    }
    if (isPreview) for (const one of before) await settle(one, foreseen(one.result, moved))
    else {
      const byRow = new Map(before.map((one) => [one.row.row, one]))
      await sendAll(options, toRows(before), (row, result) =>
        settle(byRow.get(row.row) as Waiting, result),
      )
    }
    if (hasMoved) continue
    for (const { row, result } of waiting) await onRow(row, result)
    return
  }
}

const EMAIL = 'profile.email'

async function* toRows(waiting: readonly Waiting[]): AsyncGenerator<ImportRow> {
  for (const { row } of waiting) yield row
}

function isWaiting(result: ImportChangeResult): result is WaitingResult {
  return 'conflicts' in result && result.conflicts.some(isTaken)
}

function isTaken({ reason, holder }: ImportConflict): boolean {
  return reason === 'address_taken' && holder !== undefined
}

/** The result for a row in a preview, if its email address becomes free by an earlier change. */
function foreseen(result: WaitingResult, moved: ReadonlySet<string>): ImportChangeResult {
  const conflicts = result.conflicts.filter((one) => !(isTaken(one) && moved.has(one.holder ?? '')))
  if (conflicts.length === result.conflicts.length) return result
  if (result.id === undefined) return { status: 'created' }
  const members = result.status === 'updated' ? result.members : []
  return { status: 'updated', id: result.id, members: [...members, EMAIL], conflicts }
}

/** Combines the first result of a row with that of a retry. */
function merge(before: WaitingResult, after: ImportChangeResult): ImportChangeResult {
  if (before.status !== 'updated' || after.status === 'created' || after.status === 'refused') {
    return after
  }
  const members = [...new Set([...before.members, ...('members' in after ? after.members : [])])]
  const conflicts = 'conflicts' in after ? after.conflicts : []
  return { status: 'updated', id: before.id, members, conflicts }
}

/**
 * Sends rows in batches, several at a time. An error that is not about one row stops the sending,
 * and is thrown when all requests have ended.
 */
async function sendAll(
  options: UpdateOptions,
  rows: AsyncIterable<ImportRow>,
  take: (row: ImportRow, result: ImportChangeResult) => Promise<void>,
): Promise<void> {
  const { update, isPreview, signal } = options
  const most = Math.min(MOST_BATCHES, options.concurrency)
  const underWay = new Set<Promise<void>>()
  const batch = createBatch<ImportRow>()
  let failure: unknown

  async function flush(): Promise<void> {
    const sent = batch.take()
    if (sent.length === 0) return
    while (underWay.size >= most) await Promise.race(underWay)
    if (failure !== undefined || signal.aborted) return
    const users = sent.map((row) => toChange(row, options))
    const work: Promise<void> = update(users, isPreview)
      .then(async (results) => {
        // No row waits for an earlier one, so the journal gets all users of a request at once.
        await Promise.all(sent.map((row, at) => take(row, results[at] as ImportChangeResult)))
      })
      .catch((error) => {
        failure ??= error
      })
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }

  try {
    for await (const row of rows) {
      if (failure !== undefined || signal.aborted) break
      const user = toChange(row, options)
      if (batch.add(row, user)) continue
      await flush()
      batch.add(row, user)
    }
    await flush()
  } catch (error) {
    failure ??= error
  }
  await Promise.all(underWay)
  if (failure !== undefined) throw failure
}

/**
 * Converts a row into a user for the update. If the row says that the user may log in, the user is
 * enabled.
 */
function toChange(row: ImportRow, options: UpdateOptions): UserImportChange {
  const { disabled } = row.user
  const id = options.known.find(row)?.id
  return {
    ...toImport(row),
    ...(options.saysState(row) && { disabled: disabled ?? false }),
    ...(id !== undefined && { id }),
    ...(options.isByAddress && id === undefined && { matchAddress: true }),
  }
}
