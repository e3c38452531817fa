import type { Command } from 'commander'
import { type DataOptions, withAdmin, withDataOptions } from './options.ts'

/** Adds `keys rotate`. */
export function addSigningKeyCommands(program: Command): void {
  const keys = program.command('keys').description('The keys that tenants sign their tokens with.')

  withDataOptions(
    keys
      .command('rotate')
      .description('Give a tenant a new signing key. Sessions and tokens go on.'),
  )
    .requiredOption('--tenant <id>', 'whose key')
    .action((options: DataOptions & { tenant: string }) =>
      withAdmin(options, async (admin) => {
        console.log(`Signing with ${await admin.rotateSigningKey(options.tenant)} from now on.`)
      }),
    )
}
