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

/** The sentence about the problem of a page, at its field. */
export interface ShownProblem {
  /** The problem of the whole page, if any. */
  problem: string | undefined
  /** A field's own problem. It begins with the cursor where that is, and without one, at `isStart`. */
  at(name: string, isStart?: boolean): FieldStart
}

interface FieldStart {
  name: string
  focus: boolean
  problem: string | undefined
}

/** The name of a page's file. */
type FileOf<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${FileOf<Rest>}`
  : ''

type PageTemplates = {
  [Name in PageName as FileOf<Name>]: Shared & Omit<Pages[Name], 'problem'> & ShownProblem
}

type Login = PageTemplates['login'] & {
  /** Whether it is the first way. */
  isMain: boolean
  /** The `autocomplete` of the address. */
  username: string
}

/** The data of partial templates, from the pages that include them. */
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
    /** HTML. */
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
    /** The mark of a field that may stay empty. */
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
  'page-link': Pick<Shared, 't'> & { link?: PageLink | undefined }
  social: Pick<Shared, 't'> & Pick<Pages['login'], 'csrf' | 'social'> & { isFirst?: boolean }
  'social-note': Pick<Shared, 't'> & Pick<Pages['login'], 'socialProblem' | 'link'>
  trust: Pick<Shared, 't'> & Pick<Pages['factor'], 'trustDays' | 'trust'>
  who: Pick<Shared, 't'> & Pick<Pages['loginCode'], 'email' | 'otherPath'>
}

/** The data of each template of the hosted pages, by the name of its file. */
export type HostedTemplates = Parts & PageTemplates
