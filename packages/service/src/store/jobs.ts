import type { AuditEntry, Micros, OperatorRole, Reach } from './records.ts'
import type { SearchCursor, UserQuery } from './user-search.ts'

/** The acts of a job for each of its users. */
export const bulkKinds = ['disable', 'enable', 'end-sessions', 'reset', 'verify', 'invite'] as const

/** One of {@link bulkKinds}: the last three send a message. */
export type BulkKind = (typeof bulkKinds)[number]

/** The users of a job: a list of ids, the results of a search, or, for an undo, the users whom another job changed. */
export type JobUsers =
  | { readonly undoes: string }
  | { readonly ids: readonly string[] }
  | { readonly query: Omit<UserQuery, 'order'> }

/** The parts of every job: what to do, for which operator. */
interface JobOf<Kind, Work, Progress> {
  id: string
  tenantId: string
  kind: Kind
  work: Work
  /** The operator as actor. The audit entries of all users get its request id. */
  actor: Pick<AuditEntry, 'requestId' | 'address' | 'userAgent'> & { name: string }
  /** When the job was created. Users who were created later are left out. */
  createdAt: Micros
  /** How many users there were at the beginning; they are counted up to a limit. */
  total: number
  /** `waiting`: the operator has to confirm before it continues. */
  state: 'waiting' | 'running' | 'done' | 'stopped'
  progress: Progress
}

/** The users of an act. With `isStopped`, an operator has stopped it, and it ends after the current step. */
export type BulkWork = JobUsers & { readonly isStopped?: true }

/** An act for many users of a tenant. */
export type BulkJob = JobOf<BulkKind, BulkWork, BulkProgress>

/** An import of users, from the upload on. */
export type ImportJob = JobOf<'import', ImportWork, ImportProgress>

/** A message that tells an operator that their role has changed. */
export type RoleJob = JobOf<'tell-role', RoleWork, null>

export type Job = BulkJob | ImportJob | RoleJob

/** The progress of an act for many users, from which any process continues. */
export interface BulkProgress {
  /** The id of the user after whom the current step began. */
  after: SearchCursor | undefined
  /** The ids of the users whom the current step has handled. */
  taken: string[]
  done: number
  failed: number
  /** The first refusals, each with its user. */
  failures: { userId: string; reason: string; because?: StoredReason | undefined }[]
}

/** The file of an import, and the mapping of its columns to members of users. */
export interface ImportWork {
  fileName: string
  /** How many parts the records of the file have. */
  parts: number
  /** The name of the column for each member of a user. */
  columns: Record<string, string>
  /** The algorithm of hashes in rows that name none. Empty if none was chosen. */
  algorithm: string
  /** Whether passwords and hashes are left out. */
  withoutPasswords: boolean
  /** The chosen meanings of values that may mark blocked users. */
  states?: ImportState[] | undefined
  /** Whether existing users are updated. Otherwise they stay unchanged. */
  isUpdate?: boolean | undefined
  /** The parameters of hashes that all users of a Firebase project share, sealed: one of them is a secret. */
  firebase?: string | undefined
}

/** The meaning of one value of a column, or of all its other values if `value` is null. */
export interface ImportState {
  column: string
  value: string | null
  meaning: 'blocks' | 'allows'
}

/** The progress of an import. */
export interface ImportProgress {
  /** With `unreadable`, the upload is deleted, and the import has ended. */
  phase: 'mapping' | 'checking' | 'checked' | 'importing' | 'unreadable'
  /** The reason why the file cannot be imported, in English. Another mapping of columns may help. */
  problem?: string | undefined
  /** The name of the same reason, for texts in other languages. */
  because?: StoredReason | undefined
  /** Values that may mark blocked users, and whose meaning the operator has to choose. */
  unclear?: Omit<ImportState, 'meaning'>[] | undefined
  check?: ImportCheck | undefined
  /** The number of the next part. */
  part: number
  /** The time at which the previous part was finished. */
  since: Micros
  /**
   * The fence that the next claim of the job has if no part was begun since. With a higher one, the claim repeats a
   * part that another process began.
   */
  fence: number
  created: number
  existing: number
  refused: number
  /**
   * The numbers of existing users whom an update changed, and of those left unchanged because of a
   * conflict.
   */
  changed?: number | undefined
  conflicts?: number | undefined
}

/** The effects that an import would have. */
export interface ImportCheck {
  creatable: number
  /** Users whose address exists already. They stay unchanged unless the import updates users. */
  existing: number
  faulty: number
  /** Whether the file has a column about who may log in. */
  saysStates: boolean
  /** The columns that are not imported. */
  ignored: string[]
  /** The first few of each, as examples. */
  firstCreatable: { line: number; email: string; name: string }[]
  firstExisting: { line: number; email: string; id: string }[]
  firstFaults: ImportFault[]
  /** Absent if existing users stay unchanged. */
  update?: UpdateCheck | undefined
}

/** The effects that an import would have on existing users. */
export interface UpdateCheck {
  changed: number
  /** Users left unchanged because of a conflict, such as a change in this service since the last import. */
  conflicts: number
  unchanged: number
  /** The changed users who may no longer log in. */
  blocked: number
  /** For each member, the number of users whose value changes, the highest first. */
  members: [member: string, users: number][]
  /** The first members that are left unchanged, each with the reason. */
  firstKept: KeptMember[]
  /** The number of members left unchanged; absent in a check of an earlier version. */
  kept?: number | undefined
}

/** The reason of a refusal: its name in the domain's `Reason`, with its values. Another version may have written it. */
export interface StoredReason {
  readonly reason: string
  readonly values: Readonly<Record<string, unknown>>
}

/** A row that is not imported. */
export interface ImportFault {
  /** Counted from 0. */
  row: number
  line: number
  reason: string
  /** The service's own reasons, if it refused the row. */
  because?: readonly StoredReason[] | undefined
  email?: string
}

/** A member of a user that is left unchanged, although the file has another value. */
export interface KeptMember {
  line: number
  email: string
  member: string
  reason: string
}

/** Some records of an import. */
export interface JobPart {
  n: number
  /** Sealed, as it may hold passwords; empty once the records are imported. */
  content: string
  result: PartResult
}

/** The outcome for the records of a part. */
export interface PartResult {
  created: number
  existing: number
  faults: ImportFault[]
  changed?: number
  conflicts?: number
  /** The members left unchanged, in a check or in the import after it. */
  kept?: KeptMember[]
}

/** The change of an operator's role, and its actor. */
export interface RoleWork {
  operatorId: string
  before: { role: OperatorRole; reach: Reach }
  /** The address of an operator; `undefined` for the command line. */
  by: string | undefined
}

/** A job that this process runs, unless another process has taken it over. */
export type HeldJob<J extends Job = Job> = J & { fence: number }

/**
 * The jobs of all tenants. Any process can run a job, but only one at a time. Times are those of the database's clock.
 */
export interface JobStore {
  insert(job: Job): Promise<void>
  get(tenantId: string, id: string): Promise<Job | undefined>
  /** The jobs with these ids, of any tenant. Deleted jobs are missing. */
  some(ids: readonly string[]): Promise<Job[]>
  /** The newest jobs of a tenant. */
  list(tenantId: string, limit: number): Promise<Job[]>
  /** Takes a running job that no process holds, for some seconds. */
  claim(seconds: number): Promise<HeldJob | undefined>
  /** Extends the lease of a job, unless it was given back. */
  renew(job: Pick<HeldJob, 'id' | 'fence'>, seconds: number): Promise<void>
  /** Frees jobs whose lease ends more than `seconds` from now, because the clock was set back. Returns how many. */
  recall(seconds: number): Promise<number>
  /**
   * Stores the progress of a job and, while it runs, extends its lease.
   *
   * @returns Whether this process still held the job.
   */
  keep(job: HeldJob, seconds: number): Promise<boolean>
  /**
   * Changes the work, the actor and the progress of a job that waits.
   *
   * @param before - The progress that the caller has read.
   * @returns Whether the job still waited, with that progress.
   */
  resume(job: Job, before: Job['progress']): Promise<boolean>
  /**
   * Stores the work of a running job, from which the next step begins.
   *
   * @returns `false` if the job had already ended. Nothing was stored then.
   */
  setWork(job: Pick<Job, 'tenantId' | 'id' | 'work'>): Promise<boolean>
  /** Deletes a job that waits, with its parts. */
  discard(tenantId: string, id: string): Promise<void>
  /** Deletes the jobs that began to wait before this time. */
  discardBefore(at: Micros): Promise<void>
  addPart(jobId: string, n: number, content: string): Promise<void>
  /** Reads at most `limit` parts from number `n` on, in order. */
  parts(jobId: string, n: number, limit: number): Promise<JobPart[]>
  /** Replaces the content and the outcome of a part. */
  setPart(jobId: string, part: JobPart): Promise<void>
  /** Deletes the content of all parts. */
  emptyParts(jobId: string): Promise<void>
}
