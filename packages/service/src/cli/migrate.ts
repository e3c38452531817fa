import type { Command } from 'commander'
import { type DatabaseFlags, databaseOf, withDatabaseOptions } from './options.ts'

/** Adds `migrate`. */
export function addMigrateCommand(program: Command): void {
  withDatabaseOptions(
    program
      .command('migrate')
      .description('Bring the tables of a PostgreSQL up to date; services may be serving from it.'),
  ).action(async (options: DatabaseFlags) => {
    const database = databaseOf(options)
    if (!database) throw new Error('Give --database, or set LATCHKEY_DATABASE.')
    const { migratePostgres } = await import('../store/postgres/migrate.ts')
    const done = await migratePostgres(database)
    console.log(done.length === 0 ? 'The tables are up to date.' : `Done: ${done.join(', ')}`)
  })
}
