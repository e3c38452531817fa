/** The exit codes of the commands. They are public API. */
export const exitCodes = {
  done: 0,
  /** The service refused a request or could not be reached, or a file could not be read. */
  failed: 1,
  usage: 2,
  /**
   * An import rejected rows, a dry run or `doctor` found faults, or `routes sync --check` found a
   * difference.
   */
  faults: 3,
  /** An import was interrupted; the same command continues it. */
  interrupted: 4,
} as const

/** The error that ends the command with an exit code. The message, if any, is printed to stderr. */
export class Exit extends Error {
  readonly exitCode: number

  constructor(exitCode: number, message = '') {
    super(message)
    this.exitCode = exitCode
  }
}
