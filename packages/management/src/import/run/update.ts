import { createBatch } from '../../resources/batch.ts'
import type { UserUpdater } from '../../resources/user-updater.ts'
import type { ImportChangeResult, ImportConflict, UserImportChange } from '../../types.ts'
import type { ImportRow } from '../row.ts'
import { faultsInWords, type RowFault } from '../row-fault.ts'
import { toImport } from './in-bulk.ts'
import type { KnownUsers } from './known-users.ts'

/** The outcome of a row: the service's answer, or the faults of the row itself. */
export type RowResult = ImportChangeResult | { status: 'faulty'; detail: string }

export interface UpdateOptions {
  update: UserUpdater
  isPreview: boolean
  /** The rows of the file. Each call begins again with the first row. */
  rows(): AsyncIterable<ImportRow>
  /** Rows that repeat an earlier one, with the reason. */
  repeated: ReadonlyMap<number, RowFault>
  known: KnownUsers
  /** Whether users are matched by their addresses, as there is no result of an earlier import. */
  isByAddress: boolean
  /** Whether the file says who may log in. */
  saysStates: boolean
  signal: AbortSignal
  /** Called once for each row, in no order. */
  onRow(row: ImportRow, result: RowResult): void
  /** Called as soon as a user is created. */
  onCreated(row: ImportRow, id: string): void
}

/** Requests under way at a time. */
const MOST_BATCHES = 4

/** A row that waits until another user gives up its address. */
interface Waiting {
  row: ImportRow
  result: WaitingResult
}

type WaitingResult = Extract<ImportChangeResult, { conflicts: ImportConflict[] }>

/**
 * Updates users by the rows of a newer export, and creates new ones.
 *
 * Known users come first, because one may give up an address that a new user has now. Rows whose address belongs to
 * another user are sent again as long as any of them succeeds. So a chain of moved addresses ends in one run, and the
 * next run changes nothing.
 */
export async function runUpdate(options: UpdateOptions): Promise<void> {
  const { known, isByAddress, isPreview, signal, onRow } = options
  const waiting: Waiting[] = []
  /** Users who give up their addresses. */
  const moved = new Set<string>()

  function take(row: ImportRow, outcome: ImportChangeResult): void {
    const result = notAnother(row, outcome)
    if (result.status === 'created' && result.id !== undefined) options.onCreated(row, result.id)
    if (result.status === 'updated' && result.members.includes(EMAIL)) moved.add(result.id)
    if (isWaiting(result)) waiting.push({ row, result })
    else onRow(row, result)
  }

  /** Makes `unchanged` a conflict if the user that was found belongs to another row of an earlier import. */
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
      if (faults.length > 0) onRow(row, { status: 'faulty', detail: faultsInWords(faults) })
      else if (isByAddress || known.find(row)) yield row
    }
  }

  async function* second(): AsyncGenerator<ImportRow> {
    if (isByAddress) return
    for await (const row of options.rows()) {
      const isGood = !options.repeated.has(row.row) && row.faults.length === 0
      // Users whom the first pass has seen are known; those whom this one creates are noted after all passes.
      if (isGood && !known.find(row)) yield row
    }
  }

  await sendAll(options, first(), take)
  await sendAll(options, second(), take)
  for (;;) {
    const before = waiting.splice(0)
    if (before.length === 0 || signal.aborted) break
    let hasMoved = false
    const settle = (one: Waiting, result: ImportChangeResult): void => {
      const merged = merge(one.result, notAnother(one.row, result))
      if (isWaiting(merged)) waiting.push({ row: one.row, result: merged })
      else {
        hasMoved = true
        take(one.row, merged)
      }
    }
    if (isPreview) for (const one of before) settle(one, foreseen(one.result, moved))
    else {
      const byRow = new Map(before.map((one) => [one.row.row, one]))
      await sendAll(options, toRows(before), (row, result) =>
        settle(byRow.get(row.row) as Waiting, result),
      )
    }
    if (hasMoved) continue
    for (const { row, result } of waiting) onRow(row, result)
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

/**
 * In a preview: the outcome of a row whose address may be free once earlier rows have changed
 * theirs.
 */
function foreseen(result: WaitingResult, moved: ReadonlySet<string>): ImportChangeResult {
  const conflicts = result.conflicts.filter((one) => !(isTaken(one) && moved.has(one.holder ?? '')))
  if (conflicts.length === result.conflicts.length) return result
  if (result.id === undefined) return { status: 'created' }
  const members = result.status === 'updated' ? result.members : []
  return { status: 'updated', id: result.id, members: [...members, EMAIL], conflicts }
}

/** The outcome of a row that was sent again. */
function merge(before: WaitingResult, after: ImportChangeResult): ImportChangeResult {
  if (before.status !== 'updated' || after.status === 'created' || after.status === 'refused') {
    return after
  }
  const members = [...new Set([...before.members, ...('members' in after ? after.members : [])])]
  const conflicts = 'conflicts' in after ? after.conflicts : []
  return { status: 'updated', id: before.id, members, conflicts }
}

/** Sends rows in batches, several at a time; a failure that is not of a row ends it. */
async function sendAll(
  options: UpdateOptions,
  rows: AsyncIterable<ImportRow>,
  take: (row: ImportRow, result: ImportChangeResult) => void,
): Promise<void> {
  const { update, isPreview, signal } = options
  const underWay = new Set<Promise<void>>()
  const batch = createBatch<ImportRow>()
  let failure: unknown

  async function flush(): Promise<void> {
    const sent = batch.take()
    if (sent.length === 0) return
    while (underWay.size >= MOST_BATCHES) await Promise.race(underWay)
    if (failure !== undefined || signal.aborted) return
    const users = sent.map((row) => toChange(row, options))
    const work: Promise<void> = update(users, isPreview)
      .then((results) => {
        for (const [at, row] of sent.entries()) take(row, results[at] as ImportChangeResult)
      })
      .catch((error) => {
        failure ??= error
      })
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }

  for await (const row of rows) {
    if (failure !== undefined || signal.aborted) break
    const user = toChange(row, options)
    if (batch.add(row, user)) continue
    await flush()
    batch.add(row, user)
  }
  await flush()
  await Promise.all(underWay)
  if (failure !== undefined) throw failure
}

/** The row as the service takes it. If the file says who may log in, a user whom it does not block is enabled. */
function toChange(row: ImportRow, options: UpdateOptions): UserImportChange {
  const { disabled } = row.user
  const id = options.known.find(row)?.id
  return {
    ...toImport(row),
    ...(options.saysStates && { disabled: disabled ?? false }),
    ...(id !== undefined && { id }),
    ...(options.isByAddress && id === undefined && { matchAddress: true }),
  }
}
