/** How many rows have a value, by column. */
export type SeenStates = ReadonlyMap<string, ReadonlyMap<string, number>>

/** The name of a fault of a file, by which a program says it in words and languages of its own. */
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

/** The values that belong to a fault, such as its line. */
export type FileFaultValues = Readonly<Record<string, string | number>>

/** A file that cannot be imported. The message names the file and the remedy of the command. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
  readonly fault: FileFaultName
  readonly values: FileFaultValues

  /** Values that may say who must not log in, of which each is to be decided, with their rows by column. */
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
