import {
  type CommandLine,
  createCommand,
  Exit,
  exitCodes,
  runCommand,
} from '@latchkey/management/command-line'
import { ServiceError } from '../domain/writes/errors.ts'
import { version } from '../version.ts'
import { addApplicationCommands } from './commands/application.ts'
import { addAuditCommand } from './commands/audit.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addConfirmCommand } from './commands/confirm.ts'
import { addConnectionCommands } from './commands/connection.ts'
import { addDevCommand } from './commands/dev.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeyCommands } from './commands/key.ts'
import { addSigningKeyCommands } from './commands/keys.ts'
import { addLoadCommand } from './commands/load.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addMoveCommand } from './commands/move.ts'
import { addOperatorCommands } from './commands/operator.ts'
import { addSeedCommand } from './commands/seed.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTenantCommands } from './commands/tenant.ts'

/**
 * Makes the `latchkey-service` command with all its subcommands. Its exit codes: 0 done, 1 failed,
 * 2 usage error. `load` also has 3 for failed operations, and 4 if it is interrupted.
 */
export function createProgram(): CommandLine {
  const program = createCommand('latchkey-service', version)
    .description('An identity service: tenants, applications, users, and a login for each tenant.')
    .addHelpText(
      'after',
      `
Examples:
  latchkey-service dev
  latchkey-service serve --data ./data --port 4400
  latchkey-service serve --database postgres://db/latchkey --redis redis://cache
  latchkey-service tenant create --data ./data --domain login.example.com
  latchkey-service key create --data ./data --name ci --all-tenants

An option that --help shows with (env: …) can be given as that environment variable instead, such as LATCHKEY_DATA for
--data. A variable with _FILE at its end names a file of a secret, such as LATCHKEY_DATABASE_FILE.
Exit codes: 0 done, 1 failed, 2 usage error; of load also 3 failed operations, 4 interrupted.`,
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
    addLoadCommand,
    addMigrateCommand,
    addMoveCommand,
    addBackupCommands,
    addConfirmCommand,
  ]) {
    add(program)
  }

  return { run: (args) => runCommand(program, args, exitOf) }
}

function exitOf(error: unknown): Exit | undefined {
  if (!(error instanceof ServiceError)) return undefined
  return new Exit(exitCodes.failed, `${error.message} (${error.code})`)
}
