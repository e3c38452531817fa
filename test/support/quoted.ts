import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/packages.ts'

/**
 * What a document quotes: a file, or with `file#name` the lines between `#region name` and the next
 * `#endregion` of it, moved to the left margin.
 *
 * @throws Error when there is no such region.
 */
export function quoted(source: string): string {
  const [file = '', region] = source.split('#')
  const text = readFileSync(join(root, file), 'utf8')
  if (region === undefined) return text

  const lines = text.split('\n')
  const start = lines.findIndex((line) => new RegExp(`#region ${region}$`).test(line))
  if (start === -1) throw new Error(`${file} has no "#region ${region}".`)
  const length = lines.slice(start).findIndex((line) => /#endregion/.test(line))
  const kept = lines.slice(start + 1, start + length)
  const margin = Math.min(...kept.filter(Boolean).map((line) => line.search(/\S/)))
  const moved = kept.map((line) => line.slice(margin)).join('\n')
  return `${moved.replace(/\n+$/, '')}\n`
}
