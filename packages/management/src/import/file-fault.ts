/** How many rows have a value, by column. */
export type SeenStates = ReadonlyMap<string, ReadonlyMap<string, number>>

/** A file that cannot be imported. The message names the file and the remedy of the command. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
  /** The fault without the name of the file and without options of the command, as a sentence. */
  readonly sentence: string

  /** Values that may say who must not log in, of which each is to be decided, with their rows by column. */
  readonly unclear: SeenStates

  constructor(message: string, sentence: string, unclear: SeenStates = new Map()) {
    super(message)
    this.sentence = sentence
    this.unclear = unclear
  }
}
