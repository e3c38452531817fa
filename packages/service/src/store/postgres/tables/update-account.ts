import { setTimeout as wait } from 'node:timers/promises'
import { StoreError } from '../../errors.ts'
import type { UserStore } from '../../ports.ts'
import { storeChanges } from '../../sql/audit-details.ts'
import { every, type Row } from '../../sql/schema.ts'
import { type AnyRow, assign, insertInto, matches, type Sql, script, sql } from '../../sql/sql.ts'
import { type AccountChanges, changesOf, toAccount } from '../../sql/tables/accounts.ts'
import { toRow as auditRow } from '../../sql/tables/audit.ts'
import { credentialsTable } from '../../sql/tables/credentials.ts'
import { insertion } from '../../sql/tables/jobs.ts'
import { changeLegacy, legacyOf, fromRow as toLegacy } from '../../sql/tables/legacy-passwords.ts'
import { standingOf, storeStanding, toStanding } from '../../sql/tables/standings.ts'
import type { Connections } from '../connections.ts'
import { isConflict, isDuplicate, isStalePlan } from '../failure.ts'
import type { Run } from '../statements.ts'
import { storeText, withoutTexts } from './user-texts.ts'

/** The maximum number of attempts of a change after conflicts with other transactions. */
const MAX_TRIES = 20

/**
 * The time, in milliseconds, for which a process that stops in the middle of a change blocks other
 * changes of the same user.
 */
const MAX_IDLE_MS = 5_000

const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${MAX_IDLE_MS}`

/**
 * Makes {@link UserStore.updateAccount} for PostgreSQL. The user's row is locked during a change.
 * This lock also blocks inserts of credentials, because they refer to the row.
 */
export function createUpdateAccount(connections: Connections): UserStore['updateAccount'] {
  return async (...args) => {
    for (let tries = 1; ; tries++) {
      try {
        return await connections.use((run) => transaction(run, args))
      } catch (error) {
        if (isDuplicate(error)) return { kind: 'duplicate' }
        const cause = error instanceof StoreError ? error.cause : error
        if (tries === MAX_TRIES || !(isConflict(cause) || isStalePlan(cause))) throw error
        await wait(Math.random() * 20)
      }
    }
  }
}

type Update = UserStore['updateAccount']

async function transaction(run: Run, args: Parameters<Update>): ReturnType<Update> {
  const say = (text: string) => run(script(text))
  await say(BEGIN)
  try {
    const outcome = await update(run, ...args)
    await say(outcome.kind === 'written' ? 'commit' : 'rollback')
    return outcome
  } catch (error) {
    await say('rollback').catch(() => {})
    throw error
  }
}

async function update(
  run: Run,
  ...[tenantId, id, change, audit, reads, jobOf]: Parameters<Update>
): ReturnType<Update> {
  const { rows: users } = await run(sql<Row<'users'>>`select ${every('users')} from users
    where tenant_id = ${tenantId} and id = ${id} for update`)
  const [user] = users
  if (!user) return { kind: 'missing' }
  const { rows: credentials } = await run(sql<Row<'credentials'>>`
    select ${every('credentials')} from credentials
    where tenant_id = ${tenantId} and user_id = ${id} for update`)
  const { rows: standings } = await run(standingOf(tenantId, id))
  const legacyPassword = reads && toLegacy((await run(legacyOf(tenantId, id))).rows[0])
  const standing = toStanding(standings[0])
  const before = { ...toAccount(user, credentials), standing, legacyPassword }
  const after = change(before)
  if (after === before) return { kind: 'unchanged', record: after }
  await writeChanges(run, tenantId, id, changesOf(before, after))
  const entry = auditRow(audit)
  const added = insertInto('audit', Object.keys(entry), Object.values(entry))
  const changes = audit.changes ?? []
  await run(sql`with audited as (${added} returning id)
    ${storeChanges(changes, sql`select id from audited where ${changes.length} > 0`)}`)
  const job = jobOf?.()
  if (job) await run(insertion(job))
  return { kind: 'written', record: after }
}

async function writeChanges(
  run: Run,
  tenantId: string,
  userId: string,
  { user, inserted, updated, deleted, standing, legacyPassword }: AccountChanges,
): Promise<void> {
  if (legacyPassword !== undefined) await run(changeLegacy(tenantId, userId, legacyPassword))
  if (standing) await run(storeStanding(tenantId, userId, standing))
  if (user) {
    const row = withoutTexts(user)
    await run(sql`with written as (
        update users set ${setting(row)}, rev = rev + 1
        where tenant_id = ${tenantId} and id = ${userId} returning tenant_id, id)
      ${storeText(user.search_text)}`)
  }
  const { key } = credentialsTable
  const isOne = (id: string) => matches(key, [tenantId, userId, id])
  for (const id of deleted) await run(sql`delete from credentials where ${isOne(id)}`)
  for (const row of updated) {
    await run(sql`update credentials set ${setting(row)} where ${isOne(row.id)}`)
  }
  for (const row of inserted) {
    await run(insertInto('credentials', Object.keys(row), Object.values(row)))
  }
}

/** The assignments of all columns of a row, for an update. */
function setting(row: AnyRow): Sql {
  return assign(Object.keys(row), Object.values(row))
}
