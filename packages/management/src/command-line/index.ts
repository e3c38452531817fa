/** Shared parts of the commands of this repository, not meant for applications. */
export { oneOf, wholeNumber } from './arguments.ts'
export { type CommandLine, createCommand, runCommand } from './command-line.ts'
export { Exit, exitCodes } from './exit-codes.ts'
export { readInput } from './files.ts'
export {
  type JsonOptions,
  printLine,
  printResult,
  printTable,
  printText,
  withJson,
} from './output.ts'
export { SecretOption, secretOf } from './secrets.ts'
export { oneLine, printableJson } from './terminal.ts'
