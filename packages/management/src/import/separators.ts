const SEPARATORS = [',', ';', '\t']

/**
 * The separators of the cells of a table. If the first line is `sep=` with a character, that
 * character is returned. Otherwise, the most frequent separators of the first line are returned,
 * because other separators may be part of values. If the line has no separator, all separators are
 * returned.
 */
export function separatorsOf(sample: string): string[] {
  const [first = ''] = sample.replace(/^[\uFEFF\s]+/, '').split(/[\r\n]/, 1)
  const named = /^"?sep=([^"])/i.exec(first)?.[1]
  if (named !== undefined) return [named]
  const bare = first.replaceAll(/"[^"]*"/g, '')
  const counts = SEPARATORS.map((one) => bare.split(one).length - 1)
  const most = Math.max(...counts)
  return most === 0 ? SEPARATORS : SEPARATORS.filter((_, n) => counts[n] === most)
}
