const ends: (() => unknown)[] = []

/**
 * Calls back after the last test of the file. Several files share the modules of a worker, so a hook that a module of
 * support registers when it is loaded would run for the first of these files alone.
 */
export function atFileEnd(end: () => unknown): void {
  ends.push(end)
}

/** Ends what the modules of support have made for a file. */
export async function endFile(): Promise<void> {
  for (const end of ends) await end()
}
