import type { AuditEntry, Micros, OperatorRole, Reach } from './records.ts'
import type { SearchCursor, UserQuery } from './user-search.ts'

/** The kinds of bulk jobs: the action that a job does for each of its users. */
export const bulkKinds = ['disable', 'enable', 'end-sessions', 'reset', 'verify', 'invite'] as const

/** One of {@link bulkKinds}: the last three send a message. */
export type BulkKind = (typeof bulkKinds)[number]

/** The users of a job: a list of ids, the results of a search, or, for an undo, the users whom another job changed. */
export type JobUsers =
  | { readonly undoes: string }
  | { readonly ids: readonly string[] }
  | { readonly query: Omit<UserQuery, 'order'> }

/** The members of every job: its work, its operator and its state. */
interface JobOf<Kind, Work, Progress> {
  id: string
  tenantId: string
  kind: Kind
  work: Work
  /** The operator as actor of audit entries. The audit entries of the job get this request id. */
  actor: Pick<AuditEntry, 'requestId' | 'address' | 'userAgent'> & { name: string }
  /** The time at which the job was created. Users who were created later are left out. */
  createdAt: Micros
  /** The number of users when the job was created, counted up to a limit. */
  total: number
  /** `waiting`: the job continues when the operator confirms it. */
  state: 'waiting' | 'running' | 'done' | 'stopped'
  progress: Progress
}

/**
 * The users of a bulk job. `isStopped`: an operator has stopped the job, which ends after the
 * current step.
 */
export type BulkWork = JobUsers & { readonly isStopped?: true }

/** A job that does the same action for many users of a tenant. */
export type BulkJob = JobOf<BulkKind, BulkWork, BulkProgress>

/** An import of users, from the upload on. */
export type ImportJob = JobOf<'import', ImportWork, ImportProgress>

/** A message that tells an operator that their role has changed. Deleted once it is sent. */
export type RoleJob = JobOf<'tell-role', RoleWork, null>

/**
 * A message that tells a user that an operator has changed the user's address. Deleted once it is
 * sent.
 */
export type MoveJob = JobOf<'tell-move', MoveWork, null>

export type Job = BulkJob | ImportJob | RoleJob | MoveJob

/** The progress of a bulk job, from which any process can continue. */
export interface BulkProgress {
  /** The position of the user after whom the current step began. */
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
  /** The number of {@link JobPart}s into which the records of the file are divided. */
  parts: number
  /** The name of the column for each member of a user. */
  columns: Record<string, string>
  /**
   * The algorithm of password hashes in rows that name no algorithm. Empty if no algorithm was
   * chosen.
   */
  algorithm: string
  /** Whether passwords and hashes are left out. */
  withoutPasswords: boolean
  /** The chosen meanings of values that may mark blocked users. */
  states?: ImportState[] | undefined
  /** Whether existing users are updated. Otherwise they stay unchanged. */
  isUpdate?: boolean | undefined
  /**
   * The hash parameters that all users of a Firebase project share. They are sealed, because a
   * parameter is a secret.
   */
  firebase?: string | undefined
  /** Whether an operator has stopped the import, which ends after the current part. */
  isStopped?: true | undefined
}

/**
 * The meaning of a value of a column. If `value` is null, the meaning of all other values of the
 * column.
 */
export interface ImportState {
  column: string
  value: string | null
  meaning: 'blocks' | 'allows'
}

/** The progress of an import. */
export interface ImportProgress {
  /** The step of the import. `unreadable`: the upload was deleted, and the import has ended. */
  phase: 'mapping' | 'checking' | 'checked' | 'importing' | 'unreadable'
  /** The reason why the file cannot be imported, in English. Another mapping of columns may help. */
  problem?: string | undefined
  /** The same reason as `problem`, for texts in other languages. */
  because?: StoredReason | undefined
  /** Values that may mark blocked users. The operator has to choose their meanings. */
  unclear?: Omit<ImportState, 'meaning'>[] | undefined
  check?: ImportCheck | undefined
  /** The number of the next part. */
  part: number
  /** The time at which the previous part was finished. */
  since: Micros
  /**
   * The fence that the next claim of the job has, unless another process claims the job before. A
   * claim with a higher fence repeats a part that another process has begun.
   */
  fence: number
  created: number
  existing: number
  refused: number
  /**
   * `changed`: the number of existing users whom an update changed. `conflicts`: the number of
   * users left unchanged because of a conflict.
   */
  changed?: number | undefined
  conflicts?: number | undefined
}

/** The effects that an import would have. */
export interface ImportCheck {
  creatable: number
  /**
   * The number of users whose address exists already. They stay unchanged unless the import updates
   * users.
   */
  existing: number
  faulty: number
  /** Whether the file has a column about who may log in. */
  saysStates: boolean
  /**
   * Whether an empty cell of these columns means that the user may log in. Absent in a check by an
   * earlier version, which counts as `false`.
   */
  emptyAllows?: boolean | undefined
  /** The names of the columns that are not imported. */
  ignored: string[]
  /** The first few rows of each outcome, as examples. */
  firstCreatable: { line: number; email: string; name: string }[]
  firstExisting: { line: number; email: string; id: string }[]
  firstFaults: ImportFault[]
  /** Absent if existing users stay unchanged. */
  update?: UpdateCheck | undefined
}

/** The effects that an import would have on existing users. */
export interface UpdateCheck {
  changed: number
  /**
   * The number of users left unchanged because of a conflict, such as a change in this service
   * since the last import.
   */
  conflicts: number
  unchanged: number
  /** The number of changed users who may no longer log in. */
  blocked: number
  /** For each member, the number of users whose value changes. The highest number is first. */
  members: [member: string, users: number][]
  /** The first members that are left unchanged, each with the reason. */
  firstKept: KeptMember[]
  /** The number of members left unchanged; absent in a check of an earlier version. */
  kept?: number | undefined
}

/**
 * A stored reason of a refusal: the name of the reason in the domain's `Reason`, and its values.
 * Another version of the service may have stored it.
 */
export interface StoredReason {
  readonly reason: string
  readonly values: Readonly<Record<string, unknown>>
}

/** A row that is not imported, and the reason. */
export interface ImportFault {
  /** The number of the row, counted from 0. */
  row: number
  line: number
  reason: string
  /** The reasons of the service, if the service refused the row. */
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

/** A part of the records of an import, with its outcome. */
export interface JobPart {
  n: number
  /**
   * The records. They are sealed, because they may contain passwords. Empty once the records are
   * imported.
   */
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
  /** The members left unchanged, in a check or an import. */
  kept?: KeptMember[]
}

/** The change of an operator's role, and its actor. */
export interface RoleWork {
  operatorId: string
  before: { role: OperatorRole; reach: Reach }
  /** The email address of the operator who changed the role; `undefined` for the command line. */
  by: string | undefined
}

/** The change of a user's address. */
export interface MoveWork {
  tenantId: string
  userId: string
  /**
   * The user before the change, and the facts of the message, encrypted. Empty in a job that an
   * earlier version has done.
   */
  sealed: string
}

/** A job that this process runs, unless another process has taken it over. */
export type HeldJob<J extends Job = Job> = J & { fence: number }

/**
 * The jobs of all tenants. Any process can run a job, but only one process at a time. Leases use
 * the clock of the database.
 */
export interface JobStore {
  /** Stores a job and, in the same step, the audit entry of its start. */
  insert(job: Job, audit?: AuditEntry): Promise<void>
  get(tenantId: string, id: string): Promise<Job | undefined>
  /** The jobs with these ids, of any tenant. Deleted jobs are missing. */
  some(ids: readonly string[]): Promise<Job[]>
  /** At most `limit` jobs of a tenant, the newest first. */
  list(tenantId: string, limit: number): Promise<Job[]>
  /** The running jobs of this kind of a tenant, also those that a process holds. */
  running(tenantId: string, kind: Job['kind']): Promise<Job[]>
  /**
   * Takes a running job that no process holds, for `seconds`; `undefined` if there is no such job.
   */
  claim(seconds: number): Promise<HeldJob | undefined>
  /**
   * Reads a job that this process has claimed again; `undefined` if it no longer runs, its lease has
   * ended, or another process has taken it.
   */
  held(job: Pick<HeldJob, 'id' | 'fence'>): Promise<HeldJob | undefined>
  /**
   * Extends the lease of a job to `seconds` from now, unless the lease has ended or another process
   * has taken the job.
   */
  renew(job: Pick<HeldJob, 'id' | 'fence'>, seconds: number): Promise<void>
  /**
   * Frees jobs whose lease ends clearly more than `seconds` from now, because the clock was set
   * back. Resolves to their number.
   */
  recall(seconds: number): Promise<number>
  /** Deletes a job that this process has claimed, unless another process has taken it. */
  remove(job: Pick<HeldJob, 'id' | 'fence'>): Promise<void>
  /** Deletes the jobs of these kinds of a tenant that are done or stopped. */
  removeEnded(tenantId: string, kinds: readonly Job['kind'][]): Promise<void>
  /**
   * Stores the state and the progress of a job, and sets its lease to `seconds` from now.
   *
   * @param audit - An audit entry about the job, which is stored in the same step.
   * @returns `false` if another process has taken the job. Nothing was stored in this case.
   */
  keep(job: HeldJob, seconds: number, audit?: AuditEntry): Promise<boolean>
  /**
   * Stores the state, the work, the actor, the total and the progress of a job that waits.
   *
   * @param before - The progress that the caller has read.
   * @param audit - An audit entry about the job, which is stored in the same step.
   * @returns `false` if the job no longer waited with that progress. Nothing was stored in this case.
   */
  resume(job: Job, before: Job['progress'], audit?: AuditEntry): Promise<boolean>
  /**
   * Stores the work of a running job, from which the next step begins.
   *
   * @param before - The work that the caller has read.
   * @param audit - An audit entry about the job, which is stored in the same step.
   * @returns `false` if the job no longer ran with that work. Nothing was stored in this case.
   */
  setWork(
    job: Pick<Job, 'tenantId' | 'id' | 'work'>,
    before: Job['work'],
    audit?: AuditEntry,
  ): Promise<boolean>
  /** Deletes a job with its parts, if the job waits. */
  discard(tenantId: string, id: string): Promise<void>
  /** Deletes the waiting jobs of all tenants that were created before this time. */
  discardBefore(at: Micros): Promise<void>
  addPart(jobId: string, n: number, content: string): Promise<void>
  /** Reads at most `limit` parts from number `n` on, in order. */
  parts(jobId: string, n: number, limit: number): Promise<JobPart[]>
  /** Replaces the content and the outcome of a part. */
  setPart(jobId: string, part: JobPart): Promise<void>
  /** Deletes the content of all parts of a job. */
  emptyParts(jobId: string): Promise<void>
}
