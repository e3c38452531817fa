import { setTimeout as wait } from 'node:timers/promises'
import { StoreError } from '../errors.ts'
import type { UserStore } from '../ports.ts'
import { type AccountChanges, changesOf, toAccount } from '../sql/accounts.ts'
import { toRow as auditRow } from '../sql/audit.ts'
import { columnsOf } from '../sql/columns.ts'
import type { Row } from '../sql/prepared.ts'
import type { Connections, Run } from './connections.ts'
import { isConflict, isDuplicate, isStalePlan } from './failure.ts'
import { draft } from './statement.ts'
import { storeText, withoutTexts } from './user-texts.ts'

/** How often a change is tried that met another transaction. */
const MAX_TRIES = 20

/**
 * The time for which a process that stops in the middle of a change blocks others of the same user.
 */
const MAX_IDLE_MS = 5_000

const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${MAX_IDLE_MS}`

/**
 * Changes users together with their credentials. The row of the user is locked meanwhile, which also holds back inserts
 * of credentials, as they refer to it.
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
  const say = (sql: string) => run({ sql, parameters: [] }, false)
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
  ...[tenantId, id, change, audit]: Parameters<Update>
): ReturnType<Update> {
  const lock = async (table: string, columns: readonly string[]) => {
    const one = draft()
    const where = one.matches(columns, [tenantId, id])
    return (
      await run(
        one.as(`select ${columnsOf(table).join(', ')} from ${table} where ${where} for update`),
        true,
      )
    ).rows
  }
  const [user] = await lock('users', ['tenant_id', 'id'])
  if (!user) return { kind: 'missing' }
  const before = toAccount(user, await lock('credentials', ['tenant_id', 'user_id']))
  const after = change(before)
  if (after === before) return { kind: 'unchanged', record: after }
  await writeChanges(run, tenantId, id, changesOf(before, after))
  await insert(run, 'audit', auditRow(audit))
  return { kind: 'written', record: after }
}

async function writeChanges(
  run: Run,
  tenantId: string,
  userId: string,
  { user, inserted, updated, deleted }: AccountChanges,
): Promise<void> {
  if (user) {
    const one = draft()
    const where = (): string => one.matches(['tenant_id', 'id'], [tenantId, userId])
    const set = setting(one, withoutTexts(user))
    await run(
      one.as(`with written as (update users set ${set}, rev = rev + 1 where ${where()}
        returning tenant_id, id) ${storeText(user.search_text ?? '', one)}`),
      true,
    )
  }
  for (const id of deleted) {
    const one = draft()
    await run(
      one.as(`delete from credentials where ${one.matches(KEY, [tenantId, userId, id])}`),
      true,
    )
  }
  for (const row of updated) {
    const one = draft()
    const set = setting(one, row)
    const where = one.matches(KEY, [tenantId, userId, row.id])
    await run(one.as(`update credentials set ${set} where ${where}`), true)
  }
  for (const row of inserted) await insert(run, 'credentials', row)
}

const KEY = ['tenant_id', 'user_id', 'id']

function setting(one: ReturnType<typeof draft>, row: Row): string {
  return Object.entries(row)
    .filter(([column]) => !KEY.includes(column))
    .map(([column, value]) => `${column} = ${one.bind(value)}`)
    .join(', ')
}

async function insert(run: Run, table: string, row: Row): Promise<void> {
  const one = draft()
  const values = Object.values(row).map((value) => one.bind(value))
  const columns = Object.keys(row).join(', ')
  await run(one.as(`insert into ${table} (${columns}) values (${values.join(', ')})`), true)
}
