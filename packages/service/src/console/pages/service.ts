import type { Language } from '../../pages/index.ts'
import type { OperatorUser, TenantDeletion } from '../../store/ports.ts'
import type { ApiKey, Micros, OperatorRole, Tenant } from '../../store/records.ts'
import type { ShownEntry } from '../audit/shown-entries.ts'
import type { Sentence, Text } from '../texts/index.ts'

/**
 * The data of the pages of the whole service. The pages of the audit log and of API keys serve a
 * single tenant too. `base` is the path with which the links and forms of a page begin.
 */
export interface ServicePages {
  overview: {
    /** The number of tenants that the operator reaches. */
    total: number
    /** The first of these tenants. */
    tenants: readonly Tenant[]
    /** The number of API keys that are neither withdrawn nor expired. */
    keys: number
    figures: readonly DayFigure[]
    /** The logins of the last 30 days, for an operator who reaches all tenants. */
    month: Chart | undefined
    /** At most ten tenants with messages that could not be sent so far. */
    failing: readonly MailProblem[]
    /** The number of further tenants with such messages. */
    failingElsewhere: number
    /** At most ten tenants with messages that were given up in the last 24 hours. */
    givenUp: readonly MailProblem[]
    /** The sentence about further tenants with such messages. */
    givenUpElsewhere: Text | undefined
    /** The API keys that expire within 14 days. */
    expiring: readonly ApiKey[]
    /** Whether the operator has a way to log in besides a password. */
    hasSecondStep: boolean
  }
  search: {
    /** The text that was searched for. */
    asked: string
    found: readonly Found[]
    /** The maximum of results of a kind for each tenant, if it was reached. */
    each: number | undefined
    /** The tenant that the search is limited to. */
    within: { id: string; name: string } | undefined
    /**
     * Whether the operator reaches more tenants than those whose users and applications were
     * searched.
     */
    isPart: boolean
    /** The number of tenants whose users and applications were searched. */
    looked: number
  }
  tenants: {
    tenants: readonly Tenant[]
    /** The number of tenants; `undefined` for a search. */
    total: number | undefined
    search: string
    /** The query of the next page; `undefined` on the last page. */
    next: string | undefined
  }
  'new-tenant': { name: string; domain: string }
  keys: {
    /** A new key, whose secret is shown once. */
    made: { name: string; secret: string } | undefined
    now: Micros
    keys: readonly { key: ApiKey; reach: readonly NamedTenant[] }[]
    base: string
  }
  'new-key': {
    base: string
    /** A hidden field, so that a form that is sent twice makes one key. */
    keptName: { field: string; value: string }
    /**
     * The fields of the form. `choice` is `undefined` on the page of a tenant, because the key then
     * reaches only this tenant.
     */
    sent: { name: string; choice: TenantChoice | undefined; access: string; days: string }
  }
  operators: {
    operators: readonly ShownOperator[]
    /** Whether a mail server is configured. */
    sendsMail: boolean
    /** The id of the operator who looks at the page. */
    self: string
    /** The domains that the text fields for tenants suggest. */
    domains: readonly string[]
    roles: readonly OperatorRole[]
    permissions: RolesOf
    /** The link of a new invitation, which is shown once. */
    invited: { email: string; link: string } | undefined
  }
  'new-operator': {
    sendsMail: boolean
    roles: readonly OperatorRole[]
    permissions: RolesOf
    /** The fields of the form. */
    sent: { email: string; role: OperatorRole; choice: TenantChoice; language: Language }
  }
  audit: {
    /** The filters as they were sent. */
    given: AuditFilters
    base: string
    /** Whether the page is the first one. */
    isFirst: boolean
    /**
     * The address of the user whose entries are shown, if several users have the name in the
     * filter.
     */
    meant: string | undefined
    entries: readonly ShownEntry[]
    isFiltered: boolean
    exportPath: string
    /** The filters as fields of the download form. */
    exported: Readonly<Record<string, string>>
    /** The query of the next page; `undefined` on the last page. */
    further: string | undefined
  }
  'audit-entry': { entry: ShownEntry }
  system: {
    system: { version: string; stores: { data: string; protocol: string } }
    /** The error of a store that cannot write; `undefined` if all stores can. */
    fault: string | undefined
    deletions: readonly TenantDeletion[]
    /** The version of Node.js. */
    node: string
    startedAt: Micros
    /** Whether other processes can serve the same data. */
    isShared: boolean
    queues: readonly {
      name: Sentence
      waiting: Text
      /** The number of waiting messages that failed at least once; `undefined` if there is none. */
      failing: Text | undefined
      /** The time at which the oldest message was added. */
      oldestAt: Micros | undefined
    }[]
  }
}

/** A number of the last 24 hours, with its label and a link to the details. */
export interface DayFigure {
  readonly label: Sentence
  /** The number as text, such as `more than 10,000`. */
  readonly figure: Text
  readonly href: string
}

/**
 * A day of a chart. The height of its bar is the sum of `done` and `failed`, relative to `most` of
 * the {@link Chart}.
 */
export interface ChartDay {
  /** The beginning of the day in UTC, in milliseconds since the epoch. */
  readonly at: number
  /** The number of successes, such as logins. */
  readonly done: number
  /** The number of failures, such as refused logins. */
  readonly failed: number
}

/** The successes and failures of the last 30 days, for a chart and its table. */
export interface Chart {
  readonly title: Sentence
  readonly days: readonly ChartDay[]
  /** The highest sum of successes and failures on one day. */
  readonly most: number
  /** The labels of successes and failures. */
  readonly series: { readonly done: Sentence; readonly failed: Sentence }
  /** The text in place of a chart without any success or failure. */
  readonly none: Sentence
  /** A sentence about days that the chart leaves out, if there are any. */
  readonly note: Text | undefined
}

/** A result of the search: a page or an object of the console. */
export interface Found {
  readonly kind: Sentence
  readonly name: Text
  readonly href: string
  readonly id?: string
  /** The name of the tenant that it belongs to. */
  readonly of?: Text
}

/** The filters of the audit log, as they were sent. An empty text is no filter. */
export type AuditFilters = Readonly<Record<AuditFilter, string>>

/** The name of a filter of the audit log. */
export type AuditFilter =
  | 'actor'
  | 'action'
  | 'target'
  | 'user'
  | 'from'
  | 'to'
  | 'request'
  | 'jobs'

/**
 * A tenant that a key or an operator reaches. A deleted tenant has its id as name, and no domain.
 */
export interface NamedTenant {
  readonly id: string
  readonly name: string
  readonly domain?: string
}

/** The fields of a form that choose tenants. */
export interface TenantChoice {
  /** Whether all tenants are chosen. */
  readonly isAll: boolean
  /**
   * The tenants in the order of their names, each with a checkbox. `undefined` if there are too
   * many; then a text field takes their domains.
   */
  readonly boxes:
    | readonly { id: string; name: string; domain: string; isChosen: boolean }[]
    | undefined
  /** The content of the text field. */
  readonly typed: string
  /** The domains that the text field suggests. */
  readonly domains: readonly string[]
}

/** Each permission in words, with the roles that have it. */
export type RolesOf = readonly { words: Sentence; roles: readonly OperatorRole[] }[]

/** An operator in the list of operators. */
interface ShownOperator extends OperatorUser {
  reach: readonly NamedTenant[]
  /** The kinds of the operator's enabled credentials, in words. */
  ways: readonly Sentence[]
  lastLoginAt: Micros | undefined
  /** The time at which the open invitation expires or has expired. */
  invitedUntil?: Micros
  /** Whether the open invitation has expired. */
  isExpired?: boolean
  /**
   * The values in the form that changes the operator. With `isRefused`, the form was refused and is
   * shown open.
   */
  sent: { role: OperatorRole; choice: TenantChoice; isRefused: boolean }
  /** The last message with an invitation. */
  mail:
    | { at: Micros; state: { label: Sentence; color: string }; answer: Text | undefined }
    | undefined
}

/** The messages of a tenant that could not be sent. */
export interface MailProblem {
  /** The page that lists the messages. */
  readonly link: { readonly href: string; readonly label: Sentence }
  /** The name of the tenant. */
  readonly name: Text
  /** The sentence about `count` messages of the tenant. */
  readonly sentence: Sentence
  readonly count: number
  /** The response of the mail server to one of the last messages. */
  readonly answer: Text | undefined
}
