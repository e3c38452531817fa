const SEPARATORS = [',', ';', '\t']

/**
 * The characters between the cells of a table: that which Excel's own first line names, else that which the first line has
 * most. The others may stand in values.
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
