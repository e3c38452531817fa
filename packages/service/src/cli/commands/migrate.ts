import { type JsonOptions, printResult, withJson } from '@latchkey/management/command-line'
import type { Command } from 'commander'
import { type DatabaseFlags, databaseOf, withDatabaseOptions } from '../options.ts'

/** Adds `migrate`. */
export function addMigrateCommand(program: Command): void {
  withDatabaseOptions(withJson(program.command('migrate')))
    .description('Update the tables of a PostgreSQL database; services may go on serving from it.')
    .action(async (options: DatabaseFlags & JsonOptions) => {
      const database = databaseOf(options)
      if (!database) throw new Error('Give --database, or set LATCHKEY_DATABASE.')
      const { migratePostgres } = await import('../../store/postgres/migrate.ts')
      const done = await migratePostgres(database)
      const words = done.length === 0 ? 'The tables are up to date.' : `Done: ${done.join(', ')}`
      printResult({ done }, options, words)
    })
}
