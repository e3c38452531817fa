import { createBatch } from '../../resources/batch.ts'
import type { UserImporter } from '../../resources/user-importer.ts'
import type { ImportRow } from '../row.ts'
import { faultsInWords, type RowFault } from '../row-fault.ts'
import { createInBulk, toImport } from './in-bulk.ts'
import type { Journal } from './journal.ts'
import { createLedger } from './ledger.ts'
import { createOneByOne, type OneByOneOptions } from './one-by-one.ts'
import { WINDOW } from './resume.ts'

export interface RunOptions extends OneByOneOptions {
  /** Given when the service takes many users in a request. */
  importer: UserImporter | undefined
  rows: AsyncIterable<ImportRow>
  /** Rows that repeat an earlier one, with the reason. */
  repeated: ReadonlyMap<number, RowFault>
  journal: Journal
  /** Requests under way at a time. */
  concurrency: number
  /** Stops the import after the rows that are under way. */
  signal: AbortSignal
  onRow(state: 'done' | 'rejected'): void
}

/** More large requests at a time would only wait for each other. */
const MOST_BATCHES = 4

/**
 * Creates the users of all rows that are not finished, several at a time.
 *
 * A row ends as done or rejected, in the journal, exactly once. A failure that is not the row's fault, such as a lost
 * connection, ends the run; it can be continued.
 *
 * No user is created twice, even after a lost response or a kill. A service that takes many users in one request
 * reports existing ones. With any other, before a row is tried again, the list of users is searched, starting at a user
 * that was created before the row was first tried.
 */
export async function runImport(options: RunOptions): Promise<void> {
  const { standing, signal, importer } = options
  const ledger = createLedger(options.journal, standing, options.onRow)
  const oneByOne = createOneByOne(options, ledger)
  const inBulk = importer && createInBulk(importer, options, ledger, oneByOne)
  const most = inBulk ? Math.min(MOST_BATCHES, options.concurrency) : options.concurrency
  const underWay = new Map<number, Promise<void>>()
  const batch = createBatch<ImportRow>()
  let failure: unknown

  /**
   * Begins rows, once all rows that are {@link WINDOW} or more before the last of them have
   * finished.
   */
  async function begin(rows: ImportRow[], take: () => Promise<void>): Promise<void> {
    const first = rows[0]?.row ?? 0
    const last = rows.at(-1)?.row ?? 0
    while (underWay.size >= most || last - Math.min(...underWay.keys()) >= WINDOW) {
      await Promise.race(underWay.values())
    }
    if (failure !== undefined || signal.aborted) return
    const work = take()
      .catch((error) => {
        failure ??= error
      })
      .finally(() => underWay.delete(first))
    underWay.set(first, work)
  }

  async function flush(): Promise<void> {
    const rows = batch.take()
    if (inBulk && rows.length > 0) await begin(rows, () => inBulk(rows))
  }

  for await (const row of options.rows) {
    if (failure !== undefined || signal.aborted) break
    if (standing.finished.has(row.row)) continue
    const faults = [options.repeated.get(row.row) ?? row.faults].flat()
    if (faults.length > 0) {
      ledger.reject(row, faultsInWords(faults))
      continue
    }
    if (row.row - (batch.items[0]?.row ?? row.row) >= WINDOW) await flush()
    if (!inBulk || standing.created.has(row.row)) await begin([row], () => oneByOne.take(row))
    else if (!batch.add(row, toImport(row))) {
      await flush()
      batch.add(row, toImport(row))
    }
  }
  await flush()
  await Promise.all(underWay.values())
  if (failure !== undefined) throw failure
}
