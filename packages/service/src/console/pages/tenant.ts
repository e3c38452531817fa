import type { Api } from '../../domain/applications/application-api.ts'
import type { NamedException } from '../../domain/applications/application-exceptions.ts'
import type { SigningKeyFacts } from '../../domain/keys/signing-keys.ts'
import type { ContactResult, MailSample } from '../../domain/operators/support.ts'
import type { TextLanguage, TextMail, TextName } from '../../domain/tenants/tenant-texts.ts'
import type { Reason, Translated } from '../../domain/writes/reasons/index.ts'
import type { Delivery } from '../../store/deliveries.ts'
import type {
  Application,
  Connection,
  Micros,
  RecipeName,
  Tenant,
  TenantLogo,
} from '../../store/records.ts'
import type { MetadataRow } from '../forms/form-fields.ts'
import type { Setting, SettingGroup } from '../settings/setting-groups.ts'
import type { Difference, SettingValues } from '../settings/setting-values.ts'
import type { Sentence, Text } from '../texts/index.ts'
import type { KitSnippet } from './kit-snippet.ts'
import type { LoginPreview } from './login-preview.ts'
import type { Chart, DayFigure } from './service.ts'

/**
 * The data of the pages of a tenant. `base` is the path with which the links and forms of a page
 * begin. `readAt` is when the shown object was changed last; the form sends it back, so that a
 * change in the meantime is noticed.
 */
export interface TenantPages {
  tenant: {
    one: Tenant
    /** The number of users. */
    users: number
    /** The number of applications. */
    applications: number
    /** The boolean settings, by their names in the API. */
    flags: readonly { name: string; label: Sentence; isOn: boolean }[]
    figures: readonly DayFigure[]
    /** The logins of the last 30 days. */
    month: Chart
    /** The messages of the last 30 days. */
    mails: Chart
  }
  settings: {
    sections: readonly SettingGroup[]
    values: SettingValues
    problems: readonly ShownProblem[]
    /** The differences from values that another person has stored in the meantime. */
    theirs: readonly Difference[]
    logoHint: Sentence
    /** The sentence above the list of refused fields. */
    refusal: Text
    /** The label of each field by its name, for the list of refused fields. */
    labels: Readonly<Record<string, Sentence>>
    /**
     * The values that the form is filled with, as JSON. The form sends them back in its field
     * `base`, so that the fields that the operator has changed are known.
     */
    filledWith: string
    readAt: Micros
    base: string
    /** A number of seconds in words. */
    duration(seconds: string): Text
    /** The path of a setting in the JSON of a tenant, which the API uses. */
    memberOf(setting: Setting): string
  }
  'settings-preview': {
    /** The differences, by the sections of the settings page. */
    sections: readonly { title: Sentence; differences: readonly Difference[] }[]
    /** The effects of the change on users, in sentences. */
    effects: readonly Text[]
    /** The sentence that some differences need a recent login. */
    loginHint: Sentence
    values: SettingValues
    readAt: string
    /** The values that the form was filled with, as JSON. */
    filledWith: string
    base: string
  }
  logo: {
    logo: TenantLogo | undefined
    /** The sentence in place of a logo. */
    none: Sentence
    /** The sentence that asks the operator to look at the previews. */
    note: Text
    hint: Text
    /** The media types for the file field, separated by commas. */
    types: string
    base: string
    readAt: Micros
  }
  'logo-review': {
    before: TenantLogo | undefined
    after: TenantLogo
    /** The bytes of the new logo, in base64url. */
    image: string
    note: Text
    /** The sentence that the new logo replaces the stored one. */
    replaces: Sentence
    base: string
    readAt: string
  }
  texts: {
    base: string
    /** The fields, by the message or page that they belong to. */
    groups: readonly { id: string; label: Sentence; fields: readonly TextField[] }[]
    /** The language of the texts. */
    of: TextLanguage
    readAt: Micros
    /** The stored texts as JSON, which the form sends back in its field `base`. */
    filledWith: string
  }
  'texts-preview': {
    differences: readonly { name: string; label: Sentence; before: string; after: string }[]
    /** The messages with the new texts. */
    mails: readonly { mail: TextMail; label: Sentence; sample: MailSample }[]
    /** The pages with the new texts. */
    pages: readonly { label: Sentence; pages: LoginPreview['pages'] }[]
    /** The new texts by name. */
    values: Readonly<Record<string, string>>
    /** The language of the texts. */
    of: TextLanguage
    base: string
    readAt: string
    filledWith: string
    /** The address of the operator, to which tests are sent. */
    address: string
    /** The sentence about the placeholder of a linked logo, if there are previews. */
    logoNote: Text | undefined
  }
  applications: {
    total: number
    applications: readonly Application[]
    /** The id after which the next page begins; `undefined` on the last page. */
    next: string | undefined
    base: string
  }
  'new-application': {
    base: string
    draft: ApplicationDraft
    problems: readonly ShownProblem[]
  }
  application: {
    application: Application
    base: string
    draft: ApplicationDraft
    problems: readonly ShownProblem[]
    /**
     * The stored fields that differ from the submitted ones, as text. Empty unless another operator
     * has changed the application in the meantime.
     */
    theirs: Readonly<Record<string, string>>
    readAt: Micros
    /** The stored fields as JSON, which the form sends back in its field `base`. */
    filledWith: string
    /** The client secret, if the page is to show it. */
    secret: string | undefined
    /** The rules from which the metadata excepts the application. */
    exceptions: readonly NamedException[]
    /** Whether the application authenticates with a client secret. */
    hasSecret: boolean
    api: Api | undefined
    /** The FAPI profile in the metadata and its cost; `undefined` without a profile. */
    profile: { key: string; value: string; price: Reason } | undefined
    /** When the previous client secret expires; `undefined` if none is accepted. */
    earlierUntil: Micros | undefined
    /** The previous client secret, if the page is to show it. */
    earlierSecret: string | undefined
    snippet: KitSnippet | undefined
  }
  connections: {
    connections: readonly Connection[]
    /** The connections that share a redirect URI although their providers differ. */
    sharing: readonly Connection[]
    recipes: readonly { name: RecipeName; label: Text }[]
    /** Whether the tenant allows social login. */
    isOffered: boolean
    base: string
  }
  'connection-add': ConnectionForm & {
    /** The redirect URI to register; `undefined` while the form names no provider. */
    redirectUri: string | undefined
    /** Whether the recipe stands for several providers, of which a field names one. */
    isProviderOpen: boolean
    isApple: boolean
    /** The fields that only some recipes have. */
    options: readonly {
      name: string
      isRequired: boolean
      default: string | undefined
      label: Sentence
      hint: Sentence
    }[]
    action: string
  }
  connection: ConnectionForm & {
    connection: Omit<Connection, 'sealedSecret'>
    redirectUri: string
    /** The redirect URI that belongs to the connection's provider alone. */
    ownRedirectUri: string
    /**
     * The stored fields that differ from the draft, as text. Empty unless another person has changed
     * the connection in the meantime.
     */
    theirs: Readonly<Record<string, string>>
    readAt: Micros
    /** The stored fields as JSON, which the form sends back in its field `base`. */
    filledWith: string
    /** The result of a test of the connection. */
    contact: ContactResult | undefined
    /** The name of the recipe, such as “Google”. */
    label: Text
    /** The number of users who have connected an account, in words. */
    users: Text
    /** Whether the tenant allows social login. */
    isOffered: boolean
    base: string
  }
  webhooks: {
    base: string
    webhooks: readonly (ShownWebhook & { types: readonly string[] })[]
  }
  'webhook-add': WebhookForm & {
    action: string
    /** A hidden field, so that a form that is sent twice makes one endpoint. */
    keptName: { field: string; value: string }
  }
  webhook: WebhookForm & {
    webhook: ShownWebhook
    /**
     * The stored fields that differ from the draft, as text. Empty unless another person has changed
     * the endpoint in the meantime.
     */
    theirs: Readonly<Record<string, string>>
    readAt: Micros
    /** The stored fields as JSON, which the form sends back in its field `base`. */
    filledWith: string
    /** A new secret, which is shown once. */
    secret: string | undefined
    /** The result of a test event, in words. */
    tested: string | undefined
    base: string
    /** The state of the listed deliveries; empty for all states. */
    state: string
    states: readonly (readonly [value: string, label: Sentence])[]
    /** The query of the next page; `undefined` on the last page. */
    further: string | undefined
    deliveries: readonly (Omit<Delivery, 'dueAt'> & {
      state: { label: Sentence; color: string }
      answer: Text | undefined
      dueAt: Micros | undefined
    })[]
  }
  'signing-keys': { keys: readonly SigningKeyFacts[]; base: string }
}

/** The fields of an application as its form has them. The text of a list has one URL a line. */
export interface ApplicationDraft {
  readonly name: string
  readonly login_url: string
  readonly redirect_urls: string
  readonly logout_urls: string
  readonly metadata: readonly MetadataRow[]
}

/** The reason why a field, or one line of it, was refused. */
export interface ShownProblem {
  readonly field: string
  /** The number of the line, which counts from 1. */
  readonly line?: number | undefined
  /** The text of the line. */
  readonly text?: string | undefined
  readonly message: Text
}

/** The fields of a connection as its form has them, by name. */
export type ConnectionDraft = Readonly<Record<string, string>>

interface ConnectionForm {
  draft: ConnectionDraft
  /** Whether the form offers to save the connection although its provider does not answer. */
  mayInsist: boolean
}

/** The fields of a webhook as its form has them. */
export interface WebhookDraft {
  readonly url: string
  readonly description: string
  readonly types: readonly string[]
}

interface WebhookForm {
  draft: WebhookDraft
  /** All types of events. An endpoint gets a type with `isNamed` only if the type is chosen. */
  types: readonly { name: string; text: Translated; isNamed: boolean }[]
}

interface ShownWebhook {
  id: string
  url: string
  description: string
  createdAt: Micros
  updatedAt: Micros
  /** The reason why it is switched off; `undefined` while it is on. */
  end: Sentence | undefined
}

/** A field for a text of the tenant. */
interface TextField {
  name: TextName
  label: Sentence
  value: string
  isLong: boolean
  /** The default text, if there is one. */
  ours: string | undefined
  /** The placeholders that the text may have, separated by spaces. */
  places: string
  /** The placeholders that the text must have, separated by spaces. */
  required: string
  /** The maximum size of the text, in bytes. */
  most: number
  /** The stored text, if another person has changed it and the form has another one. */
  theirs: string | undefined
}
