import type { Micros, StoredAuditEntry } from './records.ts'

/** A filter of audit log entries. Omitted members do not filter. */
export interface AuditFilter {
  /** Entries of any of these actors. */
  actors?: readonly string[] | undefined
  /** The beginning of the name of the action, such as `user.`. */
  action?: string | undefined
  target?: string | undefined
  /**
   * The id of a user: finds entries about the user and about the user's own objects, such as
   * credentials.
   */
  user?: string | undefined
  /** The id of a request. The entries of a job have the id of the job instead. */
  request?: string | undefined
  /**
   * Leaves out the entries that jobs wrote for single users. The entry of the request that started
   * a job stays.
   */
  withoutJobs?: boolean | undefined
  /** Only entries written at this time or later. */
  from?: Micros | undefined
  /** Only entries written before this time. */
  to?: Micros | undefined
}

/** The position of an entry in a list that is sorted by time, the newest first. */
export interface AuditPlace {
  at: Micros
  id: number
}

/**
 * A page of the entries found: at most `limit` entries after the position `after`, or from the
 * newest on.
 */
export interface AuditPage {
  after: AuditPlace | undefined
  limit: number
}

/**
 * One page of the entries found. `next` is the `after` of the next page; `undefined` on the last
 * page. Every other page has as many entries as its limit.
 */
export interface AuditPart {
  items: StoredAuditEntry[]
  next: AuditPlace | undefined
}
