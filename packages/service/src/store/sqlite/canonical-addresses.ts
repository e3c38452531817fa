import type { Kysely } from 'kysely'
import { emailKey } from '../email-key.ts'
import type { Schema } from '../sql/schema.ts'

const PAGE = 5_000

type Keyed = Pick<Schema['users'], 'id' | 'email' | 'email_key'>

/**
 * Gives every user the key by which addresses are compared since. Where several users of a tenant would
 * have the same, all of them keep the earlier one: nothing is merged, and each logs in as before.
 */
export async function makeAddressesCanonical(database: Kysely<unknown>): Promise<void> {
  const db = database as Kysely<Schema>
  for (const { id } of await db.selectFrom('tenants').select('id').execute()) {
    const candidates = await usersWithOtherKeys(db, id)
    for (const [key, users] of Map.groupBy(candidates, ({ email }) => emailKey(email))) {
      const [user] = users
      if (!user || users.length > 1 || (await isTaken(db, id, key))) continue
      await db
        .updateTable('users')
        .set({ email_key: key })
        .where('tenant_id', '=', id)
        .where('id', '=', user.id)
        .execute()
    }
  }
}

async function usersWithOtherKeys(db: Kysely<Schema>, tenantId: string): Promise<Keyed[]> {
  const found: Keyed[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const users: Keyed[] = await db
      .selectFrom('users')
      .select(['id', 'email', 'email_key'])
      .where('tenant_id', '=', tenantId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute()
    found.push(...users.filter(({ email, email_key }) => emailKey(email) !== email_key))
    after = users.length < PAGE ? undefined : users.at(-1)?.id
  }
  return found
}

async function isTaken(db: Kysely<Schema>, tenantId: string, key: string): Promise<boolean> {
  const owner = await db
    .selectFrom('users')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('email_key', '=', key)
    .executeTakeFirst()
  return owner !== undefined
}
