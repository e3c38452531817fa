import type { AuditRow } from './schema.ts'

/** The columns of a row, each once. */
type Columns<R> = Record<keyof R, true>

const of = <R>(columns: Columns<R>): readonly (keyof R & string)[] =>
  Object.keys(columns) as (keyof R & string)[]

/**
 * The columns that are read of each table. Statements name them, so that the plan of one stays good when a later
 * release adds a column.
 */
export const columns = {
  audit: of<AuditRow>({
    id: true,
    at: true,
    tenant_id: true,
    actor: true,
    request_id: true,
    action: true,
    target: true,
    outcome: true,
    address: true,
    user_agent: true,
    application_id: true,
    fields: true,
  }),
} as const
