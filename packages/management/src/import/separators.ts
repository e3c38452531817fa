const SEPARATORS = [',', ';', '\t']

/**
 * The characters between the cells of a table: the one that Excel's first line names, otherwise the most frequent one
 * in the first line. The others may be part of values.
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
