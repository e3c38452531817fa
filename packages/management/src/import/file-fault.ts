/** A file that cannot be imported. The message names the file and the remedy of the command. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
  /** The fault without the name of the file and without options of the command, as a sentence. */
  readonly sentence: string

  constructor(message: string, sentence: string) {
    super(message)
    this.sentence = sentence
  }
}
