import { type Command, Option } from 'commander'
import { type DataOptions, databaseOf, printTable, withDataOptions } from './options.ts'

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
  const findings = await operationFindings(options)
  if (options.json) printTable(findings, true)
  else if (findings.length === 0) console.log('Nothing needs a decision.')
  else for (const { finding } of findings) console.log(`- ${finding}`)
  if (findings.length > 0) throw new Error(`${findings.length} findings need a decision of yours.`)
}

/** Problems in the way PostgreSQL and Redis are run. */
async function operationFindings(options: DoctorOptions): Promise<{ finding: string }[]> {
  const database = databaseOf(options)
  if (!database) return []
  const { examineShared } = await import('../examine-shared.ts')
  const { redis, repair } = options
  return (await examineShared({ database, redis, repair })).map((finding) => ({ finding }))
}
