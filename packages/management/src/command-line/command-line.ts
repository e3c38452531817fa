import { Command, CommanderError, type ParseOptionsResult } from 'commander'
import { closestMatch } from 'leven'
import { Exit, exitCodes } from './exit-codes.ts'
import { fileFailure } from './files.ts'
import { leaves, subcommandTerm } from './help.ts'
import { SecretOption, secretOf } from './secrets.ts'
import { printable } from './terminal.ts'

/** A command with its subcommands. */
export interface CommandLine {
  /** Runs the command. Resolves to the exit code. */
  run(args: string[]): Promise<number>
}

/** A command that also reads secrets from the files that the variables `…_FILE` name. */
class SecretsCommand extends Command {
  override createCommand(name?: string): Command {
    return new SecretsCommand(name)
  }

  // commander reads environment variables after the arguments. So the files with secrets are read
  // here, between the two steps.
  override parseOptions(args: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(args)
    if (parsed.unknown.some((word) => word === '--help' || word === '-h')) return parsed
    for (const option of this.options) {
      const { envVar } = option
      // An empty variable counts as not set, because compose files and systemd units can only empty
      // a variable.
      if (envVar && process.env[envVar] === '') delete process.env[envVar]
      if (!(option instanceof SecretOption) || !envVar || !process.env[`${envVar}_FILE`]) continue
      const key = option.attributeName()
      if (this.getOptionValueSource(key) === 'cli') continue
      this.setOptionValueWithSource(key, secretOf(envVar), 'file')
    }
    return parsed
  }
}

/**
 * Creates a command. Its help lists all subcommands, it suggests the most similar command name, and
 * its error messages contain no terminal control characters.
 */
export function createCommand(name: string, version: string): Command {
  const command = new SecretsCommand(name)
    .version(version, '--version', 'print the version')
    .configureHelp({ visibleCommands: leaves, subcommandTerm })
    .showHelpAfterError('Add --help for the options.')
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(printable(text)) })
  // commander's own hint considers only the commands that the help lists, which leaves out groups.
  command.on('command:*', ([unknown = '']: string[]) => {
    const names = command.commands.map((one) => one.name())
    const nearest = closestMatch(unknown, names, { maxDistance: 3 })
    const hint = nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`
    command.error(`error: unknown command '${unknown}'${hint}`, {
      code: 'commander.unknownCommand',
    })
  })
  return command
}

/**
 * Runs a command, and resolves to its exit code. If the command fails, the reason is printed to
 * stderr.
 *
 * @param exitOf - Maps an error of the command to its exit. For `undefined`, the exit code is that
 *   of `failed`.
 */
export async function runCommand(
  command: Command,
  args: string[],
  exitOf: (error: unknown) => Exit | undefined = () => undefined,
): Promise<number> {
  try {
    await command.parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
    const { exitCode, message } = error instanceof Exit ? error : (exitOf(error) ?? failed(error))
    if (message) console.error(printable(message))
    return exitCode
  }
}

function failed(error: unknown): Exit {
  const message = fileFailure(error) ?? (error instanceof Error ? error.message : String(error))
  return new Exit(exitCodes.failed, message)
}
