/** The number of rows with a value, by column and value. */
export type SeenStates = ReadonlyMap<string, ReadonlyMap<string, number>>

/** The label of all values of a column that are not shown, or too many to be shown. */
export const OTHER_VALUES = '…'

/**
 * The name of a fault of a file. A program can use this name to show its own texts, in other
 * languages.
 */
export type FileFaultName =
  | 'hashed'
  | 'two_columns'
  | 'empty'
  | 'no_user_csv'
  | 'no_user_json'
  | 'no_user_ndjson'
  | 'no_email'
  | 'unclear'
  | 'unused'
  | 'heading_address'
  | 'heading_value'
  | 'heading_unnamed'
  | 'heading_twice'
  | 'heading_later'
  | 'not_utf8'
  | 'encoding'
  | 'gzip'
  | 'zip'
  | 'quote_open'
  | 'quote_inside'
  | 'misplaced'
  | 'unclosed'
  | 'firebase_algorithm'
  | 'firebase_missing'

/** The values in the sentence of a fault, such as the line. */
export type FileFaultValues = Readonly<Record<string, string | number>>

/**
 * The error for a file that cannot be imported. The message names the file, and how to fix the
 * fault with the command.
 */
export class FileFault extends Error {
  override readonly name = 'FileFault'
  readonly fault: FileFaultName
  readonly values: FileFaultValues

  /**
   * The values that may mean a blocked user, by column, each with its number of rows. The importer
   * has to decide each value.
   */
  readonly unclear: SeenStates

  constructor(
    message: string,
    fault: FileFaultName,
    values: FileFaultValues = {},
    unclear: SeenStates = new Map(),
  ) {
    super(message)
    this.fault = fault
    this.values = values
    this.unclear = unclear
  }
}
