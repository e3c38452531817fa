import { createHash } from 'node:crypto'

/** The digest of each flag that decides what a row of the file becomes, by the flag's name. */
export type FlagDigests = Readonly<Record<string, string>>

/**
 * Digests the flags of an import. A journal keeps digests, because the parameters of
 * `--firebase-hash` are secret.
 *
 * @param flags - The values by the names of the flags. A flag without a value is left out.
 */
export function digestFlags(flags: Readonly<Record<string, unknown>>): FlagDigests {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, digest(JSON.stringify(value))]))
}

/** The names of the flags that differ between two runs of an import. */
export function changedFlags(before: FlagDigests, after: FlagDigests): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name])
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
