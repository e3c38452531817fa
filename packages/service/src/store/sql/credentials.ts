import { sql } from 'kysely'
import { pageOfCredentials } from '../credential-order.ts'
import type { CredentialStore } from '../ports.ts'
import type { Credential, CredentialKind, Micros, SocialCredential } from '../records.ts'
import { columns } from './columns.ts'
import type { Engine } from './engine.ts'
import { prepared } from './prepared.ts'
import type { CredentialRow } from './schema.ts'
import type { Table, TableDefinition } from './table.ts'

/**
 * The credentials of an SQL store. A user has a handful at most.
 *
 * @param endSessions - The step that ends the sessions of a user.
 */
export function createCredentials<S>(
  { reader }: Pick<Engine, 'reader'>,
  table: Table<Credential, S>,
  endSessions: (at: Micros, tenantId: string, userId: string) => S,
): CredentialStore {
  const ofUser = prepared(reader, 2, (tenantId: string, userId: string) =>
    reader
      .selectFrom('users')
      .leftJoin('credentials', (join) =>
        join
          .onRef('credentials.tenant_id', '=', 'users.tenant_id')
          .onRef('credentials.user_id', '=', 'users.id'),
      )
      .where('users.tenant_id', '=', tenantId)
      .where('users.id', '=', userId)
      .select(columns.credentials.map((name) => `credentials.${name}` as const)),
  )

  const socialById = prepared(reader, 2, (tenantId: string, id: string) =>
    reader
      .selectFrom('credentials')
      .select(columns.credentials)
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      // As the index has it, which a parameter would not match.
      .where('type', '=', sql.lit(typeOf.social)),
  )

  // In the words of the index `credentials_costly`. The cost is the last member of a password.
  const costOf = sql<string>`substr(secret, length(secret) - 2, 2)`
  const costly = prepared(reader, 1, (tenantId: string) =>
    reader
      .selectFrom('credentials')
      .select(costOf.as('cost'))
      .where('tenant_id', '=', tenantId)
      .where(sql<boolean>`type = 'PasswordCredential' and ${costOf} in ('11', '12')`)
      .orderBy(costOf, 'desc')
      .limit(sql.lit(1)),
  )

  return {
    insert(credential, audit, at) {
      const { tenantId, userId } = credential
      return table.insert(credential, audit, () =>
        at === undefined ? undefined : endSessions(at, tenantId, userId),
      )
    },
    get: table.byId,
    async findSocial(tenantId, id) {
      const [row] = await socialById(tenantId, id)
      return row && (fromRow(row as CredentialRow) as SocialCredential)
    },
    async list(tenantId, userId, page) {
      const rows = await ofUser(tenantId, userId)
      if (rows.length === 0) return undefined
      const all = rows.filter(({ id }) => id !== null) as CredentialRow[]
      return pageOfCredentials(all.map(fromRow), page)
    },
    async countUsersLosing(tenantId, lost, kept, connectionId) {
      if (lost.length === 0) return 0
      const of = (kinds: readonly CredentialKind[]) => kinds.map((kind) => typeOf[kind])
      const { count } = await reader
        .selectFrom(
          reader
            .selectFrom('credentials')
            .select('user_id')
            .where('tenant_id', '=', tenantId)
            .where('disabled', '=', 0)
            .where('type', 'in', of([...lost, ...kept]))
            .groupBy('user_id')
            .having(({ and, eb, fn }) => {
              const isLost = and([
                eb('type', 'in', of(lost)),
                ...(connectionId === undefined
                  ? []
                  : [eb('secret', 'like', ofConnection(connectionId))]),
              ])
              return eb(fn.min(eb.case().when(isLost).then(1).else(0).end()), '=', 1)
            })
            .as('losing'),
        )
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    async countConnected(tenantId, connectionId) {
      const { count } = await reader
        .selectFrom('credentials')
        .select(({ fn }) => fn.count('user_id').distinct().as('count'))
        .where('tenant_id', '=', tenantId)
        // As the index has it, which a parameter would not match.
        .where('type', '=', sql.lit(typeOf.social))
        // The quotes of other members are escaped, so that none looks like this.
        .where('secret', 'like', ofConnection(connectionId))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    async highestCost(tenantId) {
      const [row] = await costly(tenantId)
      return row && Number(row.cost)
    },
    async countForeignKeys(tenantId, rpId) {
      const { count } = await reader
        .selectFrom('credentials')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('tenant_id', '=', tenantId)
        .where('type', '=', typeOf.hardware)
        // The quotes of a name are escaped, so that no name looks like this.
        .where('secret', 'not like', `%"rpId":${JSON.stringify(rpId)}%`)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    async listSealed(keyId, after, limit) {
      const { tenantId, userId, id } = after ?? { tenantId: '', userId: '', id: '' }
      const rows = await reader
        .selectFrom('credentials')
        .select(['tenant_id as tenantId', 'user_id as userId', 'id'])
        .where('type', 'in', ['TotpAppCredential', 'RecoveryCredential'])
        .where('secret', 'not like', `%=${keyId}"%`)
        .where(sql<boolean>`(tenant_id, user_id, id) > (${tenantId}, ${userId}, ${id})`)
        .orderBy('tenant_id')
        .orderBy('user_id')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows
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

/** The table of credentials. */
export const credentialsTable: TableDefinition<Credential> = {
  name: 'credentials',
  key: ['tenant_id', 'user_id', 'id'],
  parent: { name: 'users', key: ['tenant_id', 'id'], columns: ['tenant_id', 'user_id'] },
  toRow,
  fromRow,
}

/** Rows say it as the API does. */
const typeOf = {
  password: 'PasswordCredential',
  totp_app: 'TotpAppCredential',
  totp_email: 'TotpEmailCredential',
  recovery_codes: 'RecoveryCredential',
  hardware: 'HardwareCredential',
  social: 'SocialCredential',
} as const satisfies { [Kind in CredentialKind]: CredentialRow['type'] }

/** The kind of a credential by the type of its row. */
export function kindOf(type: CredentialRow['type']): CredentialKind {
  const kinds = Object.keys(typeOf) as CredentialKind[]
  return kinds.find((kind) => typeOf[kind] === type) as CredentialKind
}

/** A credential as a row. */
export function toRow(credential: Credential): CredentialRow {
  return {
    tenant_id: credential.tenantId,
    user_id: credential.userId,
    id: credential.id,
    type: typeOf[credential.kind],
    secret: JSON.stringify(secretOf(credential)),
    metadata: JSON.stringify(credential.metadata),
    disabled: Number(credential.disabled),
    created_at: credential.createdAt,
    updated_at: credential.updatedAt,
    state: JSON.stringify(credential.state),
    rev: credential.rev,
  }
}

function secretOf(credential: Credential): object {
  switch (credential.kind) {
    case 'password':
      return credential.password
    case 'totp_app':
      return { sealedSeed: credential.sealedSeed }
    case 'totp_email':
      return {}
    case 'recovery_codes':
      return { sealedKey: credential.sealedKey, hashes: credential.hashes }
    case 'hardware': {
      const { name, rpId, keyId, publicKey, aaguid, transports } = credential
      const { purpose, isSyncable } = credential
      return { name, rpId, keyId, publicKey, aaguid, transports, purpose, isSyncable }
    }
    case 'social': {
      const { connectionId, issuer, subject, email } = credential
      return { connectionId, issuer, subject, email }
    }
  }
}

/** A row as a credential. */
export function fromRow(row: CredentialRow): Credential {
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
  switch (row.type) {
    case 'PasswordCredential':
      return { ...record, kind: 'password', password: secret }
    case 'TotpAppCredential':
      return { ...record, kind: 'totp_app', ...secret }
    case 'TotpEmailCredential':
      return { ...record, kind: 'totp_email' }
    case 'RecoveryCredential':
      return { ...record, kind: 'recovery_codes', ...secret }
    case 'HardwareCredential':
      // Release 0.2.0 noted what the browser said instead, which proves nothing.
      return { ...record, kind: 'hardware', ...secret, purpose: secret.purpose ?? 'second_step' }
    case 'SocialCredential':
      return { ...record, kind: 'social', ...secret }
  }
}

/** The pattern of the secret of an account that was connected by a connection. */
function ofConnection(connectionId: string): string {
  return `%"connectionId":${JSON.stringify(connectionId)}%`
}
