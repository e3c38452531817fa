import { type Command, Option } from 'commander'
import type { ManagementClient } from '../client.ts'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import type { Grant, Program } from '../types.ts'
import { connect, type TenantOptions, tenantOf, withTenant } from './options.ts'
import { type Columns, type OutputOptions, printAll, printOne, withOutput } from './output.ts'

type Options = TenantOptions & OutputOptions

/** The options that select the grants to list. Exactly one of the three is given. */
interface Of {
  user?: string
  program?: string
  application?: string
}

const grantColumns: Columns<Grant> = ({ id, user_id, client_id, hosts, name, ...grant }) => ({
  ...{ id, user: user_id, program: hosts.join(' ') || name || client_id },
  scopes: [...grant.scopes, ...grant.resources.flatMap(({ scopes }) => scopes)].join(' '),
  granted: grant.granted_at,
  'last used': grant.last_used_at ?? '',
})

const programColumns: Columns<Program> = ({ id, blocked, listed, ...program }) => ({
  host: id,
  state: [blocked && 'blocked', listed && 'listed'].filter((word) => word !== false).join(' '),
  'last granted': program.last_granted_at ?? '',
  since: program.blocked_at ?? '',
})

/**
 * Adds `grants` and `programs`, the commands for the access that users have granted to programs.
 */
export function addGrantCommands(program: Command): void {
  const grants = program.command('grants').description('list, withdraw what programs may do')
  add(grants, 'list', 'Show what programs may do on behalf of users, the newest grant first.')
    .addOption(new Option('--user <id>', 'those of a user').conflicts(['program', 'application']))
    .addOption(
      new Option('--program <host>', 'those to the programs of a host').conflicts('application'),
    )
    .option('--application <id>', 'logins to an application on devices')
    .action(async (options: Options & Of) => {
      const list = listOf(options)
      await printAll(list(await open(options)), options, grantColumns)
    })
  add(grants, 'withdraw <id>', 'Withdraw a grant: its program needs the consent of the user again.')
    .requiredOption('--user <id>', 'who has granted it')
    .action(async (id: string, options: Options & { user: string }) => {
      const { client, tenantId } = await open(options)
      await printOne(await client.grants(tenantId, options.user).withdraw(id), options)
    })

  const programs = program
    .command('programs')
    .description('list, get, block, unblock programs by their hosts')
  add(programs, 'list', 'Show the hosts that are blocked, and those that users have granted to.')
    .option('--blocked <flag>', 'true: only those that are blocked; false: only the others')
    .action(async (options: Options & { blocked?: boolean }) => {
      const { client, tenantId } = await open(options)
      const { blocked } = options
      await printAll(client.programs(tenantId).list({ blocked }), options, programColumns)
    })
  const ofOne = (usage: 'get' | 'block' | 'unblock', description: string) =>
    add(programs, `${usage} <host>`, description).action(async (host: string, options: Options) => {
      const { client, tenantId } = await open(options)
      await printOne(await client.programs(tenantId)[usage](host), options)
    })
  ofOne('get', 'Show whether a host is blocked, and when users granted to it last.')
  ofOne('block', 'Block a host: its programs cannot log in, and their grants have ended.')
  ofOne('unblock', 'Unblock a host; the users of its programs are asked again.')
}

/** Adds a command with the options for the tenant and for the output. */
function add(group: Command, usage: string, description: string): Command {
  return withOutput(withTenant(group.command(usage).description(description)))
}

interface Opened {
  client: ManagementClient
  tenantId: string
}

async function open(options: Options): Promise<Opened> {
  const client = connect(options)
  return { client, tenantId: await tenantOf(client, options) }
}

function listOf({ user, program, application }: Of): (opened: Opened) => AsyncGenerator<Grant> {
  if (user) return ({ client, tenantId }) => client.grants(tenantId, user).list()
  if (program) return ({ client, tenantId }) => client.programs(tenantId).grants(program)
  if (application)
    return ({ client, tenantId }) => client.applications(tenantId).grants(application)
  throw new Exit(
    exitCodes.usage,
    "error: one of '--user <id>', '--program <host>' and '--application <id>' must be given",
  )
}
