import type { Command } from 'commander'
import type { RotationOptions } from '../admin.ts'
import { formatTimestamp } from '../http/timestamps.ts'
import { type DataOptions, printTable, withAdmin, withDataOptions } from './options.ts'

/** Adds `keys list` and `keys rotate`. */
export function addSigningKeyCommands(program: Command): void {
  const keys = program.command('keys').description('List and rotate the keys that sign the tokens.')

  withDataOptions(keys.command('list').description('List the signing keys of a tenant.'))
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--json', 'print JSON')
    .action(
      ({ tenant, json = false, ...options }: DataOptions & { tenant: string; json?: boolean }) =>
        withAdmin(options, async (admin) => {
          const rows = (await admin.listSigningKeys(tenant)).map(
            ({ id, createdAt, stoppedAt }) => ({
              id,
              created: formatTimestamp(createdAt),
              state: stoppedAt === undefined ? 'signs' : 'published',
            }),
          )
          printTable(rows, json)
        }),
    )

  withDataOptions(
    keys
      .command('rotate')
      .description('Give tenants a new signing key; sessions and tokens stay valid.'),
  )
    .option('--tenant <id...>', 'these tenants (default: all of them)')
    .option('--withdraw-earlier', 'publish no earlier key, if it may have leaked')
    .addHelpText(
      'after',
      '\nA server that runs on the folder signs with the new keys within a minute.',
    )
    .action((options: DataOptions & RotationOptions & { tenant?: string[] }) =>
      withAdmin(options, async (admin) => {
        const ids = options.tenant ?? (await admin.listTenants()).map(({ id }) => id)
        for (const id of ids)
          console.log(`${id} now signs with ${await admin.rotateSigningKey(id, options)}`)
      }),
    )
}
