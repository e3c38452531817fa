/** A name of 60 characters without a space. */
export const LONG_NAME = 'Gartenbedarfsgroßhandelsgesellschaftsversicherungsangestellt'

/** A long address. */
export function longAddress(n: number): string {
  return `${'long'.repeat(14)}${n}@${'example'.repeat(6)}.com`
}

/** A long domain of a tenant. */
export function longDomain(): string {
  return `${'gartenbedarf'.repeat(5)}.example`
}
