import type { Command } from 'commander'
import type { Admin } from '../admin.ts'
import { formatTimestamp } from '../http/timestamps.ts'
import { type DataOptions, printTable, withAdmin, withDataOptions } from './options.ts'
import { oneLine } from './terminal.ts'

/** How often a long deletion tells of its progress. */
const TELL_MS = 1_000

/** Adds `tenant list`, `tenant create`, `tenant free-domain`, `tenant delete` and `tenant deletions`. */
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

  withDataOptions(tenant.command('delete <id>').description('Delete a tenant with all its data.'))
    .requiredOption('--yes', 'confirm: its applications and users cannot be brought back')
    .action((id: string, options: DataOptions) =>
      withAdmin(options, async (admin) => {
        const { settings } = await admin.deleteTenant(id)
        console.log(`Deleted the tenant of ${settings.domain}. Nothing reaches it any more.`)
        await finishErasing(admin)
      }),
    )

  withDataOptions(
    tenant
      .command('deletions')
      .description('Show the deleted tenants whose rows are still being erased.'),
  )
    .option('--finish', 'erase them now, where no service runs that does')
    .option('--json', 'print JSON')
    .action((options: DataOptions & { finish?: boolean; json?: boolean }) =>
      withAdmin(options, async (admin) => {
        if (options.finish) return finishErasing(admin)
        const rows = (await admin.listDeletions()).map(
          ({ id, domain, deletedAt, users, left }) => ({
            ...{ id, domain, deleted: formatTimestamp(deletedAt) },
            users: String(users),
            left: String(left),
          }),
        )
        printTable(rows, options.json ?? false)
      }),
    )
}

/** Erases what deleted tenants have left, beside a service that may be doing so. */
async function finishErasing(admin: Admin): Promise<void> {
  let toldAt = 0
  const isDone = await admin.eraseDeleted(({ id, users, left }) => {
    if (left > 0 && performance.now() - toldAt < TELL_MS) return
    toldAt = performance.now()
    console.error(`${id}: ${users - left} of ${users} users erased`)
  })
  if (!isDone) console.error('Another process erases the rows of deleted tenants.')
}
