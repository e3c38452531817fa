import { type Command, Option } from 'commander'
import { type DataOptions, databaseOf, printTable, withAdmin, withDataOptions } from './options.ts'

interface DoctorOptions extends DataOptions {
  redis?: string
  repair: boolean
  json?: boolean
}

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  withDataOptions(
    program
      .command('doctor')
      .description(
        'Find problems in the data that you have to decide on; exits with 1 if there are any.',
      ),
  )
    .addOption(
      new Option(
        '--redis <url>',
        'Redis or Valkey, beside --database, to be looked at as well',
      ).env('LATCHKEY_REDIS'),
    )
    .option('--repair', 'count the lists of --database again where counters are wrong', false)
    .option('--json', 'print JSON')
    .action(examine)
}

async function examine(options: DoctorOptions): Promise<void> {
  const isJson = options.json ?? false
  const clashes = await addressClashes(options)
  const findings = await operationFindings(options)
  const count = clashes.length + findings.length
  if (count === 0 && !isJson) return console.log('Nothing needs a decision.')
  if (isJson || clashes.length > 0) {
    if (!isJson) console.log(EXPLANATION)
    printTable([...clashes, ...(isJson ? findings : [])], isJson)
  }
  if (!isJson) for (const { finding } of findings) console.log(`- ${finding}`)
  if (clashes.length > 0) throw new Error(`${clashes.length} users need a decision of yours.`)
  if (count > 0) throw new Error(`${count} findings need a decision of yours.`)
}

/** Problems in the way PostgreSQL and Redis are run. */
async function operationFindings(options: DoctorOptions): Promise<{ finding: string }[]> {
  const database = databaseOf(options)
  if (!database) return []
  const { examineShared } = await import('../examine-shared.ts')
  const { redis, repair } = options
  return (await examineShared({ database, redis, repair })).map((finding) => ({ finding }))
}

function addressClashes(options: DataOptions): Promise<Record<string, string>[]> {
  return withAdmin(options, async (admin) => {
    const rows: Record<string, string>[] = []
    for await (const { tenant, user, other } of admin.addressClashes()) {
      rows.push({
        tenant: tenant.settings.domain,
        user: user.id,
        email: user.email,
        'same as': other?.id ?? 'others in this list',
      })
    }
    return rows
  })
}

const EXPLANATION = `These users have the address of another user, in another writing. Each still logs in with the address
as it is written here. Change the address of one of them, or delete the one that is not needed.
`
