import type { Change, Listing, Outcome, Page } from '../ports.ts'
import type { AuditEntry } from '../records.ts'
import type { Engine, Queries } from './engine.ts'
import { columnsOf, type TableName } from './schema.ts'
import {
  type AnyRow,
  assign,
  bind,
  insertInto,
  join,
  matches,
  name,
  names,
  type Sql,
  separators,
  sql,
  type Value,
} from './sql.ts'

/** A function that adds an entry to the audit log. Only inside {@link Engine.write}. */
export type AddEntry = (entry: AuditEntry) => Promise<unknown>

/** The description of a table for {@link createTable}. */
export interface TableDefinition<T, R extends AnyRow> {
  name: TableName
  /** The columns of the primary key, in the order of the key. The last column is `id`. */
  key: readonly string[]
  /** Columns whose values together are unique. Default: the primary key. */
  unique?: readonly string[]
  /** The table of the parent, whose key is the beginning of a row's key. */
  parent?: TableParent
  /** The column that marks deleted rows. It is `null` in all other rows. */
  hidden?: string
  /**
   * Returns the name of the counter with the length of a list, by the beginning of the key;
   * `undefined` if the object is in no list.
   */
  counter?: (...key: string[]) => string | undefined
  /**
   * A further check inside the write. If it resolves to `true`, the outcome is `duplicate`.
   * `before`: the stored row; `undefined` for an insert.
   */
  isRefused?(row: AnyRow, before: AnyRow | undefined, audit: AuditEntry): Promise<boolean>
  toRow(record: T): AnyRow
  fromRow(row: R): T
}

/** The parent table of a table. */
interface TableParent {
  name: TableName
  key: readonly string[]
  /** The columns of the child table that contain the parent's key. */
  columns: readonly string[]
  /** See {@link TableDefinition.hidden}. */
  hidden?: string
}

/** The parent of tables whose rows belong to a tenant. */
export const inTenant: TableParent = {
  name: 'tenants',
  key: ['id'],
  columns: ['tenant_id'],
  hidden: 'deleted_at',
}

/**
 * A function that makes a further step of a write from the row that was written or deleted. The
 * step belongs to the same transaction. `undefined`: no further step.
 */
type Step<S> = (row: AnyRow) => S | undefined

/**
 * A function that reads further data inside the write, before the change is applied. If it resolves
 * to `false`, the outcome is `missing`.
 */
type Before = () => Promise<boolean>

/** The methods that read one table. */
export interface Reads<T> {
  byId(...key: string[]): Promise<T | undefined>
  /** Finds an object by the values of its unique columns, in the order of the columns. */
  byUnique(...values: string[]): Promise<T | undefined>
  /**
   * Reads a page of the list with this beginning of the key; `undefined` if the list does not
   * exist.
   */
  page(within: string[], page: Page): Promise<Listing<T> | undefined>
}

/**
 * The methods that write to one table. Each write is atomic, together with its counter and its
 * audit entry.
 *
 * @typeParam S - The type of a further step: a promise if a write runs several statements.
 */
export interface Writes<T, S = Promise<unknown>> {
  insert(record: T, audit: AuditEntry, step?: Step<S>, reading?: Before): Promise<Outcome<T>>
  update(
    key: string[],
    change: Change<T>,
    audit: AuditEntry,
    step?: Step<S>,
    reading?: Before,
  ): Promise<Outcome<T>>
  delete(key: string[], audit: AuditEntry, step?: Step<S>): Promise<Outcome<T>>
}

/** The methods that read one table and write to it. */
export interface Table<T, S = Promise<unknown>> extends Reads<T>, Writes<T, S> {}

/** Makes a table whose writes run several statements. */
export function createTable<T, R extends AnyRow>(
  engine: Engine,
  addEntry: AddEntry,
  definition: TableDefinition<T, R>,
): Table<T> {
  return {
    ...createReads(engine.reader, definition),
    ...createWrites(engine, addEntry, definition),
  }
}

/** Makes the methods that read one table. Each statement is made once. */
export function createReads<T, R extends AnyRow>(
  reader: Queries,
  definition: TableDefinition<T, R>,
): Reads<T> {
  const { key, unique = key, hidden, counter, fromRow } = definition
  const within = key.slice(0, -1)
  const columns = columnsOf(definition.name)
  const byKey = rowBy(definition, key)
  const byUnique = rowBy(definition, unique)
  const isListed = join(
    [...(within.length > 0 ? [matches(within)] : []), there(hidden)],
    separators.and,
  )
  // One statement, so that the total and the page are from the same moment.
  const page = sql<R & { total: number }>`
    select value as total, ${names(columns, 'page')} from counters left join (
      select ${names(columns)} from ${name(definition.name)}
      where ${isListed} and id > ${''} order by id limit ${0}) as page on true
    where scope = ${''} order by page.id`

  async function find(by: Sql<R>, values: readonly string[]): Promise<T | undefined> {
    const row = await reader.first(bind(by, values))
    return row && fromRow(row)
  }

  return {
    byId: (...values) => find(byKey, values),
    byUnique: (...values) => find(byUnique, values),
    async page(values, { after = '', limit }) {
      const scope = counter?.(...values) ?? ''
      const rows = await reader.all(bind(page, [...values, after, limit + 1, scope]))
      return rows.length === 0 ? undefined : listingOf(rows, limit, fromRow)
    },
  }
}

function createWrites<T, R extends AnyRow>(
  engine: Engine,
  addEntry: AddEntry,
  definition: TableDefinition<T, R>,
): Writes<T> {
  const { writer, write } = engine
  const { key, unique = key, parent, counter, toRow, fromRow } = definition
  const table = name(definition.name)
  const current = rowBy(definition, key)
  const owner = sql<{ id: string }>`select id from ${table} where ${matches(unique)}`
  const above =
    parent &&
    sql`select 1 from ${name(parent.name)} where ${matches(parent.key)} and ${there(parent.hidden)}`
  const deleteRow = sql`delete from ${table} where ${matches(key)}`
  const insertRow = createInsert(writer, definition.name)
  let updateRow: Sql | undefined

  async function update(row: AnyRow): Promise<void> {
    const columns = Object.keys(row).filter((column) => !key.includes(column))
    updateRow ??= sql`update ${table} set ${assign(columns)} where ${matches(key)}`
    await writer.run(bind(updateRow, pick(row, [...columns, ...key])))
  }

  async function isTaken(row: AnyRow): Promise<boolean> {
    const found = await writer.first(bind(owner, pick(row, unique)))
    return found !== undefined && (unique === key || found.id !== row.id)
  }

  async function isOrphan(row: AnyRow): Promise<boolean> {
    if (!parent || !above) return false
    return (await writer.first(bind(above, pick(row, parent.columns)))) === undefined
  }

  async function countOne(values: readonly string[], by: 1 | -1): Promise<void> {
    const scope = counter?.(...values)
    if (scope !== undefined) await engine.counters.add(scope, by)
  }

  async function written(
    record: T,
    row: AnyRow,
    audit: AuditEntry,
    step?: Step<Promise<unknown>>,
  ): Promise<Outcome<T>> {
    await step?.(row)
    await addEntry(audit)
    return { kind: 'written', record }
  }

  return {
    async insert(record, audit, step, reading) {
      try {
        return await write(async () => {
          if (reading && !(await reading())) return { kind: 'missing' }
          const row = toRow(record)
          if (await isOrphan(row)) return { kind: 'missing' }
          if (await isTaken(row)) return { kind: 'duplicate' }
          if (await definition.isRefused?.(row, undefined, audit)) return { kind: 'duplicate' }
          await insertRow(row)
          await countOne(pick(row, key).map(String), 1)
          return written(record, row, audit, step)
        })
      } catch (error) {
        // `step` may also violate a unique index.
        if (engine.isDuplicate(error)) return { kind: 'duplicate' }
        throw error
      }
    },

    update: (values, change, audit, step, reading) =>
      write(async () => {
        const row = await writer.first(bind(current, values))
        if (!row) return { kind: 'missing' }
        if (reading && !(await reading())) return { kind: 'missing' }
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
        const row = await writer.first(bind(current, values))
        if (!row) return { kind: 'missing' }
        // The entry is added before the deletion, so that a trigger can store the name of the
        // object with the entry.
        await addEntry(audit)
        await writer.run(bind(deleteRow, values))
        await countOne(values, -1)
        await step?.(row)
        return { kind: 'written', record: fromRow(row) }
      }),
  }
}

/**
 * Makes the function that inserts a row into a table. All rows must have the same columns in the
 * same order.
 */
export function createInsert(writer: Queries, table: TableName): (row: AnyRow) => Promise<unknown> {
  let insert: Sql | undefined
  return (row) => {
    insert ??= insertInto(table, Object.keys(row))
    return writer.run(bind(insert, Object.values(row)))
  }
}

/**
 * Makes a page of a list from at most `limit` + 1 rows. Each row has the total. An empty page has
 * one row, whose `id` is `null`.
 */
export function listingOf<T, R extends AnyRow>(
  rows: readonly (R & { total: number })[],
  limit: number,
  fromRow: (row: R) => T,
): Listing<T> {
  const found = rows.filter(({ id }) => id !== null)
  return {
    total: rows[0]?.total ?? 0,
    items: found.slice(0, limit).map(fromRow),
    more: found.length > limit,
  }
}

/** The statement that reads a row by some columns. {@link bind} sets their values. */
function rowBy<T, R extends AnyRow>(
  { name: table, hidden }: TableDefinition<T, R>,
  columns: readonly string[],
): Sql<R> {
  return sql`select ${names(columnsOf(table))} from ${name(table)}
    where ${matches(columns)} and ${there(hidden)}`
}

/** The condition that a row is not marked as deleted in the column `hidden`. */
function there(hidden: string | undefined): Sql {
  return hidden === undefined ? sql`1 = 1` : sql`${name(hidden)} is null`
}

function pick(row: AnyRow, columns: readonly string[]): Value[] {
  return columns.map((column) => row[column] ?? null)
}
