import type { Micros, StoredAuditEntry } from './records.ts'

/** A filter of a tenant's entries; omitted members do not filter. */
export interface AuditFilter {
  /** One of these. */
  actors?: readonly string[] | undefined
  /** The beginning of the action, such as `user.`. */
  action?: string | undefined
  target?: string | undefined
  /** The id of a user: entries about the user and all objects of the user. */
  user?: string | undefined
  from?: Micros | undefined
  /** Before this instant. */
  to?: Micros | undefined
}

/** The place of an entry: entries are found by time, the newest first. */
export interface AuditPlace {
  at: Micros
  id: number
}

/** A page of the entries found: at most `limit` of those older than `after`. */
export interface AuditPage {
  after: AuditPlace | undefined
  limit: number
}

/** A part of the entries found. With `next` there may be more; a part may be short, even empty. */
export interface AuditPart {
  items: StoredAuditEntry[]
  next: AuditPlace | undefined
}

/** The entries of a tenant, or about a target, before a place, the newest first. */
export interface AuditScan {
  from: Micros
  before: AuditPlace
  /** Only about this target; with a `/` at its end, also about objects that belong to it. */
  target: string | undefined
  limit: number
}

/** How many entries a filter looks at for one page. */
const MAX_LOOKED_AT = 2_000

/** Finds entries by one range scan, of which it looks at a bounded part. */
export async function searchEntries(
  { actors, action, target, user, from = 0, to = Number.MAX_SAFE_INTEGER }: AuditFilter,
  { after, limit }: AuditPage,
  scan: (scan: AuditScan) => Promise<StoredAuditEntry[]>,
): Promise<AuditPart> {
  const isPlain = actors === undefined && action === undefined && !(target && user)
  const size = isPlain ? limit + 1 : MAX_LOOKED_AT
  const entries = await scan({
    from,
    before: after && after.at < to ? after : { at: to, id: 0 },
    target: user === undefined ? target : `${user}/`,
    limit: size,
  })
  const items: StoredAuditEntry[] = []
  let place: AuditPlace | undefined
  for (const entry of entries) {
    const isFound =
      (actors === undefined || actors.includes(entry.actor)) &&
      (action === undefined || entry.action.startsWith(action)) &&
      (target === undefined || entry.target === target)
    if (isFound && items.length === limit) return { items, next: place }
    place = { at: entry.at, id: entry.id }
    if (isFound) items.push(entry)
  }
  return { items, next: entries.length === size ? place : undefined }
}
