/** The value in the middle. */
export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

/** Of ascending values. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

/** A table row of padded columns. */
export function row(...columns: (string | number)[]): string {
  return columns
    .map((column, i) => {
      const text = typeof column === 'number' ? format(column) : column
      return i === 0 ? text.padEnd(34) : text.padStart(14)
    })
    .join('')
}

function format(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value.toPrecision(3)
}
