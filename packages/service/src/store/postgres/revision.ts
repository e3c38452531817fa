import type { Connections } from './connections.ts'

/** How often the revision is looked at. */
const POLL_MS = 500

/** An answer older than this says nothing about now. */
const FRESH_MS = 1_000

/** The revision of what caches hold, as this process knows it. */
export interface Revision {
  /**
   * The revision, at most a second old. While the database cannot be reached, a value that differs
   * from all others, so that nothing is cached.
   */
  current(): unknown
  close(): void
}

/** Starts to follow the revision that rare writes leave behind. */
export function followRevision(connections: Connections): Revision {
  let revision: number | undefined
  let heardAt = -Infinity
  let isAsking = false

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const askedAt = performance.now()
    try {
      const statement = { sql: 'select n from revision', parameters: [] }
      const rows: { n: number }[] = (await connections.heartbeat(statement)).rows
      revision = rows[0]?.n
      heardAt = askedAt
    } catch {
      // The requests that need the database report it.
    } finally {
      isAsking = false
    }
  }

  void ask()
  const polling = setInterval(() => void ask(), POLL_MS)
  polling.unref()
  return {
    current: () => (performance.now() - heardAt < FRESH_MS ? revision : Symbol('unknown')),
    close: () => clearInterval(polling),
  }
}
