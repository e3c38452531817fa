const OF_ROWS =
  /\b(?:(insert) into|(update)|(delete) from)\s+"?(\w+)"?|\b(select)\b[\s\S]*?\bfrom\s+"?(\w+)"?/i

/**
 * The maximum number of cached names. It is several times the number of the service's statements,
 * because a statement with a list of values has many texts.
 */
const MAX_KNOWN = 1_000

const known = new Map<string, string>()

/**
 * The name of a statement: its verb with its first table, such as `update users`. The name contains
 * no values, because values are parameters.
 */
export function statementName(sql: string): string {
  const found = known.get(sql)
  if (found !== undefined) return found
  const [, insert, change, remove, written, select, read] = OF_ROWS.exec(sql) ?? []
  const verb = insert ?? change ?? remove ?? select
  const name = verb
    ? `${verb} ${written ?? read}`.toLowerCase()
    : (/^\s*(\w{1,20})/.exec(sql)?.[1]?.toLowerCase() ?? 'statement')
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(sql, name)
  return name
}
