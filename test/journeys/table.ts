import type { EngineName } from '../support/engines/engine.ts'
import { journeys } from './journeys.ts'

const engines: readonly EngineName[] = ['Chromium', 'Firefox', 'WebKit']

/** The table of docs/guides/browsers.md: a row for each journey, and for each engine "works" or a reason. */
export function journeyTable(): string {
  const rows = journeys.map(({ name, not = {} }) => [
    name.charAt(0).toUpperCase() + name.slice(1),
    ...engines.map((engine) => not[engine] ?? 'works'),
  ])
  const header = ['Journey', ...engines]
  const widths = header.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const padded = (cells: readonly string[]) =>
    line(cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)))
  const rule = line(widths.map((width) => '-'.repeat(width)))
  return [padded(header), rule, ...rows.map(padded)].join('\n')
}
