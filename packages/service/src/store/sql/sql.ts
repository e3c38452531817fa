/** The values of a column. */
export type Value = string | number | null

/** A row by the names of its columns. */
export type AnyRow = { [column: string]: Value }

/** A value of a statement. PostgreSQL also accepts arrays. */
type Bound = Value | readonly Value[]

/**
 * A statement or a part of one. `R`: the type of the rows that it reads. Its text depends only on `shape`; `values`
 * stand between the strings of the shape.
 */
export interface Sql<R = unknown> {
  readonly shape: Shape
  readonly values: readonly Bound[]
  /** Whether it is prepared once for its text. Default `true`. */
  readonly isKept?: boolean
  /** Only for the compiler: the type of the rows. */
  readonly rows?: R
}

/**
 * The text of a statement without its values. It is made once for each place in the code, however
 * often that code runs.
 */
interface Shape {
  readonly strings: readonly string[]
  /**
   * The shapes with a part instead of a value: by the position of the value, then by the shape of
   * the part.
   */
  readonly with: Map<Shape, Shape>[]
  readonly texts: { [Engine in EngineName]?: string }
}

/** The name of a database. */
export type EngineName = 'sqlite' | 'postgres'

/**
 * The shapes without parts, by the strings of their template. JavaScript makes these strings only once for each place
 * in the code.
 */
const templates = new WeakMap<readonly string[], Shape>()

function newShape(strings: readonly string[]): Shape {
  return { strings, with: [], texts: {} }
}

/**
 * Makes a statement, or a part of one, from a template. A part that is SQL becomes text; any other becomes a parameter.
 * The text is made once for each place in the code and shape of its parts, so a statement can be written where it runs.
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
    // The position among the strings: each earlier string is followed by a value.
    shape = withPart(shape, at, values.length, part.shape)
    for (const value of part.values) values.push(value)
  }
  return { shape, values: values ?? (parts as readonly Bound[]) }
}

function isSql(part: Bound | Sql): part is Sql {
  return typeof part === 'object' && part !== null && 'shape' in part
}

/** The shape with the text of a part instead of its value. */
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

/**
 * A text that becomes part of a statement unchanged. It must be one of ours, never from a request.
 */
export function raw(text: string): Sql {
  let known = raws.get(text)
  if (!known) {
    known = { shape: newShape([text]), values: [] }
    raws.set(text, known)
  }
  return known
}

const NAME = /^[a-z_][a-z0-9_]*$/

/** The name of a table, a column or an index. */
export function name(text: string): Sql {
  if (!raws.has(text) && !NAME.test(text)) throw new Error(`${JSON.stringify(text)} is no name.`)
  return raw(text)
}

/** Columns as a list. `of`: the name of their table in the statement. */
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

/** Parts with a separator between them; at least one part. */
export function join(parts: readonly Sql[], separator: Sql = separators.comma): Sql {
  return parts.reduce((all, one) => sql`${all}${separator}${one}`)
}

/** Values as a list. */
export function list(values: readonly Value[]): Sql {
  return join(values.map((value) => sql`${value}`))
}

/** The condition that columns have these values. Without values, they are bound later. */
export function matches(columns: readonly string[], values: readonly Value[] = columns): Sql {
  return join(equations(columns, values), separators.and)
}

/** The columns of an update with their values. Without values, they are bound later. */
export function assign(columns: readonly string[], values: readonly Value[] = columns): Sql {
  return join(equations(columns, values))
}

function equations(columns: readonly string[], values: readonly Value[]): Sql[] {
  return columns.map((column, i) => sql`${name(column)} = ${values[i] ?? null}`)
}

/** Inserts a row with these columns. Without values, they are bound later. */
export function insertInto(
  table: string,
  columns: readonly string[],
  values: readonly Value[] = columns,
): Sql {
  return sql`insert into ${name(table)} (${names(columns)}) values (${list(values)})`
}

/** The same statement with other values. */
export function bind<R>(statement: Sql<R>, values: readonly Bound[]): Sql<R> {
  if (values.length !== statement.values.length) {
    throw new Error(`${values.length} values stand for ${statement.values.length}.`)
  }
  return { shape: statement.shape, values }
}

/** The statement, but never prepared: its text is one of many. */
export function once<R>(statement: Sql<R>): Sql<R> {
  return { ...statement, isKept: false }
}

/** A text without values. It may contain several statements, and is run unchanged. */
export function script<R = unknown>(text: string): Sql<R> {
  return { shape: newShape([text]), values: [], isKept: false }
}

const marks = {
  sqlite: () => '?',
  postgres: (n: number) => `$${n}`,
} as const satisfies { [Engine in EngineName]: (n: number) => string }

/** The text of a statement for a database. */
export function textOf({ shape }: Sql, engine: EngineName): string {
  shape.texts[engine] ??= shape.strings.reduce(
    (text, next, n) => `${text}${marks[engine](n)}${next}`,
  )
  return shape.texts[engine]
}
