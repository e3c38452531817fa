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

/** The data of the pages of a tenant. */
export interface TenantPages {
  tenant: {
    one: Tenant
    users: number
    applications: number
    flags: readonly { name: string; label: Sentence; isOn: boolean }[]
    figures: readonly DayFigure[]
    month: Chart
    mails: Chart
  }
  settings: {
    sections: readonly SettingGroup[]
    values: SettingValues
    problems: readonly ShownProblem[]
    theirs: readonly Difference[]
    logoHint: Sentence
    /** The sentence above the refused fields. */
    refusal: Text
    /** The label of each field, which a refusal above the form names. */
    labels: Readonly<Record<string, Sentence>>
    /** The values that the form is filled with, which it sends back. */
    filledWith: string
    readAt: Micros
    base: string
    duration(seconds: string): Text
    memberOf(setting: Setting): string
  }
  'settings-preview': {
    sections: readonly { title: Sentence; differences: readonly Difference[] }[]
    effects: readonly Text[]
    loginHint: Sentence
    values: SettingValues
    readAt: string
    filledWith: string
    base: string
  }
  logo: {
    logo: TenantLogo | undefined
    none: Sentence
    note: Text
    hint: Text
    /** The types that a browser offers. */
    types: string
    base: string
    readAt: Micros
  }
  'logo-review': {
    before: TenantLogo | undefined
    after: TenantLogo
    /** The bytes in base64url. */
    image: string
    note: Text
    replaces: Sentence
    base: string
    readAt: string
  }
  texts: {
    base: string
    groups: readonly { id: string; label: Sentence; fields: readonly TextField[] }[]
    of: TextLanguage
    readAt: Micros
  }
  'texts-preview': {
    differences: readonly { name: string; label: Sentence; before: string; after: string }[]
    mails: readonly { mail: TextMail; label: Sentence; sample: MailSample }[]
    pages: readonly { label: Sentence; pages: LoginPreview['pages'] }[]
    values: Readonly<Record<string, string>>
    of: TextLanguage
    base: string
    readAt: string
    address: string
    /** The sentence about a linked logo, where previews are shown. */
    logoNote: Text | undefined
  }
  applications: {
    total: number
    applications: readonly Application[]
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
    /** The stored fields that differ from those that were sent, when another operator was faster. */
    theirs: Readonly<Record<string, string>>
    stored: string
    secret: string | undefined
    exceptions: readonly NamedException[]
    hasSecret: boolean
    api: Api | undefined
    profile: { key: string; value: string; price: Reason } | undefined
    earlierUntil: Micros | undefined
    earlierSecret: string | undefined
    snippet: KitSnippet | undefined
  }
  connections: {
    connections: readonly Connection[]
    recipes: readonly { name: RecipeName; label: Text }[]
    isOffered: boolean
    base: string
  }
  'connection-add': ConnectionForm & {
    isApple: boolean
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
    contact: ContactResult | undefined
    label: Text
    users: Text
    isOffered: boolean
    base: string
  }
  webhooks: {
    base: string
    webhooks: readonly (ShownWebhook & { types: readonly string[] })[]
  }
  'webhook-add': WebhookForm & { action: string }
  webhook: WebhookForm & {
    webhook: ShownWebhook
    secret: string | undefined
    /** The result of a test. */
    tested: string | undefined
    base: string
    state: string
    states: readonly (readonly [value: string, label: Sentence])[]
    further: string | undefined
    deliveries: readonly (Omit<Delivery, 'dueAt'> & {
      state: { label: Sentence; color: string }
      answer: Text | undefined
      dueAt: Micros | undefined
    })[]
  }
  'signing-keys': { keys: readonly SigningKeyFacts[]; base: string }
}

/** The fields of an application as a form has them. */
export interface ApplicationDraft {
  readonly name: string
  readonly login_url: string
  readonly redirect_urls: string
  readonly logout_urls: string
  readonly metadata: readonly MetadataRow[]
}

/** A refusal, beside the field or the line that it is about. */
export interface ShownProblem {
  readonly field: string
  readonly line?: number | undefined
  readonly text?: string | undefined
  readonly message: Text
}

/** The fields of a connection as a form has them. */
export type ConnectionDraft = Readonly<Record<string, string>>

interface ConnectionForm {
  draft: ConnectionDraft
  redirectUri: string
  /** Whether the operator may save it although the provider does not answer. */
  mayInsist: boolean
}

/** The fields of an endpoint as a form has them. */
export interface WebhookDraft {
  readonly url: string
  readonly description: string
  readonly types: readonly string[]
}

interface WebhookForm {
  draft: WebhookDraft
  types: readonly { name: string; text: Translated; isNamed: boolean }[]
}

interface ShownWebhook {
  id: string
  url: string
  description: string
  createdAt: Micros
  updatedAt: Micros
  /** Why it gets no events. */
  end: Sentence | undefined
}

/** A field of the form, with our own text beside it. */
interface TextField {
  name: TextName
  label: Sentence
  value: string
  isLong: boolean
  ours: string | undefined
  places: string
  required: string
  most: number
}
