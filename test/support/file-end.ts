const ends: (() => unknown)[] = []

/**
 * Calls back after the last test of the file. Several files share the modules of a worker, so a hook that a module of
 * support registers when it is loaded would run for the first of these files alone.
 */
export function atFileEnd(end: () => unknown): void {
  ends.push(end)
}

/** Ends what the modules of support have made for a file: all of it, also if one of them fails. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = []
  for (const end of ends) {
    try {
      await end()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, String(failures[0]))
}
