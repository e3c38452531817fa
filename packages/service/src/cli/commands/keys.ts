import {
  type JsonOptions,
  printResult,
  printTable,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import type { RotationOptions } from '../../operate/admin.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { type DataOptions, withAdmin, withDataOptions } from '../options.ts'

/** Adds `keys list` and `keys rotate`. */
export function addSigningKeyCommands(program: Command): void {
  const keys = program.command('keys').description('List and rotate the keys that sign the tokens.')

  withDataOptions(withJson(keys.command('list')))
    .description('List the signing keys of a tenant.')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(({ tenant, ...options }: DataOptions & JsonOptions & { tenant: string }) =>
      withAdmin(options, async (admin) => {
        const rows = (await admin.listSigningKeys(tenant)).map(({ id, createdAt, stoppedAt }) => ({
          id,
          created: formatTimestamp(createdAt),
          state: stoppedAt === undefined ? 'signs' : 'published',
        }))
        printTable(rows, options)
      }),
    )

  withDataOptions(withJson(keys.command('rotate')))
    .description('Give tenants a new signing key; sessions and tokens stay valid.')
    .option('--tenant <id...>', 'these tenants (default: all of them)')
    .option('--withdraw-earlier', 'publish no earlier key, if it may have leaked')
    .addHelpText(
      'after',
      '\nA server that runs on the folder signs with the new keys within a minute.',
    )
    .action((options: DataOptions & JsonOptions & RotationOptions & { tenant?: string[] }) =>
      withAdmin(options, async (admin) => {
        const ids = options.tenant ?? (await admin.listTenants()).map(({ id }) => id)
        const rotated: { tenant: string; key: string }[] = []
        for (const tenant of ids)
          rotated.push({ tenant, key: await admin.rotateSigningKey(tenant, options) })
        const lines = rotated.map(({ tenant, key }) => `${tenant} now signs with ${key}`)
        printResult(rotated, options, lines.join('\n'))
      }),
    )
}
