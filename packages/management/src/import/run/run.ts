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
  /** The bulk import, if the service offers it. */
  importer: UserImporter | undefined
  rows: AsyncIterable<ImportRow>
  /** The rows with the email address or id of an earlier row, each with the fault to report. */
  repeated: ReadonlyMap<number, RowFault>
  journal: Journal
  /** The maximum number of requests in progress. */
  concurrency: number
  /** When aborted, no further row begins. Rows in progress are finished. */
  signal: AbortSignal
  onRow(state: 'done' | 'rejected'): void
}

/** The maximum number of bulk requests in progress. More of them would only wait for each other. */
const MOST_BATCHES = 4

/**
 * Imports the users of all rows that are not finished, several at a time.
 *
 * The journal gets exactly one final entry for each row, `done` or `rejected`. An error that is not
 * about the data of a row, such as a lost connection, ends the run. A later run can continue it.
 *
 * No user is created twice, even after a lost response or a kill. The bulk import of a service
 * reports existing users. Without it, the list of users is searched before a row is tried again.
 * The search begins at a user who was created before the row was first tried.
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
   * Begins the import of rows, as soon as all rows that are {@link WINDOW} or more before the last
   * of them have finished, and a request is free.
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
