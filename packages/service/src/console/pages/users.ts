import type { BulkKind, Job } from '../../domain/operators/jobs.ts'
import type { Permission } from '../../domain/operators/roles.ts'
import type {
  ClientAccess,
  LiveSession,
  MailLanguage,
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
import type { FormValues } from '../forms/concurrent-edits.ts'
import type { ShownMail } from '../forms/mail-form.ts'
import type { filterNames, UserFilters, wayWords } from '../forms/user-filters.ts'
import type { Sentence, Text } from '../texts/index.ts'

/**
 * The data of the pages of a tenant's users, imports, jobs and outbox. `base` is the path with
 * which the links and forms of a page begin. `readAt` is when the shown user was changed last; the
 * form sends it back, so that a change in the meantime is noticed.
 */
export interface UserPages {
  users: UserFilters & {
    users: readonly ListedUser[]
    /** The query of the next page; `undefined` on the last page. */
    further: string | undefined
    /** The path of the list, with which the links and forms of the page begin. */
    base: string
    /**
     * Whether the search finds only the beginning of an address or name, because the database
     * cannot find other parts of it.
     */
    onlyBeginnings: boolean
    /** The kinds of jobs for the chosen users, with their texts. */
    acts: typeof bulkActs
    /** Whether any filter is set. */
    isFiltered: boolean
    /**
     * The number of all users of the tenant; `undefined` if the list has a filter, or an order that
     * leaves users out.
     */
    total: number | undefined
    /** The labels of the filter for the method of the last login. */
    ways: typeof wayWords
    /** The names of the form fields of the filters. */
    filterNames: typeof filterNames
    importPath: string
    exportPath: string
    /** The filters as fields of the download form. */
    exported: Readonly<Record<string, string>>
  }
  'new-user': {
    base: string
    email: string
    name: string
    /** Whether the address is known to be the user's. */
    isVerified: boolean
    canInvite: boolean
    isInvited: boolean
    /** The language of the invitation; `undefined` if none was chosen. */
    mailLanguage: MailLanguage | undefined
  }
  user: {
    user: User
    /** The reasons why the user cannot log in. */
    obstacles: readonly Text[]
    /** The forms that remove these obstacles. */
    help: readonly HelpForm[]
    credentials: readonly {
      id: string
      kind: Sentence
      name: string
      disabled: boolean
      createdAt: Micros | undefined
      usedAt: Micros | undefined
      /** Whether it is a credential, and not the hash of another system. */
      isStored: boolean
    }[]
    sessions: readonly LiveSession[]
    devices: readonly TrustedDevice[]
    /** The clients that the user has given access; `shown` is the id of a client as text. */
    clients: readonly (Omit<ClientAccess, 'name' | 'scopes'> & {
      shown: string
      name: string | undefined
      scopes: string
    })[]
    mails: readonly ShownMail[]
    audit: readonly ShownEntry[]
    /** The messages that the operator can send to the user. */
    offers: readonly { kind: string; label: Sentence }[]
    isImpersonationOn: boolean
    base: string
    tenantPath: string
    /** The members of the profile, with their labels. */
    profile: readonly { label: Text; value: string }[]
  }
  'edit-user': {
    draft: UserDraft
    /**
     * The stored fields that differ from the draft, as text. Empty unless another person has changed
     * the user in the meantime.
     */
    theirs: Readonly<Record<string, string>>
    labels: Readonly<Record<UserField, Sentence>>
    base: string
    readAt: Micros
    /** The stored fields as JSON, which the form sends back in its field `base`. */
    filledWith: string
  }
  'edit-user-preview': {
    differences: readonly { label: Text; before: string; after: string }[]
    draft: UserDraft
    /** Whether the address of the user changes. */
    isMoved: boolean
    /** Whether the old address gets a message about the change, because it was verified. */
    isTold: boolean
    /** Whether a second operator has to verify the new address before links to it work at once. */
    isHeld: boolean
    /** The old address. */
    before: string
    /** The new address. */
    after: string
    base: string
    readAt: string
    filledWith: string
  }
  'log-in-as': {
    email: string
    mode: ImpersonationMode
    /** The reason that the operator has entered. */
    reason: string
    /**
     * The earlier logins of operators as this user. `shown` is the state in words, and `isOwn`
     * whether the operator of the page has asked for it.
     */
    logins: readonly (ShownImpersonation & {
      shown: { label: Sentence; color: string }
      isOwn: boolean
      endedAt: Micros | undefined
    })[]
    base: string
    back: string
  }
  /**
   * The page with the button that begins a login as a user. The form is sent to `action`, a URL at
   * the domain of the tenant, with the single-use `ticket`.
   */
  'log-in-as-ticket': { action: string; ticket: string; email: string; host: Text; back: string }
  import: {
    base: string
    /** The path of the list of jobs. */
    jobs: string
    /** The encodings of a file, with their names. */
    encodings: readonly (readonly [value: string, label: string])[]
    /** The fields of a refused form; empty at first. A browser does not send a file twice. */
    sent: { encoding: string; text: string }
  }
  'import-job': Pick<ImportJob, 'id' | 'state' | 'total' | 'createdAt' | 'progress'> & {
    work: Omit<ImportJob['work'], 'firebase'> & { hasFirebase: boolean }
    /** The number of users who were created or existed already. */
    done: number
    /** The number of rows that were refused. */
    failed: number
    base: string
    check:
      | (Omit<ImportCheck, 'firstFaults'> & {
          firstFaults: readonly { line: number; reasons: readonly Text[] }[]
        })
      | undefined
    /** The first members that an update would leave unchanged, with the reasons. */
    kept:
      | readonly (Omit<UpdateCheck['firstKept'][number], 'reason'> & { reason: Sentence })[]
      | undefined
    /** The form that maps the columns, while the import waits for the operator. */
    form: ImportForm | undefined
    /** Whether a refused form has asked to forget the stored parameters of Firebase. */
    forgetsFirebase: boolean
    /** Whether the upload cannot be decrypted, because its master key was removed. */
    isUnreadable: boolean
    /** Whether an update keeps all passwords, because the tenant requires two operators. */
    keepsPasswords: boolean
    /** Whether the operator who began the import may no longer do it. */
    isWithoutOperator: boolean
    /** Whether an operator has stopped the import. */
    isStopped: boolean
    /** The path of the page that stops the import. */
    stop: string
    /** The error code of an unreadable upload. */
    code: string
    /** The path of the list of users. */
    users: string
    /** The path of the audit log, filtered by the import. */
    audit: string
    /** The path that the form for the refused rows is sent to. */
    faults: string
  }
  bulk: BulkAct & {
    /** The fields that the form sends: the kind of job, and the chosen users or the filters. */
    fields: readonly (readonly [name: string, value: string])[]
    search: string
    state: string
    notSince: string
    way: Sentence | ''
    /** Whether all users that match the filters are chosen. */
    isAll: boolean
  }
  /**
   * The page that confirms the undoing of a job. `changed` is the number of users that the job
   * changed, in words. `others` is the number of those who stay as they are; `undefined` if there
   * are too many to count.
   */
  'undo-job': BulkAct & { id: string; back: string; changed: Text; others: number | undefined }
  jobs: { jobs: readonly ShownJob[]; base: string; users: string }
  job: ShownJob & {
    /** The first users that were refused, with the reasons. */
    failures: readonly { userId: string; reason: Text }[]
    /** Whether the job was stopped because the operator who began it may no longer do it. */
    isWithoutOperator: boolean
    /** Whether an operator has stopped the job, but its current step still runs. */
    isStopping: boolean
    /** The path that the form to stop the job is sent to. */
    stop: string
    /** The path of the page that undoes the job; `undefined` if the job cannot be undone. */
    undo: string | undefined
    /** The path of the job that this job undoes; empty if it undoes none. */
    undoes: string
    /** The path of the list of users. */
    users: string
    /** The path of the audit log, filtered by the job. */
    audit: string
  }
  outbox: {
    base: string
    /** The state of the listed messages; empty for all states. */
    state: string
    states: readonly (readonly [value: string, label: Sentence])[]
    /** The query of the next page; `undefined` on the last page. */
    further: string | undefined
    /** The messages. The recipient has no `userPath` if the user was deleted. */
    mails: readonly (ShownMail & {
      canBeSentAgain: boolean
    } & (
        | { recipient: Text; userPath: string }
        | { recipient?: Text | undefined; userPath?: never }
      ))[]
  }
}

/** A form that removes an obstacle to the login of a user. */
export interface HelpForm {
  /** The path of the form, below the path of the user. */
  path: string
  label: Sentence
  /** The kind of message, for a form that sends one. */
  kind?: string
}

/** A field of a user in a form. */
export type UserField = 'email' | 'name' | 'given_name' | 'family_name'

/** The fields of a user as the form has them. */
export type UserDraft = FormValues<UserField>

/**
 * The form that maps the columns of a file to members of a user, with a preview of the first rows.
 */
export interface ImportForm {
  /** The names of the columns of the file. */
  columns: readonly string[]
  /**
   * The values that may mark blocked users, each with the meanings to choose from. `field` is the
   * form value of a meaning.
   */
  states: readonly (Omit<ImportState, 'meaning'> & {
    meanings: readonly { label: Sentence; isChosen: boolean; field: string }[]
  })[]
  /** The columns that can be kept as metadata. */
  others: readonly { column: string; isKept: boolean }[]
  /** The members of a user, each with its column; empty if it has none. */
  chosen: readonly { target: string; label: Sentence; column: string }[]
  /** The algorithms of password hashes. */
  algorithms: readonly string[]
  /** The preview of the first rows. */
  rows: readonly {
    line: number
    oldId: string
    user: { profile: Readonly<Record<string, unknown>> & { email: string }; disabled?: boolean }
    /** The algorithm of the password hash, if the row has a password. */
    password: string | undefined
    /** The names of the further members that the row has. */
    others: readonly string[]
    faults: readonly Reason[]
  }[]
}

/** A job before it begins, with the texts of its kind. */
type BulkAct = (typeof bulkActs)[BulkKind] & {
  /** The number of users in words. */
  number: Text
  /** The number of users, counted up to a limit. */
  total: number
  base: string
  /** The number that has to be typed as a confirmation; `undefined` for a small job. */
  typed: number | undefined
  /** The confirmation that was typed; empty at first. */
  sent: string
}

/** A job as the list of jobs and its own page show it. */
export interface ShownJob {
  id: string
  state: Job['state']
  stateLabel: Sentence
  createdAt: Micros
  /** The number of users for whom the job is done. */
  done: number
  /** The number of users, or rows of an import, that were refused. */
  failed: number
  /** The kind of the job. */
  label: Sentence
  href: string
  /** The permission that the page of the job needs. */
  needs: Permission
  /** The number of users in words. */
  number: Text
  /** Whether `total` is exact. Users above a limit are not counted. */
  isCounted: boolean
  total: number
}
