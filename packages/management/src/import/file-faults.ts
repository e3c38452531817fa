import { FileFault, OTHER_VALUES, type SeenStates } from './file-fault.ts'
import type { Contradiction } from './row.ts'
import type { Source } from './source.ts'

/** The maximum number of values of a column that a message shows. */
const SHOWN_VALUES = 5

/**
 * The maximum number of characters of a value that a message shows, unless another value begins
 * with the same ones.
 */
const SHOWN_LENGTH = 40

/** The number of characters that a message shows before and after the place of a difference. */
const SHOWN_AROUND = 20

/**
 * The fault of a column of passwords that has hashes. If a hash were imported as a password, anyone
 * who has read the table could log in with it.
 */
export function hashedFault(file: string, line: number, column: string): FileFault {
  const fault = `"${column}" holds a hash rather than a password`
  return new FileFault(
    `${file}, line ${line}: ${fault}; add --map hash=${column}, or leave passwords out with --no-passwords.`,
    'hashed',
    { line, column },
  )
}

/**
 * The fault of two columns with different values for one member. The message does not quote the
 * values, which may be hashes.
 */
export function contradictionFault(
  file: string,
  line: number,
  { target, columns: [one, other] }: Contradiction,
): FileFault {
  return new FileFault(
    `${file}, line ${line}: the columns "${one}" and "${other}" are both for ${target}, and their values differ. Choose one of them: --map '${target}=${one}' or --map '${target}=${other}'.`,
    'two_columns',
    { line, one, other, target },
  )
}

/** The fault of a file without any user. */
export async function emptyFault({ name, format, read }: Source): Promise<FileFault> {
  const sizes = []
  for await (const chunk of read()) sizes.push(chunk.length)
  if (sizes.every((size) => size === 0)) {
    return new FileFault(`${name} is empty.`, 'empty')
  }
  return new FileFault(`${name} has no user in it: ${emptyReasons[format]}.`, `no_user_${format}`)
}

const emptyReasons: Readonly<Record<Source['format'], string>> = {
  csv: 'it was read as CSV, and there is no row below its first line',
  json: 'its array is empty',
  ndjson: 'all of its lines are empty',
}

/**
 * The fault of a file without a column of email addresses. It is reported once, in place of the
 * same fault in each row.
 *
 * @param likely - The columns with values that look like email addresses.
 * @param columns - The columns of the file.
 */
export function emailFault(file: string, likely: Set<string>, columns: Set<string>): FileFault {
  const [column] = likely
  const lack = `No column of ${file} is known to hold email addresses`
  if (column !== undefined) {
    return new FileFault(
      `${lack}. "${column}" looks like it; add --map email=${column}`,
      'no_email',
    )
  }
  const found = `; the columns are ${[...columns].join(', ')}`
  return new FileFault(
    `${lack}, and every user needs one. Name it with --map email=COLUMN${found}.`,
    'no_email',
  )
}

/** Formats the values of a column, each with its number of rows. */
export function valuesInWords(
  values: ReadonlyMap<string, number>,
  inWords = (rows: number): string => (rows === 1 ? '1 row' : `${rows} rows`),
): string {
  const first = [...values].slice(0, SHOWN_VALUES)
  const texts = shortened(first.map(([value]) => value))
  const shown = first.map(([, rows], n) => `${texts[n]} (${inWords(rows)})`)
  return [...shown, ...(values.size > shown.length ? ['…'] : [])].join(', ')
}

/**
 * Shortens long values to their first characters. Values with the same beginning, such as JSON, are
 * also shown around each place where two of them differ.
 */
function shortened(values: readonly string[]): string[] {
  const startOf = (value: string) => value.slice(0, SHOWN_LENGTH)
  return values.map((value) => {
    if (value.length <= SHOWN_LENGTH) return value
    const alike = values.filter((other) => startOf(other) === startOf(value)).sort()
    const places = alike.slice(1).map((other, n) => differenceOf(other, alike[n] ?? ''))
    let text = ''
    let end = 0
    for (const place of [0, ...places.sort((one, other) => one - other)]) {
      const from = Math.max(end, place - SHOWN_AROUND)
      const to = place === 0 ? SHOWN_LENGTH : place + SHOWN_AROUND
      if (to <= end || from >= value.length) continue
      text += `${from > end ? '…' : ''}${value.slice(from, to)}`
      end = to
    }
    return end < value.length ? `${text}…` : text
  })
}

/** The first position at which two different texts differ. */
function differenceOf(one: string, other: string): number {
  let at = 0
  while (one[at] === other[at]) at++
  return at
}

/** The fault of a file with columns that may say who must not log in, but with unknown values. */
export function stateFault(file: string, unclear: SeenStates): FileFault {
  const found = [...unclear].map(([column, values]) => `${column}: ${valuesInWords(values)}`)
  const inNumbers = [...unclear].map(([one, all]) => `${one}: ${valuesInWords(all, String)}`)
  const [[column, values] = ['', new Map<string, number>()]] = unclear
  const isHidden = [...unclear.values()].some((all) => all.has(OTHER_VALUES))
  const hint = isHidden
    ? ` "${OTHER_VALUES}" stands for values that are not shown, such as those of a column of an unknown name, which may be passwords; look into the file.`
    : ''
  const value = [...values.keys()].find((one) => one !== OTHER_VALUES) ?? 'VALUE'
  const example = `--blocks '${column}=${value}'`
  return new FileFault(
    `${file} has values that may say who must not log in. ${found.join('; ')}.${hint} For each value, add ${example} if its users must not log in, or --allows '${column}=${value}' if they may; --allows '${column}' is for a column that says nothing about logging in.`,
    'unclear',
    { values: inNumbers.join('; ') },
    unclear,
  )
}

/**
 * The fault of `--blocks` or `--allows` with a value that no row has. A mistyped value would let
 * blocked users log in.
 */
export function unusedFault(flag: string): FileFault {
  return new FileFault(
    `--blocks or --allows ${flag}: no row has this value, or the column is not there.`,
    'unused',
    { value: flag },
  )
}
