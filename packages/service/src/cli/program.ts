import { Command, CommanderError } from 'commander'
import { ServiceError } from '../domain/writes/errors.ts'
import { version } from '../version.ts'
import { helpOfAllCommands } from './all-commands.ts'
import { addApplicationCommands } from './application.ts'
import { addAuditCommand } from './audit.ts'
import { addBackupCommands } from './backup.ts'
import { addConnectionCommands } from './connection.ts'
import { addDevCommand } from './dev.ts'
import { addDoctorCommand } from './doctor.ts'
import { fileFailure } from './file-failure.ts'
import { addKeyCommands } from './key.ts'
import { addSigningKeyCommands } from './keys.ts'
import { addMigrateCommand } from './migrate.ts'
import { addMoveCommand } from './move.ts'
import { addOperatorCommands } from './operator.ts'
import { addSeedCommand } from './seed.ts'
import { addServeCommand } from './serve.ts'
import { addTenantCommands } from './tenant.ts'
import { printable } from './terminal.ts'

/** The `latchkey-service` command. */
export interface Program {
  /** Runs it; resolves with the exit code: 0 done, 1 failed, 2 usage error. */
  run(args: string[]): Promise<number>
}

/** Makes the command with all its subcommands. */
export function createProgram(): Program {
  const program = new Command('latchkey-service')
    .description('An identity service: tenants, applications, users, and a login for each tenant.')
    .version(version, '--version', 'print the version')
    .configureHelp(helpOfAllCommands)
    .showHelpAfterError('Add --help for the options.')
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(printable(text)) })
    .addHelpText(
      'after',
      `
Examples:
  latchkey-service dev
  latchkey-service serve --data ./data --port 4400
  latchkey-service serve --database postgres://db/latchkey --redis redis://cache
  latchkey-service tenant create --data ./data --domain login.example.com
  latchkey-service key create --data ./data --name ci --all-tenants

Every option with a value, except those of dev, can be given as an environment variable instead, such as
LATCHKEY_DATA for --data.
Exit codes: 0 done, 1 failed, 2 usage error.`,
    )
  for (const add of [
    addDevCommand,
    addServeCommand,
    addTenantCommands,
    addApplicationCommands,
    addConnectionCommands,
    addKeyCommands,
    addSigningKeyCommands,
    addOperatorCommands,
    addSeedCommand,
    addAuditCommand,
    addDoctorCommand,
    addMigrateCommand,
    addMoveCommand,
    addBackupCommands,
  ]) {
    add(program)
  }

  return {
    async run(args) {
      try {
        await program.parseAsync(args, { from: 'user' })
        return 0
      } catch (error) {
        if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
        console.error(printable(describe(error)))
        return 1
      }
    },
  }
}

function describe(error: unknown): string {
  if (error instanceof ServiceError) return `${error.message} (${error.code})`
  return fileFailure(error) ?? (error instanceof Error ? error.message : String(error))
}
