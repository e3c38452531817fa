// cspell:ignore wahr falsch nein

import { FileFault, type FileFaultName, type FileFaultValues } from './file-fault.ts'
import { looksHashed } from './hashes.ts'
import { isEmailName } from './mapping.ts'
import { type RowFault, rowFault } from './row-fault.ts'

/** A row of a table: its cells by the names of their columns. */
export interface CsvRow {
  line: number
  names: readonly string[]
  cells: readonly string[]
  fault: RowFault | undefined
}

/** A value that is an email address. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Values that no column is named after: numbers, dates, identifiers, digests, flags. */
const VALUE =
  /^([\d.,]+|\d{4}-\d\d-\d\d.*|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,}|true|false|null|yes|wahr|falsch|ja|nein)$/i

const REMEDY = 'Put a line such as "id,email,name" in front, with a name for each column'

/**
 * Makes the reader of a table's first line. The cells tell whether it has the names of columns or already a user.
 * Advice names lines and columns by their numbers, because a name might be a user's data.
 */
export function createHeading(file: string) {
  let names: string[] = []
  /** Whether a column is known to hold the email addresses. */
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
    /** Takes the next record. Returns its row, or `undefined` for the line with the names. */
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
   * Whether a cell may be an email address by its column. Every cell may, unless a column is named
   * after addresses.
   */
  function isNameOrNew(name: string | undefined): boolean {
    return !isKnown || isEmailName(name ?? '')
  }
}

const AGAIN = rowFault('heading')

const isUnnamed = (name: string | undefined, n: number): boolean => name === `column ${n + 1}`

interface HeadingFault {
  /** The fault, to follow the name of the line in a sentence. */
  text: string
  name: FileFaultName
  values: FileFaultValues
}

/** The reason why a line cannot hold the names of the columns. */
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
