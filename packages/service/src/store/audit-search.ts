import type { Micros, StoredAuditEntry } from './records.ts'

/** A filter of a tenant's entries; omitted members do not filter. */
export interface AuditFilter {
  /** Entries of any of these actors. */
  actors?: readonly string[] | undefined
  /** The beginning of the action, such as `user.`. */
  action?: string | undefined
  target?: string | undefined
  /** The id of a user: entries about the user and all objects of the user. */
  user?: string | undefined
  /** The id of a request, or of a job: the entries of all of its users. */
  request?: string | undefined
  /** Leaves out what a job did user by user; the entry that began it stays. */
  withoutJobs?: boolean | undefined
  from?: Micros | undefined
  /** The instant before which entries were written. */
  to?: Micros | undefined
}

/** The place of an entry in the list. The list is sorted by time, the newest first. */
export interface AuditPlace {
  at: Micros
  id: number
}

/** A page of the entries found: at most `limit` of those older than `after`. */
export interface AuditPage {
  after: AuditPlace | undefined
  limit: number
}

/**
 * A part of the entries found. If `next` is set, there are more. Only the last part may have fewer entries than asked
 * for.
 */
export interface AuditPart {
  items: StoredAuditEntry[]
  next: AuditPlace | undefined
}
