import type { Command } from 'commander'
import { type DataOptions, printTable, withAdmin, withDataOptions } from './options.ts'

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  withDataOptions(
    program
      .command('doctor')
      .description('Find what needs a decision of yours in the data; exits with 1 if it does.'),
  )
    .option('--json', 'print JSON')
    .action((options: DataOptions & { json?: boolean }) =>
      withAdmin(options, async (admin) => {
        const rows: Record<string, string>[] = []
        for await (const { tenant, user, other } of admin.addressClashes()) {
          rows.push({
            tenant: tenant.settings.domain,
            user: user.id,
            email: user.email,
            'same as': other?.id ?? 'others in this list',
          })
        }
        if (rows.length === 0 && !options.json) return console.log('Nothing needs a decision.')
        if (!options.json) console.log(EXPLANATION)
        printTable(rows, options.json ?? false)
        if (rows.length > 0) throw new Error(`${rows.length} users need a decision of yours.`)
      }),
    )
}

const EXPLANATION = `These users have the address of another user, in another writing. Each still logs in with the address
as it is written here. Change the address of one of them, or delete the one that is not needed.
`
