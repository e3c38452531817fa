import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { fileFailure } from '../command-line/files.ts'
import { type JsonOptions, printResult } from '../command-line/output.ts'
import { ApiError } from '../errors.ts'
import { type Checked, digestFile, type ImportFile, readRows } from '../import/check.ts'
import { escapeFormula } from '../import/formula.ts'
import { type ImportRow, saysState } from '../import/row.ts'
import { openJournal } from '../import/run/journal.ts'
import { type KnownUsers, readKnownUsers } from '../import/run/known-users.ts'
import { type CsvFile, openCsv, resultColumns } from '../import/run/results.ts'
import { type RowResult, runUpdate } from '../import/run/update.ts'
import type { UserUpdater } from '../resources/user-updater.ts'
import { createProgress, type Progress } from './progress.ts'
import type { ImportFiles } from './users-import-files.ts'

/** The input of {@link updateUsers}. */
export interface UpdateRun {
  input: ImportFile
  checked: Checked
  update: UserUpdater
  tenant: string
  baseUrl: string
  isPreview: boolean
  /** The maximum number of requests in progress. */
  concurrency: number
  /**
   * The path of the result file of an earlier import. Without such a file, users are matched by
   * email address.
   */
  known: string | undefined
  files: ImportFiles
}

/** The counts of an update. Each row counts in exactly one of the first five. */
interface Counts {
  new: number
  changed: number
  unchanged: number
  conflicts: number
  rejected: number
  rows: number
  /** The number of users who may no longer log in. They count in `changed`, too. */
  blocked: number
  /**
   * The number of users of the earlier import who are not in the file; `null` when users are
   * matched by email address, or when the update was interrupted.
   */
  gone: number | null
  /**
   * The number of users for whom a member changed, by the name of the member. `kept` has the number
   * of users for whom the service's value stays.
   */
  members: Record<string, number>
  kept: Record<string, number>
}

type Category = 'new' | 'changed' | 'unchanged' | 'conflicts' | 'rejected'

const countOf: Readonly<Record<RowResult['status'], Category>> = {
  created: 'new',
  updated: 'changed',
  unchanged: 'unchanged',
  conflict: 'conflicts',
  refused: 'rejected',
  faulty: 'rejected',
}

/**
 * Updates users by a newer export, prints the counts and writes the files. A preview changes no
 * user; it writes only the review file and the rejects file. The caller holds the locks of the files,
 * for a preview too. An update that is interrupted, for example because a file cannot be written,
 * prints the counts until then, and writes no result file.
 *
 * @throws Exit if rows were rejected, or if the update was interrupted.
 */
export async function updateUsers(run: UpdateRun, options: JsonOptions): Promise<void> {
  const { input, checked, files, isPreview } = run
  if (!checked.saysStates) {
    console.error(
      'No column says who may log in: users stay disabled or enabled, as they are in the service.',
    )
  }
  const known = await readKnownUsers(run.known, files.journalFile, run.tenant)
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal)
  const counts: Counts = {
    ...{ new: 0, changed: 0, unchanged: 0, conflicts: 0, rejected: 0, rows: checked.rows },
    ...{ blocked: 0, gone: null, members: {}, kept: {} },
  }
  const review = openCsv(files.reviewFile, [
    ...['what', 'line', 'old_id', 'new_id', 'email', 'member', 'reason'],
  ])
  const rejects = openCsv(files.rejectsFile, ['line', 'old_id', 'email', 'reason'])
  const header = {
    ...({ version: 1, file: await digestFile(input.source), tenant: run.tenant } as const),
    ...{ baseUrl: run.baseUrl, startedAt: 0 },
  }
  const journal = isPreview ? undefined : openJournal(files.journalFile, header)
  const progress = createProgress(checked.rows, 0, 0)
  let failure: unknown
  try {
    await runUpdate({
      ...{ update: run.update, isPreview, repeated: checked.repeated, known },
      rows: () => readRows(input),
      isByAddress: run.known === undefined,
      saysState: (row) => saysState(row, input, checked.emptyAllows),
      concurrency: run.concurrency,
      signal: stop.signal,
      onCreated: ({ row, line, oldId, user }, id) =>
        journal?.append({ row, line, old: oldId, id, state: 'done', email: user.profile.email }),
      onRow: (row, result) => report({ row, result, known, counts, progress, review, rejects }),
    })
    if (!stop.signal.aborted && run.known !== undefined) {
      counts.gone = await reportGone(known, review)
    }
  } catch (error) {
    failure = error
  } finally {
    progress.stop()
    journal?.[Symbol.dispose]()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal)
  }
  for (const closed of await Promise.allSettled([review.close(), rejects.close()])) {
    if (closed.status === 'rejected') failure ??= closed.reason
  }
  if (failure === undefined && !stop.signal.aborted && !isPreview) {
    await writeKnown(files.resultFile, known).catch((error) => {
      failure = error
    })
  }
  const names = { review: files.reviewFile, rejects: files.rejectsFile }
  if (failure !== undefined || stop.signal.aborted) {
    refuseOldService(failure)
    printResult({ ...counts, ...names }, options, countsInWords(counts))
    throw interrupted(failure)
  }
  const all = isPreview ? names : { ...names, result: files.resultFile }
  printResult({ ...counts, ...all }, options, inWords(counts, run))
  if (counts.rejected > 0) throw new Exit(exitCodes.faults, `Rejected rows: ${files.rejectsFile}`)
}

/** The input of {@link report}. */
interface Report {
  row: ImportRow
  result: RowResult
  known: KnownUsers
  counts: Counts
  progress: Progress
  review: CsvFile
  rejects: CsvFile
}

/**
 * Counts a row at once, and lists it in the files that it belongs to. Resolves when both files have
 * room for the next row.
 */
async function report(input: Report): Promise<void> {
  const { row, result, known, counts, progress, review, rejects } = input
  const { line, oldId, user } = row
  const { email } = user.profile
  const state = countOf[result.status]
  counts[state]++
  progress.row(state === 'rejected' ? 'rejected' : 'done')
  const id = known.find(row)?.id ?? ('id' in result ? result.id : undefined)
  if (id !== undefined) known.note(row, id)
  const facts = [String(line), oldId, id ?? '', email].map(escapeFormula)
  const written: Promise<void>[] = []
  if (result.status === 'updated') {
    for (const member of result.members) addTo(counts.members, member)
    if (result.members.includes('disabled=true')) {
      counts.blocked++
      written.push(review.write(['blocked', ...facts, 'disabled', '']))
    }
  }
  for (const { member, reason } of 'conflicts' in result ? result.conflicts : []) {
    addTo(counts.kept, member)
    written.push(review.write(['conflict', ...facts, escapeFormula(member), reason]))
  }
  if (state === 'rejected') {
    const detail = 'code' in result ? `${result.code}: ${result.detail}` : reasonIn(result)
    written.push(rejects.write([String(line), ...[oldId, email, detail].map(escapeFormula)]))
  }
  await Promise.all(written)
}

/** Lists the users who are not in the file. Resolves to their number. */
async function reportGone(known: KnownUsers, review: CsvFile): Promise<number> {
  const gone = known.all().filter(({ line }) => line === '')
  for (const { oldId, id, email } of gone) {
    const facts = [oldId, id, email].map(escapeFormula)
    await review.write(['gone', '', ...facts, '', 'has no row in the export'])
  }
  return gone.length
}

/** Writes the result file, with all users of this import and earlier ones. */
async function writeKnown(resultFile: string, known: KnownUsers): Promise<void> {
  const result = openCsv(resultFile, resultColumns)
  const users = known.all().sort((one, other) => Number(one.line) - Number(other.line))
  for (const { oldId, id, line, email } of users) {
    await result.write([oldId, id, line, escapeFormula(email)])
  }
  await result.close()
}

function addTo(counts: Record<string, number>, name: string): void {
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] as number) : 0) + 1
}

function reasonIn(result: RowResult): string {
  return 'detail' in result ? result.detail : ''
}

/** @throws Error if the service is too old for an update. */
function refuseOldService(failure: unknown): void {
  if (!(failure instanceof ApiError) || failure.status !== 404) return
  throw new Error(
    'This service does not update users by an import. Update the service, or leave --update out to create new users only.',
    { cause: failure },
  )
}

/**
 * The error of an import that has stopped before its end.
 *
 * @param failure - The reason, if it was not a signal.
 */
export function interrupted(failure: unknown): Exit {
  const reason = failure instanceof Error ? `${fileFailure(failure) ?? failure.message}\n` : ''
  return new Exit(exitCodes.interrupted, `${reason}Interrupted; the same command continues.`)
}

/** The first line of the summary. If the update was interrupted, it has the rows until then. */
function countsInWords(counts: Counts): string {
  const { rows, changed, unchanged, conflicts, rejected } = counts
  const done = counts.new + changed + unchanged + conflicts + rejected
  const all = rows === 1 ? '1 row' : `${rows} rows`
  return `${counts.new} new, ${changed} changed, ${unchanged} unchanged, ${conflicts} conflicts, ${rejected} rejected: ${done < rows ? `${done} of ` : ''}${all}.`
}

function inWords(counts: Counts, { isPreview, files }: UpdateRun): string {
  const listOf = (numbers: Record<string, number>): string =>
    Object.entries(numbers)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, number]) => `${name} ${number}`)
      .join(', ') || 'nothing'
  const { gone } = counts
  return [
    countsInWords(counts),
    `Changed members: ${listOf(counts.members)}.`,
    `Kept as they are in the service: ${listOf(counts.kept)}.`,
    `Blocked now: ${counts.blocked}. Gone from the export: ${gone ?? 'not known without the result of an earlier import'}.`,
    ...(isPreview ? ['Nothing was changed.'] : [`New ids: ${files.resultFile}`]),
    `To review: ${files.reviewFile}`,
  ].join('\n')
}
