import type { Permission } from '../../domain/operators/roles.ts'
import type { Language } from '../../pages/index.ts'
import type { OperatorUser } from '../../store/ports.ts'
import type { Micros, TenantLogo } from '../../store/records.ts'
import type { Named, ShownEntry } from '../audit/shown-entries.ts'
import type { MetadataRow } from '../forms/form-fields.ts'
import type { Setting } from '../settings/setting-groups.ts'
import type { Difference } from '../settings/setting-values.ts'
import type { Sentence, Text, Translator } from '../texts/index.ts'
import type { LoginPreview } from './login-preview.ts'
import type { Chart, NamedTenant, ServicePages, TenantChoice } from './service.ts'
import type { ServicePage } from './service-pages.ts'
import type { TenantPages } from './tenant.ts'
import type { TenantPage } from './tenant-pages.ts'
import type { UserPages } from './users.ts'

/** The content of a page: its template, with what that prints. */
export type Content = {
  [Name in keyof ConsolePages]: Around & { readonly name: Name; readonly data: ConsolePages[Name] }
}[keyof ConsolePages]

/** The parts around the content of a page. */
interface Around {
  readonly title: Text
  /** The tenant that the page belongs to; its name stands above the page. */
  readonly tenant?: { readonly id: string; readonly name: string } | undefined
  /** The main action of the page: a button beside the title. */
  readonly action?: { readonly href: string; readonly label: Sentence } | undefined
  /** The same on the command line. */
  readonly commands?: readonly string[]
  /** The reason of a refusal. */
  readonly problem?: Text | undefined
  /** The change that was made. */
  readonly notice?: Text | undefined
  /** Default 200. */
  readonly status?: number
  /** The login page that the page shows in frames. */
  readonly login?: LoginPreview | undefined
  /** The part of the policy that other frames of the page need. */
  readonly frames?: FramePolicy | undefined
  /** The origin of another site to which a form of the page is sent. */
  readonly sendsTo?: string | undefined
  /** The seconds after which the browser loads the page again. */
  readonly refreshSeconds?: number | undefined
}

/** The parts that every page of an operator shows. */
export interface Frame {
  readonly language: Language
  readonly operator: OperatorUser | undefined
  readonly csrf: string
  readonly path: string
  /** The navigation of the whole service. */
  readonly servicePages: readonly ServicePage[]
  /** The navigation of a tenant. */
  readonly tenantPages: readonly TenantPage[]
}

/** The members that every template reads. */
export interface Shared extends Frame, Translator, Pick<Around, 'tenant' | 'login' | 'problem'> {
  /** A text as HTML, in which what turns or hides letters is marked. */
  text(given: string): string
  list(texts: readonly Text[]): string
  /** An instant as HTML, in UTC: to the minute, or to the second. */
  time(at: Micros | undefined, isExact?: boolean): string
  safeLink(address: string): string | undefined
  /** The permissions of the operator, and whether all tenants are within reach. */
  readonly may: Readonly<Record<Permission | 'all', boolean>>
}

/** The part of a policy that frames need. */
export interface FramePolicy {
  /** The hashes of style sheets and of style attributes. */
  readonly styleHashes: readonly string[]
  /** Whether there are style attributes: messages have them. */
  readonly hasStyleAttributes: boolean
  readonly image: 'data:' | undefined
}

/** The data of each page of the console, by the name of its template. */
export interface ConsolePages extends ServicePages, TenantPages, UserPages {
  /** The page in front of an act that takes something away. */
  'destructive-action': Omit<Consequences, 'commands'> & {
    button: Sentence
    action: string
    /** The name that was typed. */
    sent: string
  }
  /** A page that says one thing and leads on. */
  message: {
    message: Text | undefined
    link: { href: string; label: Sentence }
    requestId?: string | undefined
  }
  /** A form that was kept during a new login. */
  'kept-form': { kept: string; form: Sentence | undefined; page: string }
  invitation: {
    token: string
    email: string
    isStepForced: boolean
    wrong?: Sentence
  }
}

/** The data of the templates of parts, from the pages that include them. */
interface Parts {
  layout: Head & {
    title: Text
    crumbs: readonly { href: string; label: Sentence }[]
    notice?: Text | undefined
    commands: readonly string[]
    style: string
    scripts: readonly { path: string }[]
    /** HTML, like `body`. */
    navigation: string
    body: string
  }
  head: Head
  navigation: Shared & { operator: OperatorUser; pages: readonly ServicePage[] }
  /** A button that copies the element of that id. */
  copy: Pick<Shared, 't'> & { of: string; file?: string | undefined }
  /** An id beside a button that copies it, with other words than “Copy” where no heading says that it is an id. */
  id: Pick<Shared, 't'> & { id: string; label?: string; words?: string }
  'tenant-names': Pick<Shared, 't' | 'text'> & { tenants: readonly NamedTenant[] }
  /** Fields by which tenants are chosen; `key` tells those of several forms apart. */
  'tenant-choice': Pick<Shared, 't' | 'text'> & { choice: TenantChoice; key: string; hint?: string }
  /** The domains that the fields of all forms on a page offer. */
  'tenant-domains': Pick<TenantChoice, 'domains'>
  roles: Pick<Shared, 't'> & Pick<ConsolePages['operators'], 'roles' | 'permissions'>
  'api-names': Pick<Shared, 't'>
  month: Pick<Shared, 't' | 'language'> & { month: Chart }
  export: Shared & Pick<ConsolePages['users'], 'exportPath' | 'exported'>
  entries: Shared & { entries: readonly ShownEntry[]; label: string; rows?: string }
  'entry-sentence': Shared & { entry: ShownEntry }
  named: Shared & { named: Named; isBrief?: boolean }
  'application-fields': Shared & Pick<ConsolePages['application'], 'draft' | 'problems' | 'theirs'>
  'metadata-fields': Pick<Shared, 't' | 'text'> &
    Pick<ConsolePages['application'], 'problems'> & {
      rows: readonly MetadataRow[]
      theirs: string | undefined
      hint: string
    }
  'setting-field': Pick<Shared, 't' | 'h' | 'text'> &
    Pick<ConsolePages['settings'], 'duration' | 'memberOf'> & {
      setting: Setting
      value: string
      problems: ConsolePages['settings']['problems']
      theirs: readonly Difference[]
    }
  'logo-facts': Pick<Shared, 't'> & { logo: TenantLogo }
  previews: Pick<Shared, 't'> & Pick<LoginPreview, 'pages'>
  'webhook-fields': Shared & Omit<ConsolePages['webhook-add'], 'action'>
  'connection-fields': Shared & Pick<ConsolePages['connection'], 'draft'>
  'connection-secret': Pick<Shared, 't'> & Pick<ConsolePages['connection-add'], 'isApple'>
}

interface Head extends Shared {
  /** HTML. */
  heading: string
  action: { readonly href: string; readonly label: Sentence } | undefined
}

/** The data of each template of the console, by its name. */
export type ConsoleTemplates = Parts & {
  [Name in keyof ConsolePages]: Shared & ConsolePages[Name]
}

/** The consequences of an act, as its page shows them. */
export interface Consequences {
  /** The object, by the name that people know. */
  readonly name: Text
  readonly id?: string | undefined
  /** One sentence each, with numbers. */
  readonly effects: readonly Text[]
  /** The name that has to be typed, where the act cannot be undone; the id is taken, too. */
  readonly typed?: { readonly label: Sentence; readonly name: string } | undefined
  /** Another value that the act needs. */
  readonly field?: ActionField | undefined
  /** The page that the operator comes from. */
  readonly back: string
  readonly commands: readonly string[]
}

/** A number that an act needs. */
export interface ActionField {
  readonly name: string
  readonly label: Sentence
  readonly hint: Sentence
  readonly value: number
  readonly max: number
}

export type {
  AuditFilter,
  AuditFilters,
  Chart,
  DayFigure,
  Found,
  NamedTenant,
  TenantChoice,
} from './service.ts'
export type { ApplicationDraft, ConnectionDraft, ShownProblem, WebhookDraft } from './tenant.ts'
export type { HelpForm, ImportForm, ShownJob, UserDraft, UserField } from './users.ts'
