import type { Row, Value } from '../sql/prepared.ts'
import type { Statement } from './connections.ts'

/** A statement in the making: its text is the same for the same shape, with any values. */
export interface Draft {
  /** Adds a value; answers with its place in the text. */
  bind(value: Value | undefined): string
  /** As {@link Draft.bind}, where PostgreSQL cannot tell the type from the column. */
  typed(value: Value | undefined): string
  /** `column = value and …` */
  matches(columns: readonly string[], values: readonly (Value | undefined)[]): string
  /** Ends it. */
  as(sql: string): Statement
}

/** Begins a statement. */
export function draft(): Draft {
  const parameters: (Value | undefined)[] = []
  function bind(value: Value | undefined): string {
    parameters.push(value ?? null)
    return `$${parameters.length}`
  }
  return {
    bind,
    typed: (value) => `${bind(value)}::${typeof value === 'number' ? 'bigint' : 'text'}`,
    matches: (columns, values) =>
      columns.map((column, i) => `${column} = ${bind(values[i])}`).join(' and '),
    as: (sql) => ({ sql, parameters }),
  }
}

/** A further part of a statement that writes: it happens when the part before wrote something. */
export type Further = (draft: Draft) => string

/** Inserts a row of text and numbers. */
export function insertRow(table: string, row: Row, draft: Draft): string {
  const values = Object.values(row).map((value) => draft.typed(value))
  return `insert into ${table} (${Object.keys(row).join(', ')}) select ${values.join(', ')} from written`
}
