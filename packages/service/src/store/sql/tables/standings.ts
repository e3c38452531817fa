import type { StandingEffect } from '../../ports.ts'
import { newStanding, type Standing } from '../../records.ts'
import { every, type Row } from '../schema.ts'
import { insertInto, type Sql, sql } from '../sql.ts'

/** Makes the standing from a row; without a row, that of a new user. */
export function toStanding(row: Row<'standings'> | undefined): Standing {
  if (!row) return newStanding
  return {
    moves: row.moves,
    rulings: row.rulings,
    displaced: row.displaced === null ? [] : JSON.parse(row.displaced),
    contestedAt: row.contested_at ?? undefined,
    readdressed: row.readdressed === null ? undefined : JSON.parse(row.readdressed),
  }
}

/** The statement that reads the standing of a user. */
export function standingOf(tenantId: string, userId: string): Sql<Row<'standings'>> {
  return sql<Row<'standings'>>`select ${every('standings')} from standings
    where tenant_id = ${tenantId} and user_id = ${userId}`
}

/** The statement that stores the standing of a user. */
export function storeStanding(tenantId: string, userId: string, standing: Standing): Sql {
  const row = toStandingRow(tenantId, userId, standing)
  return sql`${insertInto('standings', Object.keys(row), Object.values(row))}
    on conflict (tenant_id, user_id) do update set moves = excluded.moves, rulings = excluded.rulings,
      displaced = excluded.displaced, contested_at = excluded.contested_at,
      readdressed = excluded.readdressed`
}

function toStandingRow(
  tenantId: string,
  userId: string,
  { moves, rulings, displaced, contestedAt, readdressed }: Standing,
): Row<'standings'> {
  return {
    tenant_id: tenantId,
    user_id: userId,
    moves,
    rulings,
    displaced: displaced.length === 0 ? null : JSON.stringify(displaced),
    contested_at: contestedAt ?? null,
    readdressed: readdressed === undefined ? null : JSON.stringify(readdressed),
  }
}

/**
 * The statement that counts a ruling or a move in the standing of users. A ruling also ends a
 * dispute.
 *
 * @param user - A query with the columns `of_tenant` and `of_user`: the ids of the tenant and the
 *   user.
 */
export function countEffect(effect: StandingEffect, user: Sql): Sql {
  const isRuling = effect === 'ruled'
  const more = isRuling ? sql`, displaced = null, contested_at = null` : sql``
  return sql`insert into standings (tenant_id, user_id, moves, rulings)
    select of_tenant, of_user, ${isRuling ? sql`0, 1` : sql`1, 0`} from (${user}) as one where true
    on conflict (tenant_id, user_id) do update set
      moves = standings.moves + excluded.moves, rulings = standings.rulings + excluded.rulings${more}`
}
