import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/packages.ts'
import type { Candidate } from './candidate.ts'
import type { Row } from './journey.ts'

const PAGE = join(root, 'docs/providers/index.md')
const HEADINGS = [
  'Provider',
  'Version',
  'Logs in',
  'Refreshes',
  'Logs out',
  'Back-channel',
  'Remarks',
]
const BEGIN = '<!-- interop: begin -->\n'
const END = '<!-- interop: end -->\n'

/** A row as the cells of the table. */
export function cellsOf({ provider, version, steps, remarks }: Row): string[] {
  const { login, refresh, logout } = steps
  return [provider, version, login, refresh, logout, steps['back-channel'], remarks]
}

/** The row of a provider that is not installed here. */
export function skipped({ provider, aptPackage }: Candidate): string[] {
  return [provider, '', 'skipped', '', '', '', `not installed: \`apt-get install ${aptPackage}\``]
}

/** The table in Markdown, its columns in line. */
export function tableOf(rows: readonly string[][]): string {
  const all = [HEADINGS, ...rows]
  const widths = HEADINGS.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |\n`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`
  return line(HEADINGS) + rule + rows.map(line).join('')
}

/** The rows that docs/providers/index.md shows, by provider. */
export function documentedRows(): Map<string, string[]> {
  const lines = parts(readFileSync(PAGE, 'utf8')).table.split('\n').slice(2, -1)
  const rows = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return new Map(rows.map((row) => [row[0] ?? '', row] as const))
}

/** Puts rows into the page, in place of those of the same providers; `order` is that of the table. */
export function writeRows(rows: readonly string[][], order: readonly string[]): void {
  const { before, after } = parts(readFileSync(PAGE, 'utf8'))
  const all = documentedRows()
  for (const row of rows) all.set(row[0] ?? '', row)
  const grouped = order.map((provider) => all.get(provider)).filter((row) => row !== undefined)
  writeFileSync(PAGE, before + tableOf(grouped) + after)
}

function parts(text: string): { before: string; table: string; after: string } {
  const start = text.indexOf(BEGIN) + BEGIN.length
  const end = text.indexOf(END)
  return { before: text.slice(0, start), table: text.slice(start, end), after: text.slice(end) }
}
