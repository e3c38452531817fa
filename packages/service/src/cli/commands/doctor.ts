import {
  type JsonOptions,
  printResult,
  SecretOption,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import { restoreFindings } from '../../domain/operators/restores.ts'
import { openSqliteDataStore } from '../../store/sqlite/data-store.ts'
import { refuseMoved } from '../../store/sqlite/moved-folder.ts'
import { type DataOptions, databaseOf, refuseEmpty, withDataOptions } from '../options.ts'

interface DoctorOptions extends DataOptions, JsonOptions {
  redis?: string
  repair: boolean
}

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  withDataOptions(withJson(program.command('doctor')))
    .description(
      'Find problems in the data that you have to decide on; exits with 1 if there are any.',
    )
    .addOption(
      new SecretOption(
        '--redis <url>',
        'Redis or Valkey, beside --database, to be looked at as well',
      ).env('LATCHKEY_REDIS'),
    )
    .option('--repair', 'count the lists of --database again where counters are wrong', false)
    .action(examine)
}

async function examine(options: DoctorOptions): Promise<void> {
  const findings = await operationFindings(options)
  const lines = findings.map(({ finding }) => `- ${finding}`)
  printResult(findings, options, lines.join('\n') || 'Nothing needs a decision.')
  if (findings.length > 0) throw new Error(`${findings.length} findings need a decision of yours.`)
}

/**
 * The problems in the data of a folder.
 *
 * @throws if the folder has no data.
 */
async function examineFolder(data: string): Promise<string[]> {
  refuseMoved(data)
  refuseEmpty(data)
  const store = await openSqliteDataStore(data)
  try {
    return await restoreFindings(store)
  } finally {
    await store.close()
  }
}

/** The problems that the operator has to decide on, in a folder or in PostgreSQL and Redis. */
async function operationFindings(options: DoctorOptions): Promise<{ finding: string }[]> {
  const database = databaseOf(options)
  if (!database) return (await examineFolder(options.data ?? '')).map((finding) => ({ finding }))
  const { examineShared } = await import('../../operate/examine-shared.ts')
  const { redis, repair } = options
  return (await examineShared({ database, redis, repair })).map((finding) => ({ finding }))
}
