import Table from 'cli-table3'
import { type Command, Option } from 'commander'
import { oneLine, printableJson } from './terminal.ts'

export interface OutputOptions {
  output: 'table' | 'json' | 'ndjson'
}

/** The cells of an object in a table, by heading. */
export type Columns<T> = (object: T) => Record<string, string>

/** Adds the option that chooses between a table, JSON and NDJSON. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how to print')
      .choices(['table', 'json', 'ndjson'])
      .env('LATCHKEY_OUTPUT')
      .default('table'),
  )
}

/** Prints objects as they come; a table and JSON need all of them first, NDJSON needs one at a time. */
export async function printAll<T extends object>(
  objects: AsyncIterable<T>,
  { output }: OutputOptions,
  columns: Columns<T>,
): Promise<void> {
  if (output === 'ndjson') {
    for await (const object of objects) await print(printableJson(JSON.stringify(object)))
    return
  }
  const all = await Array.fromAsync(objects)
  const text = output === 'json' ? json(all) : table(all.map(columns))
  await print(text)
}

/** Prints one object. A table has no row for a secret that the response leaves out, as that to `create` does. */
export async function printOne<T extends object>(
  object: T,
  { output }: OutputOptions,
): Promise<void> {
  if (output === 'ndjson') return print(printableJson(JSON.stringify(object)))
  if (output === 'json') return print(json(object))
  const rows = flatten(object, '').filter(([name, value]) => name !== 'secret' || value !== '')
  await print(table(rows.map(([name, value]) => ({ name, value }))))
}

/** Columns under headings, or the word that there are none. */
export function table(rows: Record<string, string>[]): string {
  const [first] = rows
  if (!first) return '(none)'
  const lines = new Table({
    head: Object.keys(first).map((name) => name.toUpperCase()),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 2 },
    chars: Object.fromEntries(
      ['top', 'bottom', 'left', 'right', 'mid', 'middle'].flatMap((side) =>
        ['', '-mid', '-left', '-right', '-mid-mid'].map((part) => [side + part, '']),
      ),
    ),
  })
  for (const row of rows) lines.push(Object.values(row).map(oneLine))
  return lines
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** As people read it. */
export function json(value: object): string {
  return printableJson(JSON.stringify(value, null, 2))
}

function flatten(object: object, prefix: string): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return [[prefix + name, value.join(' ')]]
    if (typeof value === 'object' && value !== null) return flatten(value, `${prefix}${name}.`)
    return [[prefix + name, String(value)]]
  })
}

function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()))
  })
}
