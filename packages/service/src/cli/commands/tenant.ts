import {
  type JsonOptions,
  oneLine,
  printResult,
  printTable,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import type { Admin } from '../../operate/admin.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { type DataOptions, withAdmin, withDataOptions } from '../options.ts'

/** The minimum time between two lines of progress for a deletion. */
const TELL_MS = 1_000

interface CreateOptions extends DataOptions, JsonOptions {
  domain: string
  name: string
  companyName: string
}

/**
 * Adds `tenant list`, `tenant create`, `tenant free-domain`, `tenant delete` and `tenant
 * deletions`.
 */
export function addTenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('Create, list and delete tenants.')

  withDataOptions(withJson(tenant.command('list').description('List the tenants.'))).action(
    (options: DataOptions & JsonOptions) =>
      withAdmin(options, async (admin) => {
        const rows = (await admin.listTenants()).map(({ id, name, createdAt, settings }) => ({
          id,
          domain: settings.domain,
          name,
          created: formatTimestamp(createdAt),
        }))
        printTable(rows, options)
      }),
  )

  withDataOptions(withJson(tenant.command('create')))
    .description('Create a tenant; prints its id.')
    .requiredOption('--domain <host>', 'where it issues, such as login.example.com')
    .option('--name <name>', 'for people to tell tenants apart', '')
    .option('--company-name <name>', 'shown on its pages', '')
    .action((options: CreateOptions) =>
      withAdmin(
        options,
        async (admin) => {
          const { domain, name, companyName } = options
          const { id } = await admin.createTenant({ domain, name, settings: { companyName } })
          printResult({ id }, options, id)
        },
        { create: true },
      ),
    )

  withDataOptions(withJson(tenant.command('free-domain <host>')))
    .description('Let any tenant have a domain that another gave up within the last 30 days.')
    .action((domain: string, options: DataOptions & JsonOptions) =>
      withAdmin(options, async (admin) => {
        await admin.freeDomain(domain)
        printResult({ domain }, options, `${oneLine(domain)} is free.`)
      }),
    )

  withDataOptions(withJson(tenant.command('delete <id>')))
    .description('Delete a tenant with all its data.')
    .requiredOption('--yes', 'confirm: its applications and users cannot be brought back')
    .action((id: string, options: DataOptions & JsonOptions) =>
      withAdmin(options, async (admin) => {
        const { settings } = await admin.deleteTenant(id)
        const { domain } = settings
        const words = `Deleted the tenant of ${domain}. Nothing reaches it any more.`
        printResult({ id, domain }, options, words)
        await finishErasing(admin)
      }),
    )

  withDataOptions(withJson(tenant.command('deletions')))
    .description('Show the deleted tenants whose rows are still being erased.')
    .option('--finish', 'erase them now, where no service runs that does')
    .action((options: DataOptions & JsonOptions & { finish?: boolean }) =>
      withAdmin(options, async (admin) => {
        if (options.finish) return finishErasing(admin)
        const rows = (await admin.listDeletions()).map(
          ({ id, domain, deletedAt, users, left }) => ({
            ...{ id, domain, deleted: formatTimestamp(deletedAt) },
            users: String(users),
            left: String(left),
          }),
        )
        printTable(rows, options)
      }),
    )
}

/**
 * Erases the remaining rows of deleted tenants, and prints the progress. If another process is
 * erasing the rows, prints only that.
 */
async function finishErasing(admin: Admin): Promise<void> {
  let toldAt = 0
  const isDone = await admin.eraseDeleted(({ id, users, left }) => {
    if (left > 0 && performance.now() - toldAt < TELL_MS) return
    toldAt = performance.now()
    console.error(`${id}: ${users - left} of ${users} users erased`)
  })
  if (!isDone) console.error('Another process erases the rows of deleted tenants.')
}
