import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createManagementClient } from '../client.ts'
import { wholeNumber } from '../command-line/arguments.ts'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { type JsonOptions, printResult, withJson } from '../command-line/output.ts'
import { oneLine } from '../command-line/terminal.ts'
import {
  type Checked,
  checkFile,
  digestFile,
  fileSource,
  type ImportFile,
  readRows,
} from '../import/check.ts'
import { detectFormat } from '../import/detect.ts'
import { type Encoding, encodings } from '../import/encoding.ts'
import { valuesInWords } from '../import/file-faults.ts'
import { type HashName, hashNames } from '../import/hashes.ts'
import { type FirebaseParameters, readFirebaseParameters } from '../import/legacy.ts'
import { createMapping, targets } from '../import/mapping.ts'
import { faultsInWords } from '../import/row-fault.ts'
import { changedFlags, digestFlags, type FlagDigests } from '../import/run/flags.ts'
import {
  hasBegun,
  type JournalHeader,
  openJournal,
  otherTenant,
  withLocks,
} from '../import/run/journal.ts'
import { createPace, type Pace } from '../import/run/pace.ts'
import { hasUsers, isShareable, writeResults } from '../import/run/results.ts'
import { readStanding } from '../import/run/resume.ts'
import { runImport } from '../import/run/run.ts'
import { type FileFormat, formats } from '../import/source.ts'
import { createStates, type StateFlag } from '../import/states.ts'
import { resolveOptions } from '../options.ts'
import { createSend } from '../request.ts'
import { createUserImporter } from '../resources/user-importer.ts'
import { createUserUpdater } from '../resources/user-updater.ts'
import { createHttpFetch } from './http-fetch.ts'
import {
  clientOptions,
  pair,
  requireUrlUnless,
  type TenantOptions,
  tenantOf,
  withTenant,
} from './options.ts'
import { createProgress } from './progress.ts'
import { type FileOptions, filesOf, type ImportFiles } from './users-import-files.ts'
import { interrupted, type UpdateRun, updateUsers } from './users-update.ts'

interface ImportOptions extends TenantOptions, JsonOptions, FileOptions {
  format?: FileFormat
  encoding: Encoding
  map?: [string, string][]
  blocks?: StateFlag[]
  allows?: StateFlag[]
  hashAlgorithm?: HashName
  passwords: boolean
  dryRun?: boolean
  concurrency: number
  requestsPerSecond?: number
}

const NO_STATES =
  'No column says who may log in: all users are imported enabled. If the old system has blocked users, its export must say who they are.'

const SHOWN_FAULTS = 1_000

/** Adds `users import`. */
export function addImportCommand(users: Command): void {
  const command = withJson(withTenant(users.command('import <file>')))
  requireUrlUnless<ImportOptions>(command, ({ dryRun, update }) => !!dryRun && update === undefined)
    .description('Create the users of a CSV, NDJSON or JSON file, with their old passwords.')
    .addOption(
      new Option('--format <format>', 'of the file (default: by its content)').choices(formats),
    )
    .addOption(
      new Option('--encoding <encoding>', 'of the file').choices(encodings).default('utf8'),
    )
    .option('--map <member=column>', 'where a member is; repeatable (default: by name)', toMap)
    .option('--blocks <column=value>', 'whose users must not log in; repeatable', toState)
    .option('--allows <column=value>', 'whose users may log in; repeatable', toState)
    .addOption(
      new Option('--hash-algorithm <name>', 'of hashes in rows that name none').choices(hashNames),
    )
    .option(
      '--firebase-hash <file>',
      'the password hash parameters of a project of Firebase, as its console shows them',
    )
    .option('--no-passwords', 'leave passwords and hashes out; users choose new ones')
    .option('--dry-run', 'change nothing; report all faults with line numbers')
    .option('--update [result]', 'update users by a newer export; RESULT is of an earlier import')
    .option('--review <file>', 'CSV of conflicts, blocked and gone (default: FILE.review.csv)')
    .option('--concurrency <number>', 'requests under way at a time', wholeNumber(1, 256), 32)
    .option('--requests-per-second <number>', 'not to exceed', wholeNumber(1, 1_000_000))
    .option('--journal <file>', 'how far it came (default: FILE.journal)')
    .option('--result <file>', 'CSV of old id and new id (default: FILE.result.csv)')
    .option('--rejects <file>', 'CSV of rejected rows with reasons (default: FILE.rejects.csv)')
    .addHelpText('after', help)
    .action(importUsers)
}

const help = `
Members: ${targets.join(', ')}, profile.* and metadata.*.
Users whom a column such as status, banned_until or deleted_at denies are imported disabled. If a value of such a
column is not known, nothing is imported until --blocks or --allows names it; with a column alone, either is for all
of its values.
Columns of these names, or of common ones such as first_name or password_hash, are found by name.
A JSON file may be an array, objects that follow each other, or an object with an array "users".

With --update, users of an earlier import are updated: members that changed in the export, unless they were changed in
the service since. RESULT is the result file of the last import, which has the ids; without it, users are matched by
address. With --dry-run, it says in numbers what would happen.

An import that was interrupted or killed is continued by the same command.

Examples:
  latchkey users import users.csv --dry-run
  latchkey users import newer.csv --update users.csv.result.csv --dry-run
  latchkey users import users.csv --map id=user_no --map email=login --hash-algorithm md5
  latchkey users import firebase.json --firebase-hash firebase-hash.txt
  latchkey users import users.ndjson --requests-per-second 50`

async function importUsers(file: string, options: ImportOptions): Promise<void> {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new Error(`There is no file ${file}.`)
  if (found.isDirectory()) throw new Error(`${file} is a folder; name a file.`)
  if (options.review !== undefined && options.update === undefined) {
    throw new Exit(exitCodes.usage, '--review is for --update; leave it out, or add --update.')
  }
  const files = filesOf(file, options)
  const format = await detectFormat(file)
  const named = new Map(options.map)
  const input: ImportFile = {
    source: fileSource(file, options.format ?? format, options.encoding),
    mapping: createMapping(named),
    named,
    hashAlgorithm: options.hashAlgorithm,
    withoutPasswords: !options.passwords,
    firebase: await readFirebaseHash(options),
    states: createStates({ blocks: options.blocks, allows: options.allows, now: Date.now() }),
  }
  let shown = 0
  const checked = await checkFile(input, (line, fault) => {
    if (!options.dryRun || shown++ < SHOWN_FAULTS || !process.stderr.isTTY) {
      if (options.dryRun) console.error(`line ${line}: ${oneLine(faultsInWords([fault]))}`)
    }
  })
  if (checked.ignored.length > 0) console.error(`Left out: ${oneLine(checked.ignored.join(', '))}`)
  for (const [column, values] of checked.seen) {
    console.error(oneLine(`${column}: ${valuesInWords(values)}`))
  }
  if (checked.disabled > 0) console.error(`To be imported disabled: ${count(checked.disabled)}.`)
  if (options.update !== undefined) return update(input, checked, options, files)
  if (!checked.saysStates) console.error(NO_STATES)
  if (options.dryRun) return reportDryRun(checked, options)
  const outputs = [files.resultFile, files.rejectsFile].filter((path) => !isShareable(path))
  await withLocks(files.journalFile, outputs, () => run(input, checked, options, files))
}

async function readFirebaseHash({
  firebaseHash: file,
  passwords,
}: ImportOptions): Promise<FirebaseParameters | undefined> {
  if (file === undefined) return undefined
  if (!passwords) {
    throw new Exit(exitCodes.usage, '--firebase-hash and --no-passwords exclude each other.')
  }
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new Error(`--firebase-hash: there is no file ${file}.`)
  }
  return readFirebaseParameters(await readFile(file, 'utf8'))
}

function count(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`
}

async function update(
  input: ImportFile,
  checked: Checked,
  options: ImportOptions,
  files: ImportFiles,
): Promise<void> {
  const known = options.update === true ? undefined : options.update
  if (known !== undefined && !statSync(known, { throwIfNoEntry: false })?.isFile()) {
    throw new Error(`There is no file ${known}, the result of an earlier import.`)
  }
  const pace = paceOf(options)
  const connection = clientOptions(options, pace.fetch)
  const client = createManagementClient(connection)
  const tenant = await tenantOf(client, options)
  await client.tenants.get(tenant)
  const updateRun: UpdateRun = {
    ...{ input, checked, tenant, baseUrl: options.url, known },
    update: createUserUpdater(createSend(resolveOptions(connection)), tenant),
    isPreview: options.dryRun === true,
    concurrency: options.concurrency,
    files,
  }
  const { journalFile, ...results } = files
  const outputs = Object.values(results).filter((path) => !isShareable(path))
  await withLocks(journalFile, outputs, () => updateUsers(updateRun, options))
}

function paceOf({ timeout, requestsPerSecond }: ImportOptions): Pace {
  return createPace(createHttpFetch(), { timeoutSeconds: timeout, most: requestsPerSecond })
}

function reportDryRun({ rows, faulty }: Checked, options: ImportOptions): void {
  const words = `${rows - faulty} of ${count(rows)} can be imported.`
  printResult({ rows, faulty }, options, words)
  if (faulty === 0) return
  throw new Exit(exitCodes.faults, `${count(faulty)} ${faulty === 1 ? 'has' : 'have'} faults.`)
}

async function run(
  input: ImportFile,
  checked: Checked,
  options: ImportOptions,
  files: ImportFiles,
): Promise<void> {
  const { journalFile, resultFile, rejectsFile } = files
  if (hasUsers(resultFile) && !(await hasBegun(journalFile))) {
    throw new Error(
      `${resultFile} has the ids of an earlier import; name another file with --result, or rename this one.`,
    )
  }
  const pace = paceOf(options)
  const connection = clientOptions(options, pace.fetch)
  const client = createManagementClient(connection)
  const tenant = await tenantOf(client, options)
  await client.tenants.get(tenant)
  const importer = createUserImporter(createSend(resolveOptions(connection)), tenant)
  const isOffered = await importer.isOffered()
  const header: JournalHeader = {
    version: 1,
    file: await digestFile(input.source),
    tenant,
    baseUrl: options.url,
    startedAt: pace.serverTime(),
    flags: flagsOf(input, options),
  }
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal)
  let failure: unknown
  let counts = { done: 0, rejected: 0 }
  const journal = openJournal(journalFile, header)
  try {
    const standing = await readStanding(journalFile, journal.isNew)
    checkHeader(standing.header, header, files)
    counts = { done: standing.done, rejected: standing.rejected }
    const before = counts.done + counts.rejected
    if (before > 0) console.error(`Continuing after ${before} of ${count(checked.rows)}.`)
    const progress = createProgress(checked.rows, counts.done, counts.rejected)
    await runImport({
      client,
      importer: isOffered ? importer : undefined,
      tenantId: tenant,
      rows: readRows(input),
      repeated: checked.repeated,
      journal,
      standing,
      startedAt: standing.header?.startedAt ?? header.startedAt,
      concurrency: options.concurrency,
      signal: stop.signal,
      onRow(state) {
        counts[state]++
        progress.row(state)
      },
    }).catch((error) => {
      failure = error
    })
    progress.stop()
  } finally {
    journal[Symbol.dispose]()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal)
  const written = await writeResults(journalFile, resultFile, rejectsFile).catch((error) => {
    failure ??= error
  })
  const { done, rejected } = counts
  const words = `${done} imported, ${rejected} rejected, ${count(checked.rows)}.`
  printResult(
    { imported: done, rejected, rows: checked.rows, ...written },
    options,
    written ? `${words}\nNew ids: ${resultFile}` : words,
  )
  if (failure !== undefined || stop.signal.aborted) throw interrupted(failure)
  if (counts.rejected === 0) return
  throw new Exit(
    exitCodes.faults,
    `Rejected rows: ${rejectsFile}\nTo import them, correct the file or the flags, and add --update ${resultFile}. Or put these rows into a file of their own.`,
  )
}

/** The digests of the flags that decide what a row becomes. The order of repeated flags is ignored. */
function flagsOf(input: ImportFile, options: ImportOptions): FlagDigests {
  return digestFlags({
    '--format': input.source.format,
    '--encoding': options.encoding,
    '--map': [...input.named].sort(),
    '--blocks': options.blocks?.toSorted(),
    '--allows': options.allows?.toSorted(),
    '--hash-algorithm': options.hashAlgorithm,
    '--firebase-hash': input.firebase,
    '--no-passwords': options.passwords ? undefined : true,
  })
}

/** @throws Error if the journal is of another import than this one. */
function checkHeader(
  found: JournalHeader | undefined,
  wanted: JournalHeader,
  { journalFile, resultFile }: ImportFiles,
): void {
  if (!found) return
  if (found.tenant !== wanted.tenant) throw otherTenant(journalFile)
  const update = `add --update ${resultFile}, which changes the users who were imported and creates those who were not.`
  if (found.file !== wanted.file) {
    throw new Error(
      `${journalFile} is of an import of another version of the file. To import this version, ${update} Or put mended rows into a file of their own.`,
    )
  }
  const changed = found.flags && wanted.flags ? changedFlags(found.flags, wanted.flags) : []
  if (changed.length === 0) return
  throw new Error(
    `${journalFile} is of an import with other flags (${changed.join(', ')}). Continue it with its own, or ${update}`,
  )
}

function toMap(text: string, before?: [string, string][]): [string, string][] {
  const pairs = pair(text, before)
  const [target = ''] = pairs.at(-1) ?? []
  const isKnown = targets.includes(target) || /^(profile|metadata)\../.test(target)
  if (!isKnown) throw new InvalidArgumentError(`"${target}" is not a member of a user.`)
  return pairs
}

/**
 * Parses `COLUMN=VALUE` or `COLUMN` of a repeatable option. Returns the earlier flags and the new
 * one.
 */
function toState(text: string, before: StateFlag[] = []): StateFlag[] {
  const at = text.indexOf('=')
  if (text === '' || at === 0) throw new InvalidArgumentError('It must be COLUMN=VALUE or COLUMN.')
  const flag: StateFlag =
    at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1).trim()]
  return [...before, flag]
}
