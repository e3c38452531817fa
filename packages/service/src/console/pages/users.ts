import type { BulkKind, Job } from '../../domain/operators/jobs.ts'
import type {
  ClientAccess,
  LiveSession,
  ShownImpersonation,
  TrustedDevice,
} from '../../domain/operators/support.ts'
import type { ImpersonationMode } from '../../domain/tenants/impersonation-mode.ts'
import type { ListedUser } from '../../domain/users/user-lists.ts'
import type { Reason } from '../../domain/writes/reasons/index.ts'
import type { ImportCheck, ImportJob, ImportState, UpdateCheck } from '../../store/jobs.ts'
import type { Micros, User } from '../../store/records.ts'
import type { bulkActs } from '../audit/job-words.ts'
import type { ShownEntry } from '../audit/shown-entries.ts'
import type { MetadataRow } from '../forms/form-fields.ts'
import type { ShownMail } from '../forms/mail-form.ts'
import type { filterNames, UserFilters, wayWords } from '../forms/user-filters.ts'
import type { Sentence, Text } from '../texts/index.ts'

/** The data of the pages of the users of a tenant, of imports, jobs and the outbox. */
export interface UserPages {
  users: UserFilters & {
    users: readonly ListedUser[]
    further: string | undefined
    base: string
    onlyBeginnings: boolean
    acts: typeof bulkActs
    isFiltered: boolean
    /** The number of users where the list has no filter. */
    total: number | undefined
    ways: typeof wayWords
    filterNames: typeof filterNames
    importPath: string
    exportPath: string
    exported: Readonly<Record<string, string>>
  }
  'new-user': { base: string; email: string; name: string; canInvite: boolean }
  user: {
    user: User
    obstacles: readonly Text[]
    help: readonly HelpForm[]
    credentials: readonly {
      id: string
      kind: Sentence
      name: string
      disabled: boolean
      createdAt: Micros
      usedAt: Micros | undefined
    }[]
    sessions: readonly LiveSession[]
    devices: readonly TrustedDevice[]
    clients: readonly (Omit<ClientAccess, 'name' | 'scopes'> & {
      shown: string
      name: string | undefined
      scopes: string
    })[]
    mails: readonly ShownMail[]
    audit: readonly ShownEntry[]
    offers: readonly { kind: string; label: Sentence }[]
    isImpersonationOn: boolean
    base: string
    tenantPath: string
    claims: Readonly<Record<string, Sentence>>
  }
  'edit-user': {
    draft: UserDraft
    labels: Readonly<Record<UserField, Sentence>>
    base: string
    readAt: Micros
  }
  'edit-user-preview': {
    differences: readonly { label: Text; before: string; after: string }[]
    draft: UserDraft
    isMoved: boolean
    isTold: boolean
    isHeld: boolean
    before: string
    after: string
    base: string
    readAt: string
  }
  'log-in-as': {
    email: string
    mode: ImpersonationMode
    reason: string
    logins: readonly (ShownImpersonation & {
      shown: { label: Sentence; color: string }
      isOwn: boolean
      endedAt: Micros | undefined
    })[]
    base: string
    back: string
  }
  'log-in-as-ticket': { action: string; ticket: string; email: string; host: Text; back: string }
  import: {
    base: string
    jobs: string
    encodings: readonly (readonly [value: string, label: string])[]
  }
  'import-job': Pick<ImportJob, 'id' | 'state' | 'total' | 'createdAt' | 'progress'> & {
    work: Omit<ImportJob['work'], 'firebase'> & { hasFirebase: boolean }
    done: number
    failed: number
    base: string
    check:
      | (Omit<ImportCheck, 'firstFaults'> & {
          firstFaults: readonly { line: number; reasons: readonly Text[] }[]
        })
      | undefined
    kept:
      | readonly (Omit<UpdateCheck['firstKept'][number], 'reason'> & { reason: Sentence })[]
      | undefined
    form: ImportForm | undefined
    isUnreadable: boolean
    code: string
    users: string
    audit: string
    faults: string
  }
  bulk: BulkAct & {
    fields: readonly (readonly [name: string, value: string])[]
    search: string
    state: string
    notSince: string
    way: Sentence | ''
    isAll: boolean
  }
  'undo-job': BulkAct & { id: string; back: string; changed: Text; others: number | undefined }
  jobs: { jobs: readonly ShownJob[]; base: string; users: string }
  job: ShownJob & {
    failures: readonly { userId: string; reason: Text }[]
    isStopping: boolean
    stop: string
    undo: string | undefined
    undoes: string
    users: string
    audit: string
  }
  outbox: {
    base: string
    state: string
    states: readonly (readonly [value: string, label: Sentence])[]
    further: string | undefined
    mails: readonly (ShownMail & {
      canBeSentAgain: boolean
    } & (
        | { recipient: Text; userPath: string }
        | { recipient?: Text | undefined; userPath?: never }
      ))[]
  }
}

/** A form that removes an obstacle. */
export interface HelpForm {
  path: string
  label: Sentence
  kind?: string
}

/** A field of a user in a form. */
export type UserField = 'email' | 'name' | 'given_name' | 'family_name'

/** The fields of a user as a form has them. */
export interface UserDraft {
  readonly fields: Readonly<Record<UserField, string>>
  readonly metadata: readonly MetadataRow[]
}

/** The columns of a file by the members that they would go to, and the first rows as they would be. */
export interface ImportForm {
  columns: readonly string[]
  states: readonly (Omit<ImportState, 'meaning'> & {
    meanings: readonly { label: Sentence; isChosen: boolean; field: string }[]
  })[]
  others: readonly { column: string; isKept: boolean }[]
  chosen: readonly { target: string; label: Sentence; column: string }[]
  algorithms: readonly string[]
  rows: readonly {
    line: number
    oldId: string
    user: { profile: Readonly<Record<string, unknown>> & { email: string }; disabled?: boolean }
    password: string | undefined
    others: readonly string[]
    faults: readonly Reason[]
  }[]
}

/** An act on many users, before it is done. */
type BulkAct = (typeof bulkActs)[BulkKind] & {
  number: Text
  total: number
  base: string
  /** The number to type; `undefined` where there are few. */
  typed: number | undefined
  sent: string
}

/** A job in words. */
export interface ShownJob {
  id: string
  state: Job['state']
  stateLabel: Sentence
  createdAt: Micros
  done: number
  failed: number
  label: Sentence
  href: string
  number: Text
  isCounted: boolean
  total: number
}
