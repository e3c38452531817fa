import type { Job } from '../../jobs.ts'
import type { Account, UserStore } from '../../ports.ts'
import type { AuditEntry, Credential, LegacyPassword, Standing } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every, type Row } from '../schema.ts'
import { assign, insertInto, matches, sql } from '../sql.ts'
import type { AddEntry } from '../table.ts'
import {
  credentialsTable,
  fromRow as toCredential,
  toRow as toCredentialRow,
} from './credentials.ts'
import { insertion } from './jobs.ts'
import { changeLegacy, legacyOf, fromRow as toLegacy } from './legacy-passwords.ts'
import { standingOf, storeStanding, toStanding } from './standings.ts'
import { fromRow as toUser, toRow as toUserRow, type UserColumns } from './users.ts'

/** The changes that an update of an account writes. `undefined`: the part stays as it is. */
export interface AccountChanges {
  user: UserColumns | undefined
  inserted: Row<'credentials'>[]
  updated: Row<'credentials'>[]
  /** The ids of the deleted credentials. */
  deleted: string[]
  standing: Standing | undefined
  /** `null` deletes the legacy password. */
  legacyPassword: LegacyPassword | null | undefined
}

/** Makes an account from the row of the user and the rows of the credentials. */
export function toAccount(user: Row<'users'>, credentials: readonly Row<'credentials'>[]): Account {
  return { user: toUser(user), credentials: credentials.map(toCredential) }
}

/** Compares two versions of an account. */
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
    standing: after.standing === before.standing ? undefined : after.standing,
    legacyPassword:
      after.legacyPassword === before.legacyPassword ? undefined : after.legacyPassword,
  }
}

function next(credential: Credential, last: Credential | undefined): Credential {
  return { ...credential, rev: (last?.rev ?? 0) + 1 }
}

/**
 * Makes {@link UserStore.updateAccount} for SQLite, where {@link Engine.write} excludes other
 * writers.
 */
export function createUpdateAccount(
  engine: Engine,
  addEntry: AddEntry,
): UserStore['updateAccount'] {
  const { writer, write, isDuplicate } = engine

  async function update(
    tenantId: string,
    id: string,
    change: (account: Account) => Account,
    audit: AuditEntry,
    reads?: 'legacy_password',
    jobOf?: () => Job | undefined,
  ): ReturnType<UserStore['updateAccount']> {
    const user = await writer.first(sql<Row<'users'>>`select ${every('users')} from users
      where tenant_id = ${tenantId} and id = ${id}`)
    if (!user) return { kind: 'missing' }
    const credentials = await writer.all(sql<Row<'credentials'>>`
      select ${every('credentials')} from credentials
      where tenant_id = ${tenantId} and user_id = ${id}`)
    const standing = toStanding(await writer.first(standingOf(tenantId, id)))
    const legacyPassword = reads && toLegacy(await writer.first(legacyOf(tenantId, id)))
    const before = { ...toAccount(user, credentials), standing, legacyPassword }
    const after = change(before)
    if (after === before) return { kind: 'unchanged', record: after }
    await writeChanges(tenantId, id, changesOf(before, after))
    await addEntry(audit)
    const job = jobOf?.()
    if (job) await writer.run(insertion(job))
    return { kind: 'written', record: after }
  }

  async function writeChanges(
    tenantId: string,
    userId: string,
    { user, inserted, updated, deleted, standing, legacyPassword }: AccountChanges,
  ): Promise<void> {
    if (legacyPassword !== undefined) {
      await writer.run(changeLegacy(tenantId, userId, legacyPassword))
    }
    if (standing) await writer.run(storeStanding(tenantId, userId, standing))
    if (user) {
      const set = assign(Object.keys(user), Object.values(user))
      await writer.run(
        sql`update users set ${set} where tenant_id = ${tenantId} and id = ${userId}`,
      )
    }
    const isOne = (id: string) => matches(credentialsTable.key, [tenantId, userId, id])
    for (const id of deleted) await writer.run(sql`delete from credentials where ${isOne(id)}`)
    for (const row of updated) {
      const set = assign(Object.keys(row), Object.values(row))
      await writer.run(sql`update credentials set ${set} where ${isOne(row.id)}`)
    }
    for (const row of inserted) {
      await writer.run(insertInto('credentials', Object.keys(row), Object.values(row)))
    }
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
