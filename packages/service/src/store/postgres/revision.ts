import { every } from '../../background/every.ts'
import type { Clock } from '../../clock.ts'
import { join, name, type Sql, sql } from '../sql/sql.ts'
import type { Connections } from './connections.ts'
import { createSharedClock } from './shared-clock.ts'

/** The interval, in milliseconds, at which the revision is read. */
const POLL_MS = 700

/** The maximum age, in milliseconds, of an answer that is used. */
const FRESH_MS = 1_000

/**
 * The maximum number of tenants with a revision of their own. Above it, these revisions are
 * deleted, and all tenants share a common revision.
 */
const MAX_TENANTS = 10_000

/** The tables with rows that become due. Each has an index by due time. */
export const WAITING = ['mail', 'notices', 'webhooks'] as const
export type Waiting = (typeof WAITING)[number]

const IS_DUE = join(
  WAITING.map(
    (table) => sql`exists (select 1 from ${name(table)}
      where due_at <= (extract(epoch from now()) * 1e6)::bigint) as ${name(table)}`,
  ),
)

/** The answer to {@link look}: the revision and the facts that are read with it. */
interface Heard extends Record<Waiting, boolean> {
  n: number
  /** The time of PostgreSQL, in milliseconds since the epoch. */
  at: number
  entries: number | null
  /** The tenants that later revisions concern, each with its revision. */
  concerned: [number, string][]
}

/** The statement that reads the latest revision, and the tenants of the revisions after `since`. */
function look(since: number): Sql<Heard> {
  return sql`select n, (extract(epoch from clock_timestamp()) * 1000)::float8 as at, ${IS_DUE}, (select last_value from audit_id_seq) as entries,
    (select coalesce(json_agg(json_build_array(later.n, later.tenant_id)), '[]')
      from revision_tenants as later where later.n > ${since}::bigint) as concerned
    from revision`
}

/** The revision of the data that processes cache, as known in this process. */
export interface Revision {
  /**
   * The revision of all data, or of the data of one tenant, at most a second old. If the database
   * cannot be reached, each call returns a new value, so that nothing is cached.
   */
  current(tenantId?: string): unknown
  /** The last assigned id of the audit log, at most a second old; `undefined` if unknown. */
  lastEntry(): number | undefined
  /** Whether rows of a table may be due. The answer is at most a second old; `true` if unknown. */
  mayBeDue(table: Waiting): boolean
  /** The clock of PostgreSQL, which all processes share. */
  readonly clock: Clock
  /** Resolves after the first answer of the database, or its failure. */
  readonly asked: Promise<void>
  close(): Promise<void>
}

/** Starts to read the revision at regular intervals. Rare writes raise the revision. */
export function followRevision(connections: Connections): Revision {
  let heard: Heard | undefined
  let heardAt = -Infinity
  /**
   * `common`: the last revision that may concern any tenant. `own`: the later revision of each
   * tenant that has one.
   */
  let common = 0
  const own = new Map<string, number>()
  const clock = createSharedClock()

  function take(next: Heard): void {
    const known = new Set(next.concerned.map(([n]) => n)).size
    const isComplete = heard !== undefined && known === next.n - heard.n
    if (!isComplete || own.size > MAX_TENANTS) {
      common = next.n
      own.clear()
    } else {
      for (const [n, tenantId] of next.concerned)
        own.set(tenantId, Math.max(n, own.get(tenantId) ?? 0))
    }
    heard = next
  }

  async function ask(): Promise<void> {
    const askedAt = performance.now()
    const { rows } = await connections.heartbeat(look(heard?.n ?? Number.MAX_SAFE_INTEGER))
    if (rows[0]) {
      clock.hear(rows[0].at, askedAt)
      take(rows[0])
    }
    heardAt = askedAt
  }

  // Failures are ignored here, because the requests that need the database report them.
  const asking = every(POLL_MS, ask, () => {})
  const asked = asking.wake()
  const isFresh = () => performance.now() - heardAt < FRESH_MS
  const of = (tenantId: string) => own.get(tenantId) ?? common
  return {
    current(tenantId) {
      if (!isFresh()) return Symbol('unknown')
      return tenantId === undefined ? heard?.n : of(tenantId)
    },
    lastEntry: () => (isFresh() ? (heard?.entries ?? undefined) : undefined),
    mayBeDue: (table) => !isFresh() || heard?.[table] !== false,
    clock,
    asked,
    close: asking.close,
  }
}
