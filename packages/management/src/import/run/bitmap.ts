/** A set of row numbers, stored as one bit per row. */
export interface Bitmap {
  has(row: number): boolean
  add(row: number): void
  /** The smallest row number from `row` on that is not in the set. */
  firstMissing(row: number): number
}

export function createBitmap(): Bitmap {
  let bits = new Uint8Array(1_024)
  const has = (row: number): boolean => (((bits[row >> 3] ?? 0) >> (row & 7)) & 1) === 1
  return {
    has,
    add(row) {
      if (row >> 3 >= bits.length) {
        const grown = new Uint8Array(Math.max(bits.length * 2, (row >> 3) + 1))
        grown.set(bits)
        bits = grown
      }
      bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7))
    },
    firstMissing(row) {
      let at = row
      while (has(at)) at++
      return at
    },
  }
}
