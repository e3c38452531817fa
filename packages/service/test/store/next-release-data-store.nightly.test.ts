import { afterAll } from 'vitest'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { describeDataStore } from './data-store-suite.ts'

/**
 * The tables as a next release may leave them while this one still serves: with new columns, a new table
 * and a change that this release does not know. On the tables of this release the suite runs through PgBouncer.
 */
const database = await createDatabase()
afterAll(() => database.drop())

const tables = await database.query(
  "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'latchkey_migration'",
)
for (const { name } of tables) {
  await database.query(`alter table ${name}
    add column of_the_next_release text,
    add column counted_by_the_next_release bigint not null default 1`)
}
await database.query('create table of_the_next_release (id text primary key)')
await database.query("insert into latchkey_migration values ('9999-of-the-next-release')")

describeDataStore('PostgreSQL with the tables of a next release', async () => {
  await database.empty()
  return openPostgresDataStore(database.url)
})
