// cspell:ignore wahr falsch nein

import { FileFault, type FileFaultName, type FileFaultValues } from './file-fault.ts'
import { looksHashed } from './hashes.ts'
import { isEmailName } from './mapping.ts'
import { type RowFault, rowFault } from './row-fault.ts'

/** A row of a table: the names of the columns and the cells, in the same order. */
export interface CsvRow {
  line: number
  names: readonly string[]
  cells: readonly string[]
  fault: RowFault | undefined
}

/** The pattern of an email address. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** The pattern of values that are no column names: numbers, dates, UUIDs, digests and flags. */
const VALUE =
  /^([\d.,]+|\d{4}-\d\d-\d\d.*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,}|true|false|null|yes|wahr|falsch|ja|nein)$/i

const REMEDY = 'Put a line such as "id,email,name" in front, with a name for each column'

/**
 * Creates the reader of a table's rows, which takes the names of the columns from the first line.
 * The reader refuses a first line that has a user. Messages name lines and columns by number,
 * because a name might be a user's data.
 */
export function createHeading(file: string) {
  let names: string[] = []
  /** Whether the name of a column says that it has the email addresses. */
  let isKnown = false

  function begin(record: readonly string[]): void {
    const cells = record.map((cell) => cell.trim())
    const fault = headingFault(cells)
    if (fault) throw firstLineFault(file, fault)
    isKnown = cells.some(isEmailName)
    names = cells.map((name, n) => name || `column ${n + 1}`)
  }

  return {
    get names(): readonly string[] {
      return names
    },
    /**
     * Takes the next record. Returns its row, or `undefined` for the first line.
     *
     * @throws FileFault if the first line does not have the names of the columns.
     */
    take(line: number, cells: readonly string[]): CsvRow | undefined {
      if (names.length === 0) {
        begin(cells)
        return undefined
      }
      const isHeading = cells.some((cell, n) => isEmailName(cell) && isNameOrNew(names[n]))
      if (isHeading && isKnown) return { line, names: [], cells, fault: AGAIN }
      if (isHeading && !cells.some((cell) => ADDRESS.test(cell))) throw laterFault(file, line)
      const unnamed = cells.findIndex((cell, n) => isUnnamed(names[n], n) && ADDRESS.test(cell))
      if (!isKnown && unnamed !== -1) {
        const column = unnamed + 1
        throw firstLineFault(file, {
          text: `has no name for column ${column}, which has addresses`,
          name: 'heading_unnamed',
          values: { column },
        })
      }
      const isEven = cells.length === names.length
      const count = { count: cells.length, more: names.length }
      return { line, names, cells, fault: isEven ? undefined : rowFault('columns', count) }
    },
  }

  /**
   * Whether a cell in the column `name` may be the heading of the email addresses. If the column
   * with the addresses is known, only its cells may be.
   */
  function isNameOrNew(name: string | undefined): boolean {
    return !isKnown || isEmailName(name ?? '')
  }
}

const AGAIN = rowFault('heading')

const isUnnamed = (name: string | undefined, n: number): boolean => name === `column ${n + 1}`

interface HeadingFault {
  /** The end of a sentence that begins with the line, such as `has an email address`. */
  text: string
  name: FileFaultName
  values: FileFaultValues
}

/** The reason why a line cannot have the names of the columns; `undefined` if it can. */
function headingFault(cells: readonly string[]): HeadingFault | undefined {
  if (cells.some((cell) => ADDRESS.test(cell))) {
    const text = 'has an email address, and no names of columns'
    return { text, name: 'heading_address', values: {} }
  }
  const value = cells.findIndex((cell) => VALUE.test(cell) || looksHashed(cell))
  if (value !== -1) {
    const text = `has a value in column ${value + 1}, and no names of columns`
    return { text, name: 'heading_value', values: { column: value + 1 } }
  }
  const again = cells.findIndex((cell, n) => cell !== '' && cells.indexOf(cell) < n)
  if (again === -1) return undefined
  const first = cells.indexOf(cells[again] as string) + 1
  const text = `has no name for each column: columns ${first} and ${again + 1} have the same name`
  return { text, name: 'heading_twice', values: { first, second: again + 1 } }
}

function firstLineFault(file: string, { text, name, values }: HeadingFault): FileFault {
  const remedy = name === 'heading_twice' ? 'Rename or delete one of them' : REMEDY
  return new FileFault(`The first line of ${file} ${text}. ${remedy}.`, name, values)
}

function laterFault(file: string, line: number): FileFault {
  const sentence = `The names of the columns are in line ${line}. Put that line first, and leave out the lines above that have no user.`
  return new FileFault(`${file}: ${sentence}`, 'heading_later', { line })
}
