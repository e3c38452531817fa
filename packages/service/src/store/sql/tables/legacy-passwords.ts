import type { CredentialName, LegacyPasswordStore } from '../../ports.ts'
import type { LegacyPassword } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { assign, type EngineName, insertInto, join, type Sql, separators, sql } from '../sql.ts'

/**
 * The statements that create the index and the trigger for the table `legacy_passwords`. When a
 * password is inserted, even by release 0.2.0, the trigger deletes the legacy password of the user.
 */
export function createLegacyTriggers(engine: EngineName): string[] {
  const index = 'create index legacy_passwords_by_work on legacy_passwords (tenant_id, kind, work)'
  const remove = `delete from legacy_passwords
    where tenant_id = new.tenant_id and user_id = new.user_id;`
  const when = `after insert on credentials for each row when (new.type = 'PasswordCredential')`
  if (engine === 'sqlite') {
    return [index, `create trigger legacy_passwords_replace ${when} begin ${remove} end`]
  }
  return [
    index,
    `create function latchkey_replace_legacy() returns trigger language plpgsql as
      $$ begin ${remove} return null; end $$`,
    `create trigger legacy_passwords_replace ${when} execute function latchkey_replace_legacy()`,
  ]
}

/**
 * Makes the methods that read legacy passwords. Legacy passwords are written together with their
 * users.
 */
export function createLegacyPasswords({ reader }: Pick<Engine, 'reader'>): LegacyPasswordStore {
  return {
    async get(tenantId, userId) {
      return fromRow(await reader.first(legacyOf(tenantId, userId)))
    },
    async dearest(tenantId, kinds) {
      const each = kinds.map(
        (
          kind,
        ) => sql`select ${every('legacy_passwords')} from (select ${every('legacy_passwords')} from legacy_passwords
          where tenant_id = ${tenantId} and kind = ${kind} order by work desc limit 1) one`,
      )
      const rows = sql<Row<'legacy_passwords'>>`${join(each, separators.unionAll)}`
      return (await reader.all(rows)).flatMap((row) => fromRow(row) ?? [])
    },
    listSealed(keyId, after, limit) {
      const { tenantId, userId } = after ?? { tenantId: '', userId: '' }
      return reader.all(sql<Omit<CredentialName, 'id'>>`
        select tenant_id as "tenantId", user_id as "userId" from legacy_passwords
        where sealed_key is not null and sealed_key not like ${`%=${keyId}`}
          and (tenant_id, user_id) > (${tenantId}, ${userId})
        order by tenant_id, user_id limit ${limit}`)
    },
  }
}

/** The statement that reads the legacy password of a user. */
export function legacyOf(tenantId: string, userId: string): Sql<Row<'legacy_passwords'>> {
  return sql<Row<'legacy_passwords'>>`select ${every('legacy_passwords')} from legacy_passwords
    where tenant_id = ${tenantId} and user_id = ${userId}`
}

/** The statement that stores the legacy password of a user, or deletes it for `null`. */
export function changeLegacy(tenantId: string, userId: string, legacy: LegacyPassword | null): Sql {
  if (legacy === null) {
    return sql`delete from legacy_passwords where tenant_id = ${tenantId} and user_id = ${userId}`
  }
  const row = toRow(tenantId, userId, legacy)
  const [columns, values] = [Object.keys(row), Object.values(row)]
  return sql`${insertInto('legacy_passwords', columns, values)}
    on conflict (tenant_id, user_id) do update set ${assign(columns, values)}`
}

/** Makes the row of a legacy password. */
export function toRow(
  tenantId: string,
  userId: string,
  { scheme, verifier, sealedKey, kind, work }: LegacyPassword,
): Row<'legacy_passwords'> {
  return {
    tenant_id: tenantId,
    user_id: userId,
    scheme,
    verifier,
    sealed_key: sealedKey ?? null,
    kind,
    work,
  }
}

/** Makes the legacy password from a row; `undefined` without a row. */
export function fromRow(row: Row<'legacy_passwords'> | undefined): LegacyPassword | undefined {
  if (!row) return undefined
  const { scheme, verifier, sealed_key, kind, work } = row
  return { scheme, verifier, sealedKey: sealed_key ?? undefined, kind, work }
}
