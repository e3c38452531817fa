/** A value of a column. */
export type Value = string | number | null

/** The values of a row, by the names of its columns. */
export type AnyRow = { [column: string]: Value }

/** A parameter of a statement. PostgreSQL also accepts arrays. */
type Bound = Value | readonly Value[]

/**
 * A statement, or a part of a statement, with its parameters. The text depends only on `shape`.
 * `values` has the parameters, which belong between the strings of the shape. `R`: the type of the
 * rows that the statement returns.
 */
export interface Sql<R = unknown> {
  readonly shape: Shape
  readonly values: readonly Bound[]
  /** Whether the prepared statement is kept for its text. Default `true`. */
  readonly isKept?: boolean
  /** Only for the compiler: the type of the rows. */
  readonly rows?: R
}

/**
 * The text of a statement without its parameters. A shape is made once for each place in the code,
 * however often the code runs.
 */
interface Shape {
  readonly strings: readonly string[]
  /**
   * The shapes that result if a part stands instead of a value: by the position of the value, then
   * by the shape of the part.
   */
  readonly with: Map<Shape, Shape>[]
  /** The text for each database, which is made at its first use. */
  readonly texts: { [Engine in EngineName]?: string }
}

/** The name of a kind of database. */
export type EngineName = 'sqlite' | 'postgres'

/**
 * The shapes of templates before parts are inserted, by the strings of the template. JavaScript
 * makes these strings only once for each place in the code.
 */
const templates = new WeakMap<readonly string[], Shape>()

function newShape(strings: readonly string[]): Shape {
  return { strings, with: [], texts: {} }
}

/**
 * Makes a statement, or a part of a statement, from a template. An inserted {@link Sql} becomes
 * text; any other inserted value becomes a parameter. The text is made once for each place in the
 * code and shapes of its parts, so a statement can be written where it runs.
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
    // `values.length` is the position of the part among the strings, because a value follows each
    // earlier string.
    shape = withPart(shape, at, values.length, part.shape)
    for (const value of part.values) values.push(value)
  }
  return { shape, values: values ?? (parts as readonly Bound[]) }
}

function isSql(part: Bound | Sql): part is Sql {
  return typeof part === 'object' && part !== null && 'shape' in part
}

/**
 * The shape with the text of a part instead of a value. `at`: the position in the template.
 * `place`: the position among the strings of the shape.
 */
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
 * Makes a part of a statement from a text, unchanged. The text must come from our code, never from
 * a request.
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

/**
 * Makes a part of a statement from the name of a table, a column or an index.
 *
 * @throws for a text that is no name.
 */
export function name(text: string): Sql {
  if (!raws.has(text) && !NAME.test(text)) throw new Error(`${JSON.stringify(text)} is no name.`)
  return raw(text)
}

/**
 * Makes a list of columns for a statement. `of`: the name of their table in the statement. Default:
 * the columns have no prefix.
 */
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

/**
 * Joins parts with a separator.
 *
 * @param parts - At least one part.
 */
export function join(parts: readonly Sql[], separator: Sql = separators.comma): Sql {
  return parts.reduce((all, one) => sql`${all}${separator}${one}`)
}

/** Makes a list of parameters; at least one. */
export function list(values: readonly Value[]): Sql {
  return join(values.map((value) => sql`${value}`))
}

/** The condition that columns have these values. Without `values`, {@link bind} sets them later. */
export function matches(columns: readonly string[], values: readonly Value[] = columns): Sql {
  return join(equations(columns, values), separators.and)
}

/** The assignments of an update. Without `values`, {@link bind} sets them later. */
export function assign(columns: readonly string[], values: readonly Value[] = columns): Sql {
  return join(equations(columns, values))
}

function equations(columns: readonly string[], values: readonly Value[]): Sql[] {
  return columns.map((column, i) => sql`${name(column)} = ${values[i] ?? null}`)
}

/**
 * The statement that inserts a row with these columns. Without `values`, {@link bind} sets them
 * later.
 */
export function insertInto(
  table: string,
  columns: readonly string[],
  values: readonly Value[] = columns,
): Sql {
  return sql`insert into ${name(table)} (${names(columns)}) values (${list(values)})`
}

/**
 * Makes the same statement with other parameters.
 *
 * @throws if the number of values is not that of the statement.
 */
export function bind<R>(statement: Sql<R>, values: readonly Bound[]): Sql<R> {
  if (values.length !== statement.values.length) {
    throw new Error(`${values.length} values stand for ${statement.values.length}.`)
  }
  return { shape: statement.shape, values }
}

/** Makes a statement whose prepared form is not kept, because its text varies. */
export function once<R>(statement: Sql<R>): Sql<R> {
  return { ...statement, isKept: false }
}

/**
 * Makes a statement from a text without parameters. The text may contain several statements, and is
 * run unchanged.
 */
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
