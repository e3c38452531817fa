import type { Command } from 'commander'
import { type CommandLine, createCommand, runCommand } from '../command-line/command-line.ts'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { isLoopback } from '../doctor/checks.ts'
import { AuthenticationError, OptionsError } from '../errors.ts'
import { version } from '../version.ts'
import { addCompletionCommand } from './completion.ts'
import { addDoctorCommand } from './doctor.ts'
import { addGrantCommands } from './grants.ts'
import { addLoginCommands } from './login.ts'
import { usesLogin } from './options.ts'
import { addResourceCommands } from './resources.ts'
import { addRoutesCommand } from './routes.ts'
import { addSupportCommands } from './support.ts'
import { addExportCommand } from './users-export.ts'
import { addImportCommand } from './users-import.ts'
import { addWebhookCommands } from './webhooks.ts'

/**
 * Creates the `latchkey` command with all its subcommands. For the exit codes, see {@link
 * exitCodes}.
 */
export function createProgram(): CommandLine {
  const program = createCommand('latchkey', version)
    .description('Manage tenants, applications and users; import users; check an installation.')
    .addHelpText('after', help)
    .hook('preAction', (_, command) => warnOfKey(command))
  addLoginCommands(program)
  const users = addResourceCommands(program)
  addSupportCommands(program, users)
  addGrantCommands(program)
  addWebhookCommands(program)
  addImportCommand(users)
  addExportCommand(users)
  addRoutesCommand(program)
  addDoctorCommand(program)
  addCompletionCommand(program)

  return { run: (args) => runCommand(program, args, exitOf) }
}

function exitOf(error: unknown): Exit | undefined {
  if (error instanceof AuthenticationError && usesLogin()) {
    return new Exit(exitCodes.failed, `${error.message}\n${ENDED}`)
  }
  return error instanceof OptionsError ? new Exit(exitCodes.usage, error.message) : undefined
}

const ENDED =
  'The login has ended: it was withdrawn, or the session of the browser or your access as an operator has ended. Run latchkey login again. (LATCHKEY_OPERATOR_LOGIN_ENDED)'

/** Warns on stderr about a secret in the arguments, and about an API key that is sent over http. */
function warnOfKey(command: Command): void {
  const { url, apiKey } = command.opts<{ url?: string; apiKey?: string }>()
  for (const [option, flag] of [
    ['apiKey', 'api-key'],
    ['clientSecret', 'client-secret'],
  ] as const) {
    if (command.getOptionValueSource(option) !== 'cli') continue
    const variable = `LATCHKEY_${flag.toUpperCase().replace('-', '_')}`
    console.error(`The shell keeps --${flag} in its history; ${variable} does not get there.`)
  }
  const { protocol, hostname } = URL.parse(url ?? '') ?? {}
  if (apiKey && protocol === 'http:' && hostname && !isLoopback(hostname)) {
    console.error(
      `The API key goes to ${hostname} unencrypted; use https, unless no one can listen on the way.`,
    )
  }
}

const help = `
Examples:
  export LATCHKEY_URL=https://api.example.com LATCHKEY_API_KEY=latchkey_…
  latchkey login --url https://api.example.com # in place of an API key
  latchkey users list --output ndjson | head
  latchkey users import users.csv --dry-run
  latchkey routes sync --base-url https://shop.example
  latchkey doctor --issuer https://login.example.com --base-url https://shop.example

LATCHKEY_URL, LATCHKEY_API_KEY, LATCHKEY_TENANT, LATCHKEY_TIMEOUT and LATCHKEY_OUTPUT stand for the
options of the same name. LATCHKEY_API_KEY_FILE names a file of the key.

Exit codes: 0 done; 1 failed; 2 usage error; 3 rows were rejected, or faults or differences
were found; 4 an import was interrupted and can be continued.`
