import { lstatSync, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { lockOf } from '../import/run/journal.ts'
import { isReplaced, isShareable, partOf } from '../import/run/results.ts'

/** The paths of the files that an import writes. Only an update writes the review file. */
export interface ImportFiles {
  journalFile: string
  resultFile: string
  rejectsFile: string
  reviewFile: string
}

/** The options that name files. */
export interface FileOptions {
  /** The path of the result file of an earlier import, or `true` without such a file. */
  update?: string | true
  firebaseHash?: string
  journal?: string
  result?: string
  rejects?: string
  review?: string
}

/** A path, and the argument that names it. */
interface Named {
  argument: string
  path: string
}

/**
 * The paths of the files that an import writes.
 *
 * @throws Exit (usage error) if a path is a folder, or means the same file as another path of the
 *   import. The lock and the temporary file of a written file are such paths too. The journal must
 *   be a file, because an import continues from it.
 */
export function filesOf(file: string, options: FileOptions): ImportFiles {
  const isUpdate = options.update !== undefined
  const files = {
    journalFile: options.journal ?? `${file}${isUpdate ? '.update' : ''}.journal`,
    resultFile: options.result ?? `${file}.result.csv`,
    rejectsFile: options.rejects ?? `${file}.rejects.csv`,
    reviewFile: options.review ?? `${file}.review.csv`,
  }
  const read = [named('FILE', file)]
  if (typeof options.update === 'string') read.push(named('--update', options.update))
  if (options.firebaseHash !== undefined) read.push(named('--firebase-hash', options.firebaseHash))
  const written = [
    named('--journal', files.journalFile),
    named('--result', files.resultFile),
    named('--rejects', files.rejectsFile),
    ...(isUpdate ? [named('--review', files.reviewFile)] : []),
  ]
  refuseSame(read, [...written, ...written.flatMap(temporary)])
  for (const { argument, path } of written) {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw new Exit(exitCodes.usage, `${path} is a folder; name a file.`)
    if (argument !== '--journal' || found === undefined || found.isFile()) continue
    throw new Exit(
      exitCodes.usage,
      `--journal must be a file, from which an import continues: ${path} is a FIFO or a device.`,
    )
  }
  return files
}

/** The files that an import writes beside a file, and removes at its end. */
function temporary({ argument, path }: Named): Named[] {
  if (isShareable(path)) return []
  const lock = named(`The lock of ${argument}`, lockOf(path))
  if (argument === '--journal' || !isReplaced(path)) return [lock]
  return [lock, named(`The temporary file of ${argument}`, partOf(path))]
}

function named(argument: string, path: string): Named {
  return { argument, path }
}

/** Refuses a written file that is another file of the import. Files that are read can be the same. */
function refuseSame(read: readonly Named[], written: readonly Named[]): void {
  const before = [...read]
  for (const one of written) {
    const same = before.find((other) => isSame(one, other) && !canBeBoth(one, other))
    if (same) {
      throw new Exit(
        exitCodes.usage,
        `${one.argument} must be a file of its own: ${one.path} is the same file as ${same.path} (${same.argument}).`,
      )
    }
    before.push(one)
  }
}

function isSame(one: Named, other: Named): boolean {
  return identityOf(one.path) === identityOf(other.path)
}

/**
 * Whether a file can have two uses. Results can go to one FIFO or device. The new result can
 * replace the earlier one, which has been read by then. A link is not replaced but written through,
 * so a write that fails would leave a part of the earlier result.
 */
function canBeBoth(one: Named, other: Named): boolean {
  if (other.argument === '--update') return one.argument === '--result' && isReplaced(one.path)
  return isResult(one) && isResult(other) && isShareable(one.path)
}

function isResult({ argument }: Named): boolean {
  return argument === '--result' || argument === '--rejects' || argument === '--review'
}

/**
 * The identity of the file that a path leads to, through links. Hard links of a file have one
 * identity. A file that does not exist yet has that of its folder, and its name.
 */
function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  if (found) return `${found.dev}:${found.ino}`
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return `${identityOf(dirname(path))}/${basename(path)}`
  }
  const target = readlinkSync(path)
  // `join` would drop a folder that `..` follows, which can be a link to another place.
  return identityOf(isAbsolute(target) ? target : `${dirname(path)}/${target}`)
}
