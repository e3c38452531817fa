import {
  type JsonOptions,
  oneLine,
  printResult,
  printTable,
  withJson,
} from '@latchkey/management/command-line'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseConsoleUrl } from '../../console/addresses/console-url.ts'
import { invitationLink } from '../../console/addresses/invitation-link.ts'
import { operatorRoles } from '../../domain/operators/roles.ts'
import type { OperatorUser } from '../../store/ports.ts'
import type { OperatorRole } from '../../store/records.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { type DataOptions, withAdmin, withDataOptions } from '../options.ts'

interface InviteOptions extends DataOptions, JsonOptions {
  email: string
  role: OperatorRole
  tenant?: string[]
  consoleUrl: string
}

type RecoverOptions = DataOptions & JsonOptions & Pick<InviteOptions, 'email' | 'consoleUrl'>

type RoleOptions = DataOptions & JsonOptions & Pick<InviteOptions, 'role' | 'tenant'>

const roleOption = () =>
  new Option('--role <role>', 'what the operator may do: see the guide of the console')
    .choices(operatorRoles)
    .makeOptionMandatory()

/** Makes the option for the URL of the console. */
export const consoleUrlOption = (description: string): Option =>
  new Option('--console-url <url>', description)
    .env('LATCHKEY_CONSOLE_URL')
    .argParser(consoleOrigin)

/**
 * Adds `operator invite`, `operator recover`, `operator list`, `operator role` and `operator
 * remove`.
 */
export function addOperatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description('Invite, list and remove operators of the management console.')

  withDataOptions(withJson(operator.command('invite')))
    .description('Invite an operator; prints a link that is good once, for 24 hours.')
    .requiredOption('--email <address>', 'whom to invite')
    .addOption(roleOption())
    .option('--tenant <id...>', 'the tenants that the operator sees (default: all of them)')
    .addOption(
      consoleUrlOption(
        'where the console is, such as https://console.example.com',
      ).makeOptionMandatory(),
    )
    .action((options: InviteOptions) =>
      withAdmin(
        options,
        async (admin) => {
          const { email, role, tenant: reach, consoleUrl } = options
          const { token } = await admin.inviteOperator({ email, role, reach })
          const link = invitationLink(consoleUrl, token)
          printResult({ email, link }, options, link)
        },
        { create: true },
      ),
    )

  withDataOptions(withJson(operator.command('recover')))
    .description('Let an operator back in who lost a password or a second step; prints a link.')
    .requiredOption('--email <address>', 'the operator, whose ways to log in are all removed')
    .addOption(
      consoleUrlOption(
        'where the console is, such as https://console.example.com',
      ).makeOptionMandatory(),
    )
    .action(({ email, consoleUrl, ...options }: RecoverOptions) =>
      withAdmin(options, async (admin) => {
        const { token } = await admin.recoverOperator(email)
        const link = invitationLink(consoleUrl, token)
        printResult({ email, link }, options, link)
      }),
    )

  withDataOptions(withJson(operator.command('list')))
    .description('List the operators.')
    .action((options: DataOptions & JsonOptions) =>
      withAdmin(options, async (admin) => {
        printTable((await admin.listOperators()).map(row), options)
      }),
    )

  withDataOptions(withJson(operator.command('role <id>')))
    .description('Give an operator another role.')
    .addOption(roleOption())
    .option('--tenant <id...>', 'the tenants that the operator sees (default: all of them)')
    .action((id: string, options: RoleOptions) =>
      withAdmin(options, async (admin) => {
        const { role, tenant: reach } = options
        await admin.updateOperator(id, { role, reach })
        printResult({ id, role }, options, `${oneLine(id)} is ${role} now.`)
      }),
    )

  withDataOptions(withJson(operator.command('remove <id>')))
    .description('Remove an operator, whose sessions end at once.')
    .action((id: string, options: DataOptions & JsonOptions) =>
      withAdmin(options, async (admin) => {
        await admin.removeOperator(id)
        printResult({ id }, options, `Removed the operator ${oneLine(id)}.`)
      }),
    )
}

/**
 * The origin of a console URL such as `https://console.example.com`.
 *
 * @throws InvalidArgumentError for any other text.
 */
function consoleOrigin(text: string): string {
  const url = parseConsoleUrl(text)
  if (typeof url === 'string') throw new InvalidArgumentError(url)
  return url.origin
}

function row({ operator, user }: OperatorUser): Record<string, string> {
  const { role, reach, invitation, createdAt } = operator
  return {
    id: operator.id,
    email: user.email,
    role,
    tenants: reach === 'all' ? 'all' : reach.join(' '),
    state: user.disabled ? 'disabled' : invitation ? 'invited' : 'active',
    created: formatTimestamp(createdAt),
  }
}
