import { FileFault } from './file-fault.ts'
import type { Source } from './source.ts'

/** A column of passwords that holds their hashes: as passwords, they would let in anyone who has read the table. */
export function hashedFault(file: string, line: number, column: string): FileFault {
  const fault = `"${column}" holds a hash rather than a password`
  return new FileFault(
    `${file}, line ${line}: ${fault}; add --map hash=${column}, or leave passwords out with --no-passwords.`,
    `In line ${line}, ${fault}; choose “hash” for the column, or leave passwords out.`,
  )
}

/** A file that holds no user at all. */
export async function emptyFault({ name, format, read }: Source): Promise<FileFault> {
  const sizes = []
  for await (const chunk of read()) sizes.push(chunk.length)
  if (sizes.every((size) => size === 0)) {
    return new FileFault(`${name} is empty.`, 'The file is empty.')
  }
  return new FileFault(
    `${name} has no user in it: ${emptyReasons[format]}.`,
    `The file has no user in it: ${emptyReasons[format]}.`,
  )
}

const emptyReasons: Readonly<Record<Source['format'], string>> = {
  csv: 'it was read as CSV, and there is no row below its first line',
  json: 'its array is empty',
  ndjson: 'all of its lines are empty',
}

/** A file without a column of email addresses: one sentence instead of the same fault in each row. */
export function emailFault(file: string, likely: Set<string>, columns: Set<string>): FileFault {
  const sentence =
    'No column has email addresses, and every user needs one. Choose “email” for a column.'
  const [column] = likely
  const lack = `No column of ${file} is known to hold email addresses`
  if (column !== undefined) {
    return new FileFault(`${lack}. "${column}" looks like it; add --map email=${column}`, sentence)
  }
  const found = `; the columns are ${[...columns].join(', ')}`
  return new FileFault(
    `${lack}, and every user needs one. Name it with --map email=COLUMN${found}.`,
    sentence,
  )
}
