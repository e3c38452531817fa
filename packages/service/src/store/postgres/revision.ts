import type { Connections } from './connections.ts'

/** How often the revision is looked at. */
const POLL_MS = 600

/** An answer older than this says nothing about now. */
const FRESH_MS = 1_000

const LOOK = 'select n, (select last_value from audit_id_seq) as entries from revision'

interface Heard {
  n: number
  entries: number | null
}

/** The revision of what caches hold, as this process knows it. */
export interface Revision {
  /**
   * The revision, at most a second old. While the database cannot be reached, a value that differs
   * from all others, so that nothing is cached.
   */
  current(): unknown
  /** The last id of the audit log that was given out, at most a second old; `undefined` if it is not known. */
  lastEntry(): number | undefined
  close(): void
}

/** Starts to follow the revision that rare writes leave behind. */
export function followRevision(connections: Connections): Revision {
  let heard: Heard | undefined
  let heardAt = -Infinity
  let isAsking = false

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const askedAt = performance.now()
    try {
      const rows: Heard[] = (await connections.heartbeat({ sql: LOOK, parameters: [] })).rows
      heard = rows[0]
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
  const isFresh = () => performance.now() - heardAt < FRESH_MS
  return {
    current: () => (isFresh() ? heard?.n : Symbol('unknown')),
    lastEntry: () => (isFresh() ? (heard?.entries ?? undefined) : undefined),
    close: () => clearInterval(polling),
  }
}
