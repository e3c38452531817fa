import type { Command } from 'commander'
import { formatTimestamp } from '../http/timestamps.ts'
import { type DataOptions, printTable, withAdmin, withDataOptions } from './options.ts'
import { oneLine } from './terminal.ts'

/** Adds `tenant list`, `tenant create`, `tenant free-domain` and `tenant delete`. */
export function addTenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('Create, list and delete tenants.')

  withDataOptions(tenant.command('list').description('List the tenants.'))
    .option('--json', 'print JSON')
    .action((options: DataOptions & { json?: boolean }) =>
      withAdmin(options, async (admin) => {
        const rows = (await admin.listTenants()).map(({ id, name, createdAt, settings }) => ({
          id,
          domain: settings.domain,
          name,
          created: formatTimestamp(createdAt),
        }))
        printTable(rows, options.json ?? false)
      }),
    )

  withDataOptions(tenant.command('create').description('Create a tenant; prints its id.'))
    .requiredOption('--domain <host>', 'where it issues, such as login.example.com')
    .option('--name <name>', 'for people to tell tenants apart', '')
    .option('--company-name <name>', 'shown on its pages', '')
    .action((options: DataOptions & { domain: string; name: string; companyName: string }) =>
      withAdmin(
        options,
        async (admin) => {
          const { domain, name, companyName } = options
          const { id } = await admin.createTenant({ domain, name, settings: { companyName } })
          console.log(id)
        },
        { create: true },
      ),
    )

  withDataOptions(
    tenant
      .command('free-domain <host>')
      .description('Let any tenant have a domain that another gave up within the last 30 days.'),
  ).action((host: string, options: DataOptions) =>
    withAdmin(options, async (admin) => {
      await admin.freeDomain(host)
      console.log(`${oneLine(host)} is free.`)
    }),
  )

  withDataOptions(tenant.command('delete <id>').description('Delete a tenant with all it holds.'))
    .requiredOption('--yes', 'confirm: its applications and users cannot be brought back')
    .action((id: string, options: DataOptions) =>
      withAdmin(options, async (admin) => {
        const { settings } = await admin.deleteTenant(id)
        console.log(`Deleted the tenant of ${settings.domain}.`)
      }),
    )
}
