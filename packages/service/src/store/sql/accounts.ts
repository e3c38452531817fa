import type { Account, UserStore } from '../ports.ts'
import type { AuditEntry, Credential } from '../records.ts'
import type { Record } from './audit.ts'
import { columns } from './columns.ts'
import { fromRow as toCredential, toRow as toCredentialRow } from './credentials.ts'
import type { Engine } from './engine.ts'
import type { CredentialRow, UserRow, WrittenUserRow } from './schema.ts'
import { fromRow as toUser, toRow as toUserRow } from './users.ts'

/** The rows that a change of an account writes. */
export interface AccountChanges {
  user: WrittenUserRow | undefined
  inserted: CredentialRow[]
  updated: CredentialRow[]
  /** The ids of credentials. */
  deleted: string[]
}

/** An account as its rows say. */
export function toAccount(user: UserRow, credentials: readonly CredentialRow[]): Account {
  return { user: toUser(user), credentials: credentials.map(toCredential) }
}

/** The difference between two versions of an account. */
export function changesOf(before: Account, after: Account): AccountChanges {
  const earlier = new Map(before.credentials.map((one) => [one.id, one]))
  const changed = after.credentials.filter(
    (one) => earlier.has(one.id) && earlier.get(one.id) !== one,
  )
  const ids = new Set(after.credentials.map(({ id }) => id))
  return {
    user: after.user === before.user ? undefined : toUserRow(after.user),
    inserted: after.credentials.filter(({ id }) => !earlier.has(id)).map(toCredentialRow),
    updated: changed.map((one) => toCredentialRow(next(one, earlier.get(one.id)))),
    deleted: [...earlier.keys()].filter((id) => !ids.has(id)),
  }
}

function next(credential: Credential, last: Credential | undefined): Credential {
  return { ...credential, rev: (last?.rev ?? 0) + 1 }
}

/** Changes users together with their credentials, in a database with one writer. */
export function createUpdateAccount(engine: Engine, record: Record): UserStore['updateAccount'] {
  const { writer, write, isDuplicate } = engine

  async function update(
    tenantId: string,
    id: string,
    change: (account: Account) => Account,
    audit: AuditEntry,
  ): ReturnType<UserStore['updateAccount']> {
    const user = await writer
      .selectFrom('users')
      .select(columns.users)
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!user) return { kind: 'missing' }
    const ofUser = writer
      .selectFrom('credentials')
      .select(columns.credentials)
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', id)
    const before = toAccount(user, await ofUser.execute())
    const after = change(before)
    if (after === before) return { kind: 'unchanged', record: after }
    await writeChanges(tenantId, id, changesOf(before, after))
    await record(audit)
    return { kind: 'written', record: after }
  }

  async function writeChanges(
    tenantId: string,
    userId: string,
    { user, inserted, updated, deleted }: AccountChanges,
  ): Promise<void> {
    const one = (id: string) =>
      ({ tenant_id: tenantId, user_id: userId, id }) satisfies Partial<CredentialRow>
    if (user) {
      await writer
        .updateTable('users')
        .set(user)
        .where('tenant_id', '=', tenantId)
        .where('id', '=', userId)
        .execute()
    }
    for (const id of deleted) {
      await writer
        .deleteFrom('credentials')
        .where((eb) => eb.and(one(id)))
        .execute()
    }
    for (const row of updated) {
      await writer
        .updateTable('credentials')
        .set(row)
        .where((eb) => eb.and(one(row.id)))
        .execute()
    }
    for (const row of inserted) await writer.insertInto('credentials').values(row).execute()
  }

  return async (...args) => {
    try {
      return await write(() => update(...args))
    } catch (error) {
      if (isDuplicate(error)) return { kind: 'duplicate' }
      throw error
    }
  }
}
