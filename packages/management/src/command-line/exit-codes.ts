/** How a run of the command ends. The numbers are public. */
export const exitCodes = {
  done: 0,
  /** The service refused, could not be reached, or a file could not be read. */
  failed: 1,
  usage: 2,
  /** An import rejected rows, a dry run or `doctor` found faults, `routes sync --check` a difference. */
  faults: 3,
  /** An import was interrupted; the same command continues it. */
  interrupted: 4,
} as const

/** Ends the command with a code of its own; the message, if any, goes to stderr. */
export class Exit extends Error {
  readonly exitCode: number

  constructor(exitCode: number, message = '') {
    super(message)
    this.exitCode = exitCode
  }
}
