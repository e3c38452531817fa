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

/**
 * The content of a page: the name of its template, the data of the template, and the parts around
 * them.
 */
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
  /** The commands that do the same on the command line. */
  readonly commands?: readonly string[]
  /** An error above the content, such as the reason why a form was refused. */
  readonly problem?: Text | undefined
  /** A message above the content about a change that was made. */
  readonly notice?: Text | undefined
  /** The HTTP status. Default: 200. */
  readonly status?: number
  /** The preview of the login page, which the page shows in frames. */
  readonly login?: LoginPreview | undefined
  /** The additions to the Content-Security-Policy for frames other than the login preview. */
  readonly frames?: FramePolicy | undefined
  /** The origin of another site that receives a form of the page. */
  readonly sendsTo?: string | undefined
  /** The seconds after which the browser loads the page again. */
  readonly refreshSeconds?: number | undefined
}

/** The parts of a page that depend on the request and its operator. */
export interface Frame {
  readonly language: Language
  /** The operator; `undefined` before the login. */
  readonly operator: OperatorUser | undefined
  /** The CSRF token for the forms of the page; empty before the login. */
  readonly csrf: string
  /** The path of the request. */
  readonly path: string
  /** The navigation of the whole service. */
  readonly servicePages: readonly ServicePage[]
  /** The navigation of a tenant. */
  readonly tenantPages: readonly TenantPage[]
}

/** The data and the functions that every template gets. */
export interface Shared extends Frame, Translator, Pick<Around, 'tenant' | 'login' | 'problem'> {
  /**
   * Turns text of a user or tenant into HTML. Characters that are hidden or could imitate others
   * are marked.
   */
  text(given: string): string
  /** The texts in the language of the page, separated by commas. */
  list(texts: readonly Text[]): string
  /** An instant in UTC as HTML, to the minute, or to the second if `isExact` is set. */
  time(at: Micros | undefined, isExact?: boolean): string
  /**
   * The address, if it is safe as a link: a page over https, or a mailbox. Otherwise `undefined`.
   */
  safeLink(address: string): string | undefined
  /**
   * Whether the operator has each permission, by its name. `all` is whether the operator reaches
   * all tenants.
   */
  readonly may: Readonly<Record<Permission | 'all', boolean>>
}

/** The part of a Content-Security-Policy that frames need. */
export interface FramePolicy {
  /** The SHA-256 hashes of style sheets and `style` attributes, in base64. */
  readonly styleHashes: readonly string[]
  /** Whether the frames have `style` attributes, as messages do. */
  readonly hasStyleAttributes: boolean
  /** The source of images that the frames may load. */
  readonly image: 'data:' | undefined
}

/** The data of each page of the console, by the name of its template. */
export interface ConsolePages extends ServicePages, TenantPages, UserPages {
  /** The page that shows the consequences of a destructive action and asks for a confirmation. */
  'destructive-action': Omit<Consequences, 'commands'> & {
    /** The label of the button that runs the action. */
    button: Sentence
    /** The path that the form is sent to. */
    action: string
    /** The confirmation that was typed; empty at first. */
    sent: string
    /** A hidden field, so that a form that is sent twice shows its new secrets. */
    keptName: { field: string; value: string } | undefined
    /** The number that was entered in the field of the action; `undefined` at first. */
    entered: string | undefined
  }
  /** A page with a message and a link. */
  message: {
    message: Text | undefined
    link: { href: string; label: Sentence }
    requestId?: string | undefined
  }
  /**
   * The page that offers to go on with a form after a re-authentication. `kept` is the name of the
   * stored form, and `page` the path of the page without it.
   */
  'kept-form': { kept: string; form: Sentence | undefined; page: string }
  /** The page on which an invited operator sets a password. */
  invitation: {
    token: string
    email: string
    /** Whether the console asks operators for a second step at each login. */
    isStepForced: boolean
    /** The reason why the password was refused. */
    wrong?: Sentence
  }
}

/** The data of the partial templates, which pages include. */
interface Parts {
  layout: Head & {
    title: Text
    crumbs: readonly { href: string; label: Sentence }[]
    notice?: Text | undefined
    commands: readonly string[]
    style: string
    scripts: readonly { path: string }[]
    /** The navigation as HTML. `body` is HTML too. */
    navigation: string
    body: string
  }
  head: Head
  navigation: Shared & { operator: OperatorUser; pages: readonly ServicePage[] }
  /**
   * A button that copies the text of the element with the id `of`. With `file`, there is also a
   * button that saves the text as a file of this name.
   */
  copy: Pick<Shared, 't'> & { of: string; file?: string | undefined }
  /**
   * An id with a button that copies it. `words` replaces “Copy” on the button, and `label` is its
   * accessible name.
   */
  id: Pick<Shared, 't'> & { id: string; label?: string; words?: string }
  'tenant-names': Pick<Shared, 't' | 'text'> & { tenants: readonly NamedTenant[] }
  /**
   * The fields that choose tenants. `key` is a suffix of their ids, so that a page can have them in
   * several forms.
   */
  'tenant-choice': Pick<Shared, 't' | 'text'> & { choice: TenantChoice; key: string; hint?: string }
  /** The domains that the text fields for tenants on a page suggest. */
  'tenant-domains': Pick<TenantChoice, 'domains'>
  roles: Pick<Shared, 't'> & Pick<ConsolePages['operators'], 'roles' | 'permissions'>
  'api-names': Pick<Shared, 't'>
  month: Pick<Shared, 't' | 'language'> & { month: Chart }
  export: Shared & Pick<ConsolePages['users'], 'exportPath' | 'exported'>
  /** A table of audit entries. `rows` is the path of the log that shows a job user by user. */
  entries: Shared & { entries: readonly ShownEntry[]; label: string; rows?: string }
  'entry-sentence': Shared & { entry: ShownEntry }
  /** The name of an actor or object. With `isBrief`, the id is left out. */
  named: Shared & { named: Named; isBrief?: boolean }
  'application-fields': Shared & Pick<ConsolePages['application'], 'draft' | 'problems' | 'theirs'>
  'metadata-fields': Pick<Shared, 't' | 'text'> &
    Pick<ConsolePages['application'], 'problems'> & {
      rows: readonly MetadataRow[]
      /** The stored metadata as text, if another person has changed it meanwhile. */
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
  'webhook-fields': Shared &
    Omit<ConsolePages['webhook-add'], 'action' | 'keptName'> &
    Partial<Pick<ConsolePages['webhook'], 'theirs'>>
  'connection-fields': Shared &
    Pick<ConsolePages['connection'], 'draft'> &
    Partial<Pick<ConsolePages['connection'], 'theirs'>>
  'stored-now': Pick<Shared, 't' | 'text'> & {
    /** The id of the element. */
    id: string
    /** The stored text of a field; `undefined` if the form has the same. */
    stored: string | undefined
  }
  'connection-secret': Pick<Shared, 't'> & Pick<ConsolePages['connection-add'], 'isApple'>
}

interface Head extends Shared {
  /** The title of the page as HTML. */
  heading: string
  action: { readonly href: string; readonly label: Sentence } | undefined
}

/** The data of each template of the console, by its name. */
export type ConsoleTemplates = Parts & {
  [Name in keyof ConsolePages]: Shared & ConsolePages[Name]
}

/** The consequences of a destructive action, as its page shows them. */
export interface Consequences {
  /** The name of the object. */
  readonly name: Text
  readonly id?: string | undefined
  /** One sentence for each consequence, such as the number of sessions that end. */
  readonly effects: readonly Text[]
  /**
   * The name to type as a confirmation, for an action that cannot be undone. The id is accepted
   * too.
   */
  readonly typed?: { readonly label: Sentence; readonly name: string } | undefined
  /**
   * The `updatedAt` of the object, for an action that must not run twice from one page. The form
   * sends it back.
   */
  readonly readAt?: number | undefined
  /** A number that the operator enters for the action. */
  readonly field?: ActionField | undefined
  /** The path to which “Cancel” leads. */
  readonly back: string
  readonly commands: readonly string[]
}

/** The field for a number that a destructive action needs. */
export interface ActionField {
  readonly name: string
  readonly label: Sentence
  readonly hint: Sentence
  /** The value that the field is filled with. */
  readonly value: number
  readonly max: number
}

export type {
  AuditFilter,
  AuditFilters,
  Chart,
  DayFigure,
  Found,
  MailProblem,
  NamedTenant,
  TenantChoice,
} from './service.ts'
export type { ApplicationDraft, ConnectionDraft, ShownProblem, WebhookDraft } from './tenant.ts'
export type { HelpForm, ImportForm, ShownJob, UserDraft, UserField } from './users.ts'
