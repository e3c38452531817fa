import type { AuditEntry, Micros } from './records.ts'
import type { SearchCursor, UserQuery } from './user-search.ts'

/** The act of a job for each of its users. */
export const jobKinds = ['disable', 'enable', 'end-sessions', 'reset', 'verify', 'invite'] as const

/** One of {@link jobKinds}: the last three send a message. */
export type JobKind = (typeof jobKinds)[number]

/** The users of a job: those named, or those that a search finds. */
export type JobUsers =
  | { readonly ids: readonly string[] }
  | { readonly query: Omit<UserQuery, 'order'> }

/** A job for users of a tenant, on behalf of an operator. */
export interface Job {
  id: string
  tenantId: string
  kind: JobKind
  users: JobUsers
  /** The operator as actor: the audit entry of each user names the same request. */
  actor: Pick<AuditEntry, 'requestId' | 'address' | 'userAgent'> & { name: string }
  /** Users who were created later are not concerned. */
  createdAt: Micros
  /** How many users there were at the beginning; they are counted up to a limit. */
  total: number
  state: 'running' | 'done' | 'stopped'
  progress: JobProgress
}

/** The progress of a job, with which the next process goes on. */
export interface JobProgress {
  /** The place behind which the step under way began. */
  after: SearchCursor | undefined
  /** The ids of those whom the step has taken. */
  taken: string[]
  done: number
  failed: number
  /** The first refusals, each with the user. */
  failures: { userId: string; reason: string }[]
}

/** A job that this process carries on, as long as no other has taken it over. */
export interface HeldJob extends Job {
  fence: number
}

/** Jobs, which any process carries on, one at a time each. The times are those of the database's clock. */
export interface JobStore {
  insert(job: Job): Promise<void>
  get(tenantId: string, id: string): Promise<Job | undefined>
  /** The newest jobs of a tenant. */
  list(tenantId: string, limit: number): Promise<Job[]>
  /** Takes a running job that no process holds, for some seconds. */
  claim(seconds: number): Promise<HeldJob | undefined>
  /** Holds a job for some seconds more, unless it was given back. */
  renew(job: Pick<HeldJob, 'id' | 'fence'>, seconds: number): Promise<void>
  /**
   * Keeps the progress of a job, and holds it for some seconds more while it runs.
   *
   * @returns Whether this process still held it.
   */
  keep(job: HeldJob, seconds: number): Promise<boolean>
}
