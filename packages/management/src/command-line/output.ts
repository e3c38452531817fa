import Table from 'cli-table3'
import type { Command } from 'commander'
import { oneLine, printableJson } from './terminal.ts'

/** The option that {@link withJson} adds. */
export interface JsonOptions {
  json?: boolean
}

/** Adds the option `--json`. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON')
}

/** Prints the result of a command: as JSON with the option `--json`, otherwise in words. */
export function printResult(outcome: object, { json: isJson }: JsonOptions, words: string): void {
  console.log(isJson ? json(outcome) : words)
}

/** Prints rows as columns under headings, or as JSON. */
export function printTable(rows: Record<string, string>[], options: JsonOptions): void {
  printResult(rows, options, table(rows))
}

/** Formats rows as columns under headings; `(none)` if there are no rows. */
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

/** Formats a value as indented JSON without terminal control characters. */
export function json(value: object): string {
  return printableJson(JSON.stringify(value, null, 2))
}

/** Prints a line with {@link printText}. */
export function printLine(text: string): Promise<void> {
  return printText(`${text}\n`)
}

/**
 * Prints a text to stdout. Resolves when the text has been written. A caller that waits for this
 * does not fill the memory if the reader is slow.
 */
export function printText(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
