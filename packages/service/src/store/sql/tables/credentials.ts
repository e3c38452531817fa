import { credentialKinds, describedKinds, kindOfType } from '../../../resources/credentials.ts'
import { pageOfCredentials } from '../../credential-order.ts'
import type { CredentialName, CredentialStore } from '../../ports.ts'
import type { Credential, CredentialKind, Micros, SocialCredential } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { list, type Sql, sql } from '../sql.ts'
import type { Table, TableDefinition } from '../table.ts'

/**
 * Creates the {@link CredentialStore} of an SQL database.
 *
 * @param endSessions - Makes the step that revokes the sessions of a user that began before `at`,
 *   and counts a ruling.
 */
export function createCredentials<S>(
  { reader }: Pick<Engine, 'reader'>,
  table: Table<Credential, S>,
  endSessions: (at: Micros, tenantId: string, userId: string) => S,
): CredentialStore {
  async function countOf(rows: Sql): Promise<number> {
    const counted = await reader.first(sql<{ n: number }>`select count(*) as n ${rows}`)
    return counted?.n ?? 0
  }

  return {
    insert(credential, audit, at) {
      const { tenantId, userId } = credential
      return table.insert(credential, audit, () =>
        at === undefined ? undefined : endSessions(at, tenantId, userId),
      )
    },
    get: table.byId,
    async findSocial(tenantId, id) {
      // The type is written as text, because with a parameter the index of accounts would not be
      // used.
      const row = await reader.first(sql<CredentialColumns>`
        select ${every('credentials')} from credentials
        where tenant_id = ${tenantId} and id = ${id} and type = 'SocialCredential'`)
      return row && (fromRow(row) as SocialCredential)
    },
    async list(tenantId, userId, page) {
      const rows = await reader.all(sql<CredentialColumns>`
        select ${every('credentials', 'credentials')} from users left join credentials
          on credentials.tenant_id = users.tenant_id and credentials.user_id = users.id
        where users.tenant_id = ${tenantId} and users.id = ${userId}`)
      if (rows.length === 0) return undefined
      // A user without credentials has one row, with `null` in all columns.
      return pageOfCredentials(rows.filter(({ id }) => id !== null).map(fromRow), page)
    },
    async countUsersLosing(tenantId, lost, kept, connectionId) {
      if (lost.length === 0) return 0
      const typesOf = (kinds: readonly CredentialKind[]) =>
        list(kinds.map((kind) => credentialKinds[kind].type))
      const isOf =
        connectionId === undefined ? sql`1 = 1` : sql`secret like ${ofConnection(connectionId)}`
      return countOf(sql`from (select user_id from credentials
        where tenant_id = ${tenantId} and disabled = 0 and type in (${typesOf([...lost, ...kept])})
        group by user_id
        having min(case when type in (${typesOf(lost)}) and ${isOf} then 1 else 0 end) = 1) as losing`)
    },
    async countActiveWithout(tenantId, kinds, since) {
      const types = kinds.map((kind) => credentialKinds[kind].type)
      const isOf = types.length === 0 ? sql`1 = 0` : sql`type in (${list(types)})`
      return countOf(sql`from last_logins
        where tenant_id = ${tenantId} and at >= ${since} and not exists (
          select 1 from credentials where credentials.tenant_id = last_logins.tenant_id
            and credentials.user_id = last_logins.user_id and disabled = 0 and ${isOf})`)
    },
    async countConnected(tenantId, connectionId) {
      // JSON escapes quotes in texts, so no other text can contain this pattern.
      return countOf(sql`from (select distinct user_id from credentials
        where tenant_id = ${tenantId} and type = 'SocialCredential'
          and secret like ${ofConnection(connectionId)}) as connected`)
    },
    async highestCost(tenantId) {
      // The expression is written exactly as in the index `credentials_costly`. The cost is the
      // last member of a password's JSON.
      const cost = sql`substr(secret, length(secret) - 2, 2)`
      const row = await reader.first(sql<{ cost: string }>`select ${cost} as cost from credentials
        where tenant_id = ${tenantId} and type = 'PasswordCredential' and ${cost} in ('11', '12')
        order by ${cost} desc limit 1`)
      return row && Number(row.cost)
    },
    async countForeignKeys(tenantId, rpId) {
      // JSON escapes quotes in texts, so the name of a key cannot contain this pattern.
      return countOf(sql`from credentials
        where tenant_id = ${tenantId} and type = 'HardwareCredential'
          and secret not like ${`%"rpId":${JSON.stringify(rpId)}%`}`)
    },
    async listSealed(keyId, after, limit) {
      const { tenantId, userId, id } = after ?? { tenantId: '', userId: '', id: '' }
      return reader.all(sql<CredentialName>`
        select tenant_id as "tenantId", user_id as "userId", id from credentials
        where type in (${list(sealedTypes)}) and secret not like ${`%=${keyId}"%`}
          and (tenant_id, user_id, id) > (${tenantId}, ${userId}, ${id})
        order by tenant_id, user_id, id limit ${limit}`)
    },
    update(tenantId, userId, id, change, audit) {
      let at: Micros | undefined
      function changeOne(last: Credential): Credential {
        const { credential, sessionsValidAfter } = change(last)
        at = sessionsValidAfter
        return credential === last ? last : { ...credential, rev: last.rev + 1 }
      }
      return table.update([tenantId, userId, id], changeOne, audit, () =>
        at === undefined ? undefined : endSessions(at, tenantId, userId),
      )
    },
    delete: (tenantId, userId, id, audit, at) =>
      table.delete([tenantId, userId, id], audit, () => endSessions(at, tenantId, userId)),
  }
}

/** The definition of the table of credentials. */
export const credentialsTable: TableDefinition<Credential, CredentialColumns> = {
  name: 'credentials',
  key: ['tenant_id', 'user_id', 'id'],
  parent: { name: 'users', key: ['tenant_id', 'id'], columns: ['tenant_id', 'user_id'] },
  toRow,
  fromRow,
}

type CredentialColumns = Row<'credentials'>

const sealedTypes = describedKinds.flatMap(([, { type, isSealed }]) => (isSealed ? [type] : []))

/** Makes the row of a credential. */
export function toRow(credential: Credential): CredentialColumns {
  return {
    tenant_id: credential.tenantId,
    user_id: credential.userId,
    id: credential.id,
    type: credentialKinds[credential.kind].type,
    secret: JSON.stringify(secretOf(credential)),
    metadata: JSON.stringify(credential.metadata),
    disabled: Number(credential.disabled),
    created_at: credential.createdAt,
    updated_at: credential.updatedAt,
    state: JSON.stringify(credential.state),
    rev: credential.rev,
  }
}

/**
 * The content of the column `secret`: the members that only this kind of credential has, or the
 * {@link StoredPassword} of a password.
 */
function secretOf(credential: Credential): object {
  if (credential.kind === 'password') return credential.password
  const { id, tenantId, userId, createdAt, updatedAt, metadata, ...others } = credential
  const { disabled, rev, kind, state, ...own } = others
  return own
}

/** Makes the credential from a row. */
export function fromRow(row: CredentialColumns): Credential {
  const record = {
    id: row.id,
    tenantId: row.tenant_id,
    userId: row.user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: JSON.parse(row.metadata),
    disabled: row.disabled === 1,
    rev: row.rev,
    state: JSON.parse(row.state),
  }
  const secret = JSON.parse(row.secret)
  const kind = kindOfType(row.type)
  if (kind === 'password') return { ...record, kind, password: secret }
  // Release 0.2.0 stored no purpose, but a claim of the browser, which proves nothing.
  const missing = kind === 'hardware' ? { purpose: 'second_step' } : {}
  return { ...record, kind, ...missing, ...secret }
}

/** The pattern for the column `secret` of accounts at a connection. */
function ofConnection(connectionId: string): string {
  return `%"connectionId":${JSON.stringify(connectionId)}%`
}
