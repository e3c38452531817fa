/** The values of a column. */
export type Value = string | number | null

/** A row by the names of its columns. */
export type AnyRow = { [column: string]: Value }

/** A value of a statement; PostgreSQL also takes arrays. */
type Bound = Value | readonly Value[]

/**
 * A statement or a part of one, of which rows `R` are read. The text depends on its shape alone; the values stand
 * between its strings.
 */
export interface Sql<R = unknown> {
  readonly shape: Shape
  readonly values: readonly Bound[]
  /** Whether it is prepared once, by its text. Default `true`. */
  readonly isKept?: boolean
  /** The type of the rows, which exists for the compiler alone. */
  readonly rows?: R
}

/** A text that is composed once, however often the code that writes it runs. */
interface Shape {
  readonly strings: readonly string[]
  /** The shapes with a part in place of a value, by its place and its shape. */
  readonly with: Map<Shape, Shape>[]
  readonly texts: { [Engine in EngineName]?: string }
}

/** A database, by its name. */
export type EngineName = 'sqlite' | 'postgres'

/** The shapes without parts, by the strings of a template, which are one object for each place in the code. */
const templates = new WeakMap<readonly string[], Shape>()

function newShape(strings: readonly string[]): Shape {
  return { strings, with: [], texts: {} }
}

/**
 * Writes a statement, or a part of one. A part that is SQL becomes text, every other one a parameter. A place in the
 * code composes its text once for each shape of its parts, so that a statement can be written where it is run.
 */
export function sql<R = unknown>(
  template: TemplateStringsArray,
  ...parts: readonly (Bound | Sql)[]
): Sql<R> {
  let shape = templates.get(template)
  if (!shape) {
    shape = newShape(template)
    templates.set(template, shape)
  }
  let values: Bound[] | undefined
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Bound | Sql
    if (!isSql(part)) {
      values?.push(part)
      continue
    }
    values ??= parts.slice(0, at) as Bound[]
    // Its position among the strings: after those before it, each of which is followed by a value.
    shape = withPart(shape, at, values.length, part.shape)
    for (const value of part.values) values.push(value)
  }
  return { shape, values: values ?? (parts as readonly Bound[]) }
}

function isSql(part: Bound | Sql): part is Sql {
  return typeof part === 'object' && part !== null && 'shape' in part
}

/** The shape with the text of a part in place of its value. */
function withPart(shape: Shape, at: number, place: number, part: Shape): Shape {
  shape.with[at] ??= new Map()
  const known = shape.with[at].get(part)
  if (known) return known
  const { strings } = shape
  const inner = [...part.strings]
  inner[0] = `${strings[place]}${inner[0]}`
  inner.push(`${inner.pop()}${strings[place + 1]}`)
  const whole = newShape([...strings.slice(0, place), ...inner, ...strings.slice(place + 2)])
  shape.with[at].set(part, whole)
  return whole
}

const raws = new Map<string, Sql>()

/** A text as it stands. It is one of ours: nothing of a request may be in it. */
export function raw(text: string): Sql {
  let known = raws.get(text)
  if (!known) {
    known = { shape: newShape([text]), values: [] }
    raws.set(text, known)
  }
  return known
}

const NAME = /^[a-z_][a-z0-9_]*$/

/** A table, a column or an index. */
export function name(text: string): Sql {
  if (!raws.has(text) && !NAME.test(text)) throw new Error(`${JSON.stringify(text)} is no name.`)
  return raw(text)
}

/** Columns, one after another, of a table that has another name in the statement if that is given. */
export function names(columns: readonly string[], of = ''): Sql {
  return of === ''
    ? join(columns.map(name))
    : join(columns.map((column) => sql`${name(of)}.${name(column)}`))
}

/** The separators of {@link join}. */
export const separators = {
  comma: raw(', '),
  and: raw(' and '),
  or: raw(' or '),
  unionAll: raw(' union all '),
} as const

/** Parts, one after another; at least one. */
export function join(parts: readonly Sql[], separator: Sql = separators.comma): Sql {
  return parts.reduce((all, one) => sql`${all}${separator}${one}`)
}

/** Values, one after another. */
export function list(values: readonly Value[]): Sql {
  return join(values.map((value) => sql`${value}`))
}

/** The condition that columns have these values; without them, it is there to be bound. */
export function matches(columns: readonly string[], values: readonly Value[] = columns): Sql {
  return join(equations(columns, values), separators.and)
}

/** The columns of an update with their values; without these, they are there to be bound. */
export function assign(columns: readonly string[], values: readonly Value[] = columns): Sql {
  return join(equations(columns, values))
}

function equations(columns: readonly string[], values: readonly Value[]): Sql[] {
  return columns.map((column, i) => sql`${name(column)} = ${values[i] ?? null}`)
}

/** Inserts a row with these columns; without values, it is there to be bound. */
export function insertInto(
  table: string,
  columns: readonly string[],
  values: readonly Value[] = columns,
): Sql {
  return sql`insert into ${name(table)} (${names(columns)}) values (${list(values)})`
}

/** The same text with other values: a statement that is made once and only bound. */
export function bind<R>(statement: Sql<R>, values: readonly Bound[]): Sql<R> {
  if (values.length !== statement.values.length) {
    throw new Error(`${values.length} values stand for ${statement.values.length}.`)
  }
  return { shape: statement.shape, values }
}

/** A statement that is not prepared, as its text is one of many. */
export function once<R>(statement: Sql<R>): Sql<R> {
  return { ...statement, isKept: false }
}

/** A text without values that is run as it is; it may be several statements. */
export function script<R = unknown>(text: string): Sql<R> {
  return { shape: newShape([text]), values: [], isKept: false }
}

const marks = {
  sqlite: () => '?',
  postgres: (n: number) => `$${n}`,
} as const satisfies { [Engine in EngineName]: (n: number) => string }

/** The text of a statement for an engine. */
export function textOf({ shape }: Sql, engine: EngineName): string {
  shape.texts[engine] ??= shape.strings.reduce(
    (text, next, n) => `${text}${marks[engine](n)}${next}`,
  )
  return shape.texts[engine]
}
