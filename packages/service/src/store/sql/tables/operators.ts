import { kindOfType } from '../../../resources/credentials.ts'
import type { OperatorStore, OperatorUser } from '../../ports.ts'
import type { Operator } from '../../records.ts'
import { SYSTEM_TENANT_ID } from '../../system-tenant.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { sql } from '../sql.ts'
import { type AddEntry, createTable } from '../table.ts'
import { LOGIN } from './audit.ts'
import { insertion } from './jobs.ts'
import { isUnconfirmed } from './restores.ts'
import { usersTable } from './users.ts'

/**
 * The columns of a user and of the operator. `invited_at` and `changed_at` are the operator's
 * `created_at` and `updated_at`.
 */
type JoinedRow = Row<'users'> &
  Pick<
    Row<'operators'>,
    'role' | 'reach' | 'invitation_hash' | 'invitation_until' | 'invitation_recovers'
  > & {
    invited_at: number
    changed_at: number
    unconfirmed: number
  }

/** Creates the {@link OperatorStore} of an SQL database. */
export function createOperators(engine: Engine, addEntry: AddEntry): OperatorStore {
  const { reader, writer, byBytes, indexedBy } = engine
  const table = createTable(engine, addEntry, {
    name: 'operators',
    key: ['tenant_id', 'id'],
    parent: { name: 'users', key: ['tenant_id', 'id'], columns: ['tenant_id', 'id'] },
    toRow,
    fromRow,
  })
  // An operator with a credential does not need the invitation, so it is no longer valid.
  const isInvited = sql`not exists (select 1 from credentials
    where credentials.tenant_id = operators.tenant_id and credentials.user_id = operators.id)`
  const joined = sql`select ${every('users', 'users')}, role, reach, invitation_until, invitation_recovers,
      case when ${isInvited} then invitation_hash end as invitation_hash,
      operators.created_at as invited_at, operators.updated_at as changed_at,
      ${isUnconfirmed(sql`operators.id`)} as unconfirmed
    from operators
    join users on users.tenant_id = operators.tenant_id and users.id = operators.id
    where operators.tenant_id = ${SYSTEM_TENANT_ID}`

  return {
    insert: (operator, audit) => table.insert(operator, audit),
    async get(id) {
      const row = await reader.first(sql<JoinedRow>`${joined} and operators.id = ${id}`)
      return row && fromJoined(row)
    },
    async findByInvitation(hash) {
      const row = await reader.first(sql<JoinedRow>`${joined} and invitation_hash = ${hash}
        and ${isInvited}`)
      return row && fromJoined(row)
    },
    list: async () =>
      (await reader.all(sql<JoinedRow>`${joined} order by operators.id`)).map(fromJoined),
    async logins() {
      const credentials = reader.all(sql<Pick<Row<'credentials'>, 'user_id' | 'type'>>`
        select distinct user_id, type from credentials
        where tenant_id = ${SYSTEM_TENANT_ID} and disabled = 0 order by type`)
      const operators = reader.all(sql<{ id: string; last: number | null }>`
        select id, (select max(at) from audit ${indexedBy('audit_by_actor')}
          where actor = 'user:' || operators.id and ${byBytes('action')} = ${LOGIN}) as last
        from operators where tenant_id = ${SYSTEM_TENANT_ID} order by id`)
      const [rows, all] = await Promise.all([operators, credentials])
      return rows.map(({ id, last }) => ({
        id,
        kinds: all.filter((one) => one.user_id === id).map(({ type }) => kindOfType(type)),
        lastLoginAt: last ?? undefined,
      }))
    },
    update: (id, change, audit, jobOf) =>
      table.update([SYSTEM_TENANT_ID, id], change, audit, () => {
        const job = jobOf?.()
        return job && writer.run(insertion(job))
      }),
  }
}

function fromJoined(row: JoinedRow): OperatorUser {
  const { invited_at: created_at, changed_at: updated_at } = row
  return {
    operator: {
      ...fromRow({ ...row, created_at, updated_at }),
      ...(row.unconfirmed === 1 && { isUnconfirmed: true }),
    },
    user: usersTable.fromRow(row),
  }
}

function toRow(operator: Operator): Row<'operators'> {
  return {
    tenant_id: SYSTEM_TENANT_ID,
    id: operator.id,
    role: operator.role,
    reach: JSON.stringify(operator.reach),
    created_at: operator.createdAt,
    updated_at: operator.updatedAt,
    invitation_hash: operator.invitation?.hash ?? null,
    invitation_until: operator.invitation?.expiresAt ?? null,
    invitation_recovers: operator.invitation?.isRecovery ? 1 : null,
  }
}

function fromRow(row: Row<'operators'>): Operator {
  const { invitation_hash: hash, invitation_until: expiresAt, invitation_recovers } = row
  return {
    id: row.id,
    role: row.role,
    reach: JSON.parse(row.reach),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    invitation:
      hash === null || expiresAt === null
        ? undefined
        : { hash, expiresAt, ...(invitation_recovers === 1 && { isRecovery: true }) },
  }
}
