import { stat } from 'node:fs/promises'
import type { FileFormat } from './source.ts'

/** A column of passwords that holds their hashes: as passwords, they would let in anyone who has read the table. */
export function hashedFault(file: string, line: number, column: string): Error {
  return new Error(
    `${file}, line ${line}: "${column}" holds a hash rather than a password; ` +
      `add --map hash=${column}, or leave passwords out with --no-passwords.`,
  )
}

/** A file that holds no user at all. */
export async function emptyFault(file: string, format: FileFormat): Promise<Error> {
  if ((await stat(file)).size === 0) return new Error(`${file} is empty.`)
  const why = {
    csv: 'it was read as CSV, and there is no row below its first line',
    json: 'its array is empty',
    ndjson: 'all of its lines are empty',
  }
  return new Error(`${file} has no user in it: ${why[format]}.`)
}

/** A file without a column of email addresses: one sentence instead of the same fault in each row. */
export function emailFault(file: string, likely: Set<string>, columns: Set<string>): Error {
  const [column] = likely
  const lack = `No column of ${file} is known to hold email addresses`
  if (column !== undefined) {
    return new Error(`${lack}. "${column}" looks like it; add --map email=${column}`)
  }
  const found = `; the columns are ${[...columns].join(', ')}`
  return new Error(`${lack}, and every user needs one. Name it with --map email=COLUMN${found}.`)
}
