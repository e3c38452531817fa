import { type Command, Option } from 'commander'
import { json, printLine, table } from '../command-line/output.ts'
import { printableJson } from '../command-line/terminal.ts'

export interface OutputOptions {
  output: 'table' | 'json' | 'ndjson'
}

/** The cells of an object in a table, by heading. */
export type Columns<T> = (object: T) => Record<string, string>

/** Adds the options that choose between a table, JSON and NDJSON. */
export function withOutput(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <format>', 'how to print')
        .choices(['table', 'json', 'ndjson'])
        .env('LATCHKEY_OUTPUT')
        .default('table'),
    )
    .option('--json', 'short for --output json')
    .on('option:json', () => command.setOptionValueWithSource('output', 'json', 'cli'))
}

/**
 * Prints a list of objects. NDJSON is printed as objects arrive; a table and JSON are printed after
 * the last object.
 */
export async function printAll<T extends object>(
  objects: AsyncIterable<T>,
  { output }: OutputOptions,
  columns: Columns<T>,
): Promise<void> {
  if (output === 'ndjson') {
    for await (const object of objects) await printLine(printableJson(JSON.stringify(object)))
    return
  }
  const all = await Array.fromAsync(objects)
  const text = output === 'json' ? json(all) : table(all.map(columns))
  await printLine(text)
}

/**
 * Prints one object. A table has no row for an empty `secret`, because the response to `create`
 * omits the secret.
 */
export async function printOne<T extends object>(
  object: T,
  { output }: OutputOptions,
): Promise<void> {
  if (output === 'ndjson') return printLine(printableJson(JSON.stringify(object)))
  if (output === 'json') return printLine(json(object))
  const rows = flatten(object, '').filter(([name, value]) => name !== 'secret' || value !== '')
  await printLine(table(rows.map(([name, value]) => ({ name, value }))))
}

function flatten(object: object, prefix: string): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    const isOfTexts = Array.isArray(value) && value.every((item) => typeof item !== 'object')
    if (isOfTexts) return [[prefix + name, value.join(' ')]]
    if (typeof value === 'object' && value !== null) return flatten(value, `${prefix}${name}.`)
    return [[prefix + name, String(value)]]
  })
}
