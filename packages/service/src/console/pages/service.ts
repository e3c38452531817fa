import type { Language } from '../../pages/index.ts'
import type { OperatorUser, TenantDeletion } from '../../store/ports.ts'
import type { ApiKey, Micros, OperatorRole, Tenant } from '../../store/records.ts'
import type { ShownEntry } from '../audit/shown-entries.ts'
import type { Sentence, Text } from '../texts/index.ts'

/** The data of the pages of the whole service. Those of the audit log and of API keys are a tenant's, too. */
export interface ServicePages {
  overview: {
    total: number
    tenants: readonly Tenant[]
    keys: number
    figures: readonly DayFigure[]
    month: Chart | undefined
    failing: readonly {
      tenantId: string
      name: Text
      count: number
      answer: Text | undefined
    }[]
    failingElsewhere: number
    expiring: readonly ApiKey[]
    hasSecondStep: boolean
  }
  search: {
    asked: string
    found: readonly Found[]
    each: number | undefined
    within: { id: string; name: string } | undefined
    isPart: boolean
    looked: number
  }
  tenants: {
    tenants: readonly Tenant[]
    total: number | undefined
    search: string
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
    /** The tenants to choose from; `undefined` on the page of a tenant, whose keys reach it alone. */
    sent: { name: string; choice: TenantChoice | undefined; access: string; days: string }
  }
  operators: {
    operators: readonly ShownOperator[]
    sendsMail: boolean
    self: string
    /** Domains to choose from, where tenants are typed. */
    domains: readonly string[]
    roles: readonly OperatorRole[]
    permissions: RolesOf
    /** The link of an invitation, which is shown once. */
    invited: { email: string; link: string } | undefined
  }
  'new-operator': {
    sendsMail: boolean
    roles: readonly OperatorRole[]
    permissions: RolesOf
    sent: { email: string; role: OperatorRole; choice: TenantChoice; language: Language }
  }
  audit: {
    given: AuditFilters
    base: string
    isFirst: boolean
    /** The address of the user whom the filter means. */
    meant: string | undefined
    entries: readonly ShownEntry[]
    isFiltered: boolean
    exportPath: string
    exported: Readonly<Record<string, string>>
    further: string | undefined
  }
  'audit-entry': { entry: ShownEntry }
  system: {
    system: { version: string; stores: { data: string; protocol: string } }
    /** Why a store cannot write. */
    fault: string | undefined
    deletions: readonly TenantDeletion[]
    node: string
    startedAt: Micros
    isShared: boolean
    queues: readonly {
      name: Sentence
      waiting: Text
      failing: number
      oldestAt: Micros | undefined
    }[]
  }
}

/** A number of the last 24 hours, by its name. */
export interface DayFigure {
  readonly label: Sentence
  readonly figure: Text
  readonly href: string
}

/** A day of the chart: its bar is as high as its share of `most`, of both together. */
export interface ChartDay {
  /** The day at its beginning, in milliseconds since the epoch. */
  readonly at: number
  /** Successes, such as logins. */
  readonly done: number
  readonly failed: number
}

/** The successes and failures of a month, for a chart and its table. */
export interface Chart {
  readonly title: Sentence
  readonly days: readonly ChartDay[]
  /** The most of one day, of both together. */
  readonly most: number
  /** The names of both. */
  readonly series: { readonly done: Sentence; readonly failed: Sentence }
  /** The text in place of a chart of nothing. */
  readonly none: Sentence
  /** A sentence about days that the chart leaves out. */
  readonly note: Text | undefined
}

/** A place in the console that a search finds. */
export interface Found {
  readonly kind: Sentence
  readonly name: Text
  readonly href: string
  readonly id?: string
  readonly of?: Text
}

/** The filters of the audit log, as they were sent. */
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

/** A tenant that a key or an operator reaches. One that was deleted has its id for a name. */
export interface NamedTenant {
  readonly id: string
  readonly name: string
  readonly domain?: string
}

/** The fields of a form by which tenants are chosen. */
export interface TenantChoice {
  readonly isAll: boolean
  /** The tenants in the order of their names, each with a box. `undefined`: there are too many, so domains are typed. */
  readonly boxes:
    | readonly { id: string; name: string; domain: string; isChosen: boolean }[]
    | undefined
  readonly typed: string
  /** Domains that the field offers. */
  readonly domains: readonly string[]
}

/** The roles that have each permission. */
export type RolesOf = readonly { words: Sentence; roles: readonly OperatorRole[] }[]

interface ShownOperator extends OperatorUser {
  reach: readonly NamedTenant[]
  ways: readonly Sentence[]
  lastLoginAt: Micros | undefined
  invitedUntil?: Micros
  isExpired?: boolean
  /** The form that changes the operator, as it is filled in. */
  sent: { role: OperatorRole; choice: TenantChoice; isRefused: boolean }
  mail:
    | { at: Micros; state: { label: Sentence; color: string }; answer: Text | undefined }
    | undefined
}
