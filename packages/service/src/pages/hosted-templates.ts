import type { iconOf } from './icons.ts'
import type {
  ActingBanner,
  Branding,
  LoginWay,
  PageLink,
  PageName,
  Pages,
  ShownAccess,
} from './pages.ts'
import type { Language, Translate } from './texts/index.ts'

/** The data that every template of a hosted page gets. */
interface Shared {
  branding: Branding & { language: Language }
  /** The tenant's own help text. */
  help: string | undefined
  t: Translate
}

/** The problem of a page as a sentence, for the whole page or for one field. */
export interface ShownProblem {
  /** The problem of the whole page, if any. */
  problem: string | undefined
  /**
   * The state of a field: its problem, and whether it gets the focus. If no field has a problem,
   * the field with `isStart` gets the focus.
   */
  at(name: string, isStart?: boolean): FieldStart
}

interface FieldStart {
  name: string
  focus: boolean
  problem: string | undefined
}

/** The name of a page's template file: the page's name in kebab case. */
type FileOf<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${FileOf<Rest>}`
  : ''

type PageTemplates = {
  [Name in PageName as FileOf<Name>]: Shared & Omit<Pages[Name], 'problem'> & ShownProblem
}

type Login = PageTemplates['login'] & {
  /** Whether this is the first login method on the page. */
  isMain: boolean
  /** The `autocomplete` attribute of the field for the email address. */
  username: string
}

/** The data that pages pass to the partial templates they include. */
interface Parts {
  layout: Pick<Shared, 'branding'> & {
    title: string
    brand: string
    icon: ReturnType<typeof iconOf>
    initial: string
    wide: boolean
    style: string
    /** The paths of the scripts. */
    scripts: readonly string[]
    acting: (ActingBanner & { text: string; end: string }) | undefined
    /** The sentence with the address for support, split at the address. */
    support: readonly string[] | '' | undefined
    /** The content of the page, as HTML. */
    body: string
  }
  note: Partial<Record<'problem' | 'info' | 'notice', string | false | undefined>>
  field: FieldStart & {
    label: string
    type: string
    autocomplete: string
    value?: string
    hint?: string
    rules?: readonly string[]
    /** The label that marks the field as optional. */
    optional?: string
    /** The label of the button that shows the password. */
    show?: string
  }
  'code-field': FieldStart & { label: string; numeric?: boolean }
  'field-problem': Pick<FieldStart, 'name' | 'problem'>
  'access-words': Pick<Shared, 't'> & ShownAccess
  'account-below': Pick<Shared, 't' | 'branding'>
  'device-name': Pick<Shared, 't'> & { device: { device: string; isThis?: boolean } }
  'enrol-why': Pick<Shared, 't'> & Pick<Pages['enrolApp'], 'wayOut'>
  'enrol-below': Parts['enrol-why'] & Pick<Pages['enrolApp'], 'csrf' | 'action' | 'others'>
  'key-form': Pick<Shared, 't'> & { csrf: string; isNew?: boolean }
  'login-hardware': Login & { way: LoginWay & { kind: 'hardware' } }
  'login-password': Login & { way: LoginWay & { kind: 'password' } }
  'login-totp-email': Login & { way: LoginWay & { kind: 'totp_email' } }
  'no-keys': Pick<Shared, 't'>
  'page-link': Pick<Shared, 't'> & { link?: PageLink | undefined }
  social: Pick<Shared, 't'> & Pick<Pages['login'], 'csrf' | 'social'> & { isFirst?: boolean }
  'social-note': Pick<Shared, 't'> & Pick<Pages['login'], 'socialProblem' | 'link'>
  trust: Pick<Shared, 't'> & Pick<Pages['factor'], 'trustFor' | 'trust'>
  who: Pick<Shared, 't'> & Pick<Pages['loginCode'], 'email' | 'otherPath'>
}

/** The data of each template of the hosted pages, by the file name without its extension. */
export type HostedTemplates = Parts & PageTemplates
