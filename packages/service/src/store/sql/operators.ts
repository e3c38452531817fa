import { sql } from 'kysely'
import type { OperatorStore, OperatorUser } from '../ports.ts'
import type { Operator } from '../records.ts'
import { SYSTEM_TENANT_ID } from '../system-tenant.ts'
import { LOGIN, type Record } from './audit.ts'
import { kindOf } from './credentials.ts'
import type { Engine } from './engine.ts'
import { prepared } from './prepared.ts'
import type { OperatorRow, UserRow } from './schema.ts'
import { createTable } from './table.ts'
import { usersTable } from './users.ts'

/** A user with the columns of its operator, under names that no column of a user has. */
type JoinedRow = UserRow &
  Pick<OperatorRow, 'role' | 'reach' | 'invitation_hash' | 'invitation_until'> & {
    invited_at: number
    changed_at: number
  }

/** The operators of an SQL store. */
export function createOperators(engine: Engine, record: Record): OperatorStore {
  const { reader, byBytes, indexedBy } = engine
  const table = createTable<Operator>(engine, record, {
    name: 'operators',
    key: ['tenant_id', 'id'],
    parent: { name: 'users', key: ['tenant_id', 'id'], columns: ['tenant_id', 'id'] },
    toRow,
    fromRow,
  })
  const joined = reader
    .selectFrom('operators')
    .innerJoin('users', (join) =>
      join
        .onRef('users.tenant_id', '=', 'operators.tenant_id')
        .onRef('users.id', '=', 'operators.id'),
    )
    .where('operators.tenant_id', '=', SYSTEM_TENANT_ID)
    .selectAll('users')
    .select([
      'role',
      'reach',
      'invitation_hash',
      'invitation_until',
      'operators.created_at as invited_at',
      'operators.updated_at as changed_at',
    ])
  const byId = prepared(reader, 1, (id: string) => joined.where('operators.id', '=', id))
  const byInvitation = prepared(reader, 1, (hash: string) =>
    joined.where('invitation_hash', '=', hash),
  )

  return {
    insert: (operator, audit) => table.insert(operator, audit),
    async get(id) {
      const [row] = await byId(id)
      return row && fromJoined(row)
    },
    async findByInvitation(hash) {
      const [row] = await byInvitation(hash)
      return row && fromJoined(row)
    },
    list: async () => (await joined.orderBy('operators.id').execute()).map(fromJoined),
    async logins() {
      const credentials = reader
        .selectFrom('credentials')
        .select(['user_id', 'type'])
        .distinct()
        .where('tenant_id', '=', SYSTEM_TENANT_ID)
        .where('disabled', '=', 0)
        .orderBy('type')
      const operators = sql<{ id: string; last: number | null }>`
        select id, (select max(at) from audit ${indexedBy('audit_by_actor')}
          where actor = 'user:' || operators.id and ${byBytes('action')} = ${LOGIN}) as last
        from operators where tenant_id = ${SYSTEM_TENANT_ID} order by id`
      const [{ rows }, all] = await Promise.all([operators.execute(reader), credentials.execute()])
      return rows.map(({ id, last }) => ({
        id,
        kinds: all.filter((one) => one.user_id === id).map(({ type }) => kindOf(type)),
        lastLoginAt: last ?? undefined,
      }))
    },
    update: (id, change, audit) => table.update([SYSTEM_TENANT_ID, id], change, audit),
  }
}

function fromJoined(row: JoinedRow): OperatorUser {
  const { invited_at: created_at, changed_at: updated_at } = row
  return {
    operator: fromRow({ ...row, created_at, updated_at }),
    user: usersTable.fromRow(row as never),
  }
}

function toRow(operator: Operator): OperatorRow {
  return {
    tenant_id: SYSTEM_TENANT_ID,
    id: operator.id,
    role: operator.role,
    reach: JSON.stringify(operator.reach),
    created_at: operator.createdAt,
    updated_at: operator.updatedAt,
    invitation_hash: operator.invitation?.hash ?? null,
    invitation_until: operator.invitation?.expiresAt ?? null,
  }
}

function fromRow(row: OperatorRow): Operator {
  const { invitation_hash: hash, invitation_until: expiresAt } = row
  return {
    id: row.id,
    role: row.role,
    reach: JSON.parse(row.reach),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    invitation: hash === null || expiresAt === null ? undefined : { hash, expiresAt },
  }
}
