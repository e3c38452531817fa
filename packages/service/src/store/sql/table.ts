import type { Kysely } from 'kysely'
import type { Change, Listing, Outcome, Page } from '../ports.ts'
import type { AuditEntry } from '../records.ts'
import type { Record } from './audit.ts'
import { columnsOf } from './columns.ts'
import type { Engine, Queries } from './engine.ts'
import { prepared, preparedInsert, type Row, type Value } from './prepared.ts'
import type { Schema } from './schema.ts'

/** The differences between tables. */
export interface TableDefinition<T> {
  name: keyof Schema
  /** The columns of the primary key, in its order; `id` is the last. */
  key: readonly string[]
  /** The columns by which no two objects may agree. Default: the primary key. */
  unique?: readonly string[]
  /** The table of the object it belongs to, whose key the row begins with. */
  parent?: TableParent
  /** A column that is `null` in every row that counts as there. */
  hidden?: string
  /** Which counter holds the length of the list that the object is in; `undefined`: it is in none. */
  counter?: (...key: string[]) => string | undefined
  /** A further reason why a row cannot be written, which is a `duplicate`; inside the write. */
  isRefused?(row: Row, before: Row | undefined, audit: AuditEntry): Promise<boolean>
  toRow(record: T): Row
  fromRow(row: never): T
}

interface TableParent {
  name: keyof Schema
  key: readonly string[]
  /** The columns that hold the parent's key. */
  columns: readonly string[]
  /** As in {@link TableDefinition.hidden}. */
  hidden?: string
}

/** The tenant of a row that has one. */
export const inTenant: TableParent = {
  name: 'tenants',
  key: ['id'],
  columns: ['tenant_id'],
  hidden: 'deleted_at',
}

/**
 * A further step of a write, in the same transaction, with the row that was written or deleted. It is
 * asked for after the change was applied; `undefined`: there is none.
 */
type Step<S> = (row: Row) => S | undefined

/**
 * One table: each write is atomic together with its counter and its audit entry.
 *
 * @typeParam S - What a database takes for a further step: a promise where it runs statement by statement.
 */
export interface Table<T, S = Promise<unknown>> {
  byId(...key: string[]): Promise<T | undefined>
  /** Finds an object by the values of its unique columns, in their order. */
  byUnique(...values: string[]): Promise<T | undefined>
  /** `undefined` when there is no such list. */
  page(within: string[], page: Page): Promise<Listing<T> | undefined>
  insert(record: T, audit: AuditEntry, step?: Step<S>): Promise<Outcome<T>>
  update(key: string[], change: Change<T>, audit: AuditEntry, step?: Step<S>): Promise<Outcome<T>>
  delete(key: string[], audit: AuditEntry, step?: Step<S>): Promise<Outcome<T>>
}

/** Any table of the schema: a definition names it, and its columns, as text. */
type AnyTable = Kysely<{ [table: string]: Row }>

/** The queries of one table, each compiled once. */
export function createTable<T>(
  engine: Engine,
  record: Record,
  definition: TableDefinition<T>,
): Table<T> {
  const { reader, writer, write } = engine
  const { name, key, unique = key, hidden, parent, counter, toRow } = definition
  const fromRow = definition.fromRow as unknown as (row: Row) => T
  const within = key.slice(0, -1)

  /** The row with these values of these columns. */
  const find = (db: Queries<Schema>, columns: readonly string[]) =>
    prepared<string[], Row>(db, columns.length, (...values) =>
      where(there(asAny(db).selectFrom(name).select(columnsOf(name)), hidden), columns, values),
    )
  const findId = (table: keyof Schema, columns: readonly string[], ifHidden?: string) =>
    prepared<string[], Row>(writer, columns.length, (...values) =>
      where(there(asAny(writer).selectFrom(table).select('id'), ifHidden), columns, values),
    )
  const byId = find(reader, key)
  const byUnique = find(reader, unique)
  const current = find(writer, key)
  const owner = findId(name, unique)
  const parentOf = parent && findId(parent.name, parent.key, parent.hidden)
  const insertRow = preparedInsert(writer, name)
  const deleteRow = prepared<string[], never>(writer, key.length, (...values) =>
    where(asAny(writer).deleteFrom(name), key, values),
  )
  // One statement, so that the total and the page are of one moment.
  const page = prepared<Value[], Row & { total: number }>(
    reader,
    within.length + 3,
    (scope, after, limit, ...values) => {
      const rows = asAny(reader)
        .selectFrom(name)
        .select(columnsOf(name))
        .where('id', '>', after as string)
        .orderBy('id')
        .limit(limit as number)
      return asAny(reader)
        .selectFrom('counters')
        .leftJoin(where(there(rows, hidden), within, values).as('page'), (join) => join.onTrue())
        .where('scope', '=', scope as string)
        .select('value as total')
        .select(columnsOf(name).map((column) => `page.${column}`))
        .orderBy('page.id') as never
    },
  )
  let updateRow: ((...values: Value[]) => Promise<unknown>) | undefined

  function update(row: Row): Promise<unknown> {
    const columns = Object.keys(row).filter((column) => !key.includes(column))
    updateRow ??= prepared<Value[], never>(writer, columns.length + key.length, (...values) => {
      const set = Object.fromEntries(columns.map((column, i) => [column, values[i]]))
      return where(asAny(writer).updateTable(name).set(set), key, values.slice(columns.length))
    })
    return updateRow(...pick(row, [...columns, ...key]))
  }

  async function isTaken(row: Row): Promise<boolean> {
    const [found] = await owner(...(pick(row, unique) as string[]))
    return found !== undefined && (unique === key || found.id !== row.id)
  }

  async function countOne(row: Row, by: 1 | -1): Promise<void> {
    const scope = counter?.(...(pick(row, key) as string[]))
    if (scope !== undefined) await engine.counters.add(scope, by)
  }

  /** Writes; a unique violation in a further step is a `duplicate`, too. */
  async function unlessDuplicate(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      return await write(work)
    } catch (error) {
      if (engine.isDuplicate(error)) return { kind: 'duplicate' }
      throw error
    }
  }

  async function written(
    after: T,
    row: Row,
    audit: AuditEntry,
    step?: Step<Promise<unknown>>,
  ): Promise<Outcome<T>> {
    await step?.(row)
    await record(audit)
    return { kind: 'written', record: after }
  }

  return {
    byId: async (...values) => {
      const [row] = await byId(...values)
      return row && fromRow(row)
    },
    byUnique: async (...values) => {
      const [row] = await byUnique(...values)
      return row && fromRow(row)
    },
    async page(values, { after = '', limit }) {
      const scope = counter?.(...values) ?? ''
      const rows = await page(scope, after, limit + 1, ...values)
      return rows.length === 0 ? undefined : listingOf(rows, limit, fromRow)
    },

    insert: (inserted, audit, step) =>
      unlessDuplicate(async () => {
        const row = toRow(inserted)
        const above =
          parentOf && (await parentOf(...(pick(row, parent?.columns ?? []) as string[])))
        if (above?.length === 0) return { kind: 'missing' }
        if (await isTaken(row)) return { kind: 'duplicate' }
        if (await definition.isRefused?.(row, undefined, audit)) return { kind: 'duplicate' }
        await insertRow(row)
        await countOne(row, 1)
        return written(inserted, row, audit, step)
      }),

    update: (values, change, audit, step) =>
      write(async () => {
        const [row] = await current(...values)
        if (!row) return { kind: 'missing' }
        const before = fromRow(row)
        const after = change(before)
        if (after === before) return { kind: 'unchanged', record: after }
        const next = toRow(after)
        if (unique !== key && (await isTaken(next))) return { kind: 'duplicate' }
        if (await definition.isRefused?.(next, row, audit)) return { kind: 'duplicate' }
        await update(next)
        return written(after, next, audit, step)
      }),

    delete: (values, audit, step) =>
      write(async () => {
        const [row] = await current(...values)
        if (!row) return { kind: 'missing' }
        await deleteRow(...values)
        await countOne(row, -1)
        return written(fromRow(row), row, audit, step)
      }),
  }
}

/** A page from rows that were read with one more than `limit`; the total is in each of them. */
export function listingOf<T>(
  rows: (Row & { total: number })[],
  limit: number,
  fromRow: (row: Row) => T,
): Listing<T> {
  const found = rows.filter(({ id }) => id !== null)
  return {
    total: rows[0]?.total ?? 0,
    items: found.slice(0, limit).map(fromRow),
    more: found.length > limit,
  }
}

function asAny(db: Queries<Schema>): AnyTable {
  return db as unknown as AnyTable
}

interface Filterable<Q> {
  where(column: string, operator: '=' | 'is', value: Value | undefined): Q
}

/** The query without the rows that are hidden. */
function there<Q extends Filterable<Q>>(query: Q, hidden: string | undefined): Q {
  return hidden === undefined ? query : query.where(hidden, 'is', null)
}

function where<Q extends Filterable<Q>>(
  query: Q,
  columns: readonly string[],
  values: readonly Value[],
): Q {
  return columns.reduce((narrowed, column, i) => narrowed.where(column, '=', values[i]), query)
}

function pick(row: Row, columns: readonly string[]): Value[] {
  return columns.map((column) => row[column] ?? null)
}
