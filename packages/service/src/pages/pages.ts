import type { FactorKind, SecondStepKind } from '../resources/credentials.ts'
import type { TextKey } from './texts/index.ts'

/** A link on which a visitor can go on, such as back to the application. */
export interface PageLink {
  href: string
  text: TextKey
  values?: Record<string, string>
}

/** A mail on the outbox page. */
export interface ShownMail {
  to: string
  subject: string
  text: string
  /** The link for the recipient to open. */
  link: string | undefined
  /** The time in UTC, to the second, such as `2026-11-21T08:30:00`. */
  at: string
}

/** Facts about a refusal, for the application's developers. */
export interface ForDevelopers {
  found: readonly { text: TextKey; values: readonly string[] }[]
  /** The command that helps, if there is one. */
  remedy?: { text: TextKey; command: string } | undefined
}

/** The link to another second step. */
interface OtherStep {
  kind: SecondStepKind
  href: string
}

/** A fault in a form: in one field, or in the whole form. */
export interface Problem<Field extends string> {
  field?: Field | undefined
  text: TextKey
  values?: Readonly<Record<string, string>>
}

/** A page with a field for a new password. */
export interface PasswordRules {
  /** The minimum number of characters. */
  least: number
  /** Whether the password is checked against known data leaks. */
  refusesLeaked: boolean
}

/** A way to begin a login, with the target of its form. */
export type LoginWay =
  | { kind: 'password'; action: string; resetPath: string }
  | { kind: 'totp_email'; action: string }
  /** `options`: the options of the WebAuthn call, as JSON. */
  | { kind: 'hardware'; action: string; options: string }

/** A page that runs a script, if it has the path of one. */
interface Scripted {
  script?: string | undefined
}

/** A passkey or security key of the user. */
interface ShownKey {
  id: string
  /** May be empty. */
  name: string
  isPasskey: boolean
  /** Days, in the form of the visitor's language. */
  added: string
  used: string | undefined
}

/** A session of a user. */
interface ShownDevice {
  id: string
  /** Such as `Firefox on macOS`. */
  device: string
  /** A date and a time in UTC, in the form of the visitor's language. */
  since: string
}

/** The access of a client, in words. */
export interface ShownAccess {
  apis: { name: string; sentences: string[] }[]
  /** The data about the user that it gets, and for how long. */
  ofLogin: TextKey[]
}

/** The buttons for providers. */
export interface ShownConnections {
  action: string
  connections: { id: string; name: string }[]
}

/** A user's account at a provider. */
interface ShownAccount {
  id: string
  /** The name of the connection. */
  name: string
  email: string
  added: string
}

/**
 * How a visitor continues without adding a second step: with the login, with the login until a day
 * (`later`, in the visitor's notation), or back to the account page. `none` and `due`: not at all,
 * for an operator of the console and for a user.
 */
type WayOut = { kind: 'skip' | 'security' | 'none' | 'due' } | { kind: 'later'; day: string }

/** The members that all pages for adding a second step share. */
interface Enrolment {
  csrf: string
  action: string
  others: OtherStep[]
  /** The link to continue without a second step. */
  wayOut: WayOut
  problem?: Problem<'code'> | undefined
}

/**
 * A login of an operator as the user. Times are in UTC, in the form of the visitor's language; empty if there is none.
 */
interface ShownSupportLogin {
  id: string
  operator: string
  reason: string
  state: 'waiting' | 'ready' | 'begun' | 'ended' | 'declined' | 'missed'
  asked: string
  begun: string
  ended: string
  /** The names of the applications that were opened. */
  applications: string
}

/** The banner on every page while an operator acts for a user. */
export interface ActingBanner {
  /** The address of the user. */
  email: string
  /** The time of the end in UTC, such as `14:05`. */
  time: string
  action: string
  csrf: string
}

/** Every hosted page with what it shows. Values are escaped when they are rendered. */
export interface Pages {
  login: Scripted & {
    csrf: string
    email: string
    /** The ways to begin a login, the main one first. */
    ways: LoginWay[]
    /** A signal to the browser about a passkey, as JSON. */
    signal?: string | undefined
    problem?: Problem<'email' | 'password'> | undefined
    notice?: TextKey | undefined
    info?: TextKey | undefined
    social: ShownConnections
    /** The result of a login at a provider. */
    socialProblem?: { text: TextKey; values: { name: string } } | undefined
    /** The account that the login connects at its end. */
    link?: { name: string; account: { email: string } } | undefined
    signupPath?: string | undefined
  }
  /** The visitor must prove the address that a provider has sent. */
  socialAddress: {
    csrf: string
    /** The name of the connection. */
    name: string
    email: string
    isSent: boolean
    action: string
    startPath: string
    problem?: Problem<'code'> | undefined
  }
  /** A code was mailed as the first step of a login. */
  loginCode: {
    csrf: string
    email: string
    action: string
    otherPath: string
    problem?: Problem<'code'> | undefined
    notice?: TextKey | undefined
  }
  /** The second step of a login. */
  factor: Scripted & {
    csrf: string
    kind: SecondStepKind
    /** The key's request options, as JSON. */
    keyOptions?: string | undefined
    /** The page for removing a lost key, for a user with enough proof to do so. */
    lostKeyPath?: string | undefined
    email: string
    /** Whether there is a code to enter. A mailed code must be requested first. */
    isSent: boolean
    /** Whether the code has digits only. */
    isNumeric: boolean
    action: string
    others: OtherStep[]
    /** How many days the device can be trusted; 0 if it cannot. */
    trustDays: number
    /** Whether the visitor has chosen to trust it. */
    trust?: boolean | undefined
    otherPath: string
    problem?: Problem<'code'> | undefined
    notice?: TextKey | undefined
  }
  enrolApp: Enrolment & {
    /** An SVG image. */
    qr: string
    seed: string
  }
  enrolMail: Enrolment & { email: string; isSent: boolean }
  /** Options for a new key, as JSON: one for logins, or one for second steps only. */
  enrolKey: Enrolment & Scripted & { passkey: string; second: string; name: string }
  /** New recovery codes, which are shown once. */
  recoveryCodes: { csrf: string; codes: string[]; action: string }
  /** Second steps of a user who is logged in. */
  security: Scripted & {
    csrf: string
    email: string
    problem?: Problem<never> | undefined
    /** Why a connection was not made. */
    socialProblem?: { text: TextKey; values: { name: string } } | undefined
    accounts: ShownAccount[]
    /** Providers at which the user has connected no account. */
    social: ShownConnections
    keys: ShownKey[]
    /** The signal to the browser about the user's passkeys, as JSON. */
    signal?: string | undefined
    enrolled: SecondStepKind[]
    addable: (OtherStep & { kind: FactorKind })[]
    recoveryCodes: string
    hasRecovery: boolean
    isScarce: boolean
  }
  /** The details of a logged-in user, each with a way to change it. */
  account: {
    /** Each has a value of the user, or says what its page is about. */
    rows: { href?: string | undefined; label: TextKey; value?: string; about?: TextKey }[]
    /** The applications that an operator who acts for the user can open. */
    links?: readonly PageLink[] | undefined
    logoutPath: string | undefined
    notice?: TextKey | undefined
  }
  profile: {
    csrf: string
    claims: Readonly<Record<'name' | 'given_name' | 'family_name', string>>
    problem?: Problem<'name' | 'given_name' | 'family_name'> | undefined
  }
  /** Another address; `isSent`: a code was mailed to it. */
  changeEmail: {
    csrf: string
    current: string
    email: string
    isSent?: boolean | undefined
    problem?: Problem<'email' | 'code'> | undefined
  }
  changePassword: PasswordRules & {
    csrf: string
    email: string
    hasPassword: boolean
    problem?: Problem<'current' | 'password'> | undefined
  }
  sessions: {
    csrf: string
    logoutPath: string
    sessions: (ShownDevice & { isThis: boolean; applications: string })[]
    /** Devices on which no second step is asked for. */
    devices: ShownDevice[]
  }
  /** The clients that may act on behalf of the user. */
  access: {
    csrf: string
    /** Whether one has just been withdrawn. */
    isDone: boolean
    clients: (ShownAccess & {
      id: string
      /** `undefined` for a program on the user's device. */
      host: string | undefined
      name: string | undefined
      since: string
      /** The day on which it has last got tokens; `undefined` if it never did. */
      used: string | undefined
    })[]
  }
  deleteAccount: { csrf: string; email: string; problem?: Problem<'confirm'> | undefined }
  /** A user is logged in, and the application asks which account to use; a native one always does. */
  selectAccount: { csrf: string; email: string; otherPath: string; native: string | undefined }
  /** An unregistered client asks to act on behalf of the user. */
  consent: ShownAccess & {
    csrf: string
    email: string
    /** The host that names it, with the port; `undefined` for a program on the user's device. */
    host: string | undefined
    /** The name that it claims. */
    name: string | undefined
    /** The host that the code goes to; `undefined` for a program on the user's device. */
    goesTo: string | undefined
  }
  /** The user types the code that a device shows. */
  deviceCode: {
    csrf: string
    action: string
    code: string
    problem?: Problem<'user_code'> | undefined
  }
  /** A device asks to be logged in as the user. */
  deviceConsent: ShownAccess & {
    csrf: string
    email: string
    application: string
    /** The code, as the device shows it. */
    code: string
    /** Where the request came from; the time is in UTC, and the device may be empty. */
    from: { device: string; address: string; time: string }
    /** Whether it came from the network of the user. */
    isNear: boolean
  }
  signup: PasswordRules & {
    csrf: string
    name: string
    email: string
    problem?: Problem<'name' | 'email' | 'password'> | undefined
    social: ShownConnections
    loginPath: string
  }
  /** The user has to read a message before going on. */
  checkMail: {
    text: TextKey
    email: string
    /** The token of the forms that go on and that send another message; without it there are none. */
    csrf?: string
    notice?: TextKey | undefined
    info?: TextKey | undefined
    loginPath?: string | undefined
    link?: PageLink | undefined
  }
  verify: PasswordRules & {
    token: string
    email: string
    application: string
    /** Whether the visitor has to enter a password: the one chosen before, or a new one. */
    asksPassword: boolean
    /** Whether passkeys and accounts at providers are removed from the account. */
    removesLogins: boolean
    problem?: Problem<'password'> | undefined
  }
  undo: {
    token: string
    /** The address from before the change. */
    email: string
    /** Whether the visitor has to enter the password from before the change. */
    asksProof: boolean
    problem?: Problem<'password'> | undefined
  }
  contest: {
    token: string
    /** The address that the visitor has lost the account from. */
    email: string
  }
  resetRequest: {
    csrf: string
    email: string
    problem?: Problem<'email'> | undefined
    loginPath?: string | undefined
  }
  reset: PasswordRules & {
    token: string
    email: string
    application: string
    problem?: Problem<'password'> | undefined
  }
  confirmLogout: { action: string; xsrf: string; email: string; company: string }
  /** A page with only a message. */
  message: {
    title: TextKey
    text?: TextKey
    values?: Record<string, string>
    detail?: string | undefined
    forDevelopers?: ForDevelopers | undefined
    link?: PageLink | undefined
  }
  outbox: { mails: ShownMail[] }
  /** An operator confirms that they log in as a user. */
  impersonate: { csrf: string; email: string; operator: string; minutes: string }
  /** The logins of operators as the user. */
  support: { csrf: string; isDone: boolean; logins: ShownSupportLogin[] }
}

export type PageName = keyof Pages

/** The company that a page belongs to, and its visitor's language. */
export interface Branding {
  language: string
  companyName: string
  logoText: string
  supportEmail: string
  /** Six hexadecimal digits after a `#`, in lower case. */
  color?: string | undefined
  /** The https URL of an image. */
  logoUrl?: string | undefined
  /** The color scheme; without it, the visitor's own. */
  scheme?: 'light' | 'dark'
  /** Whether the pages are for operators, who log in to the console. */
  isForOperators?: boolean
  /** The tenant's own titles and help texts of pages, by language. */
  texts?: PageTexts | undefined
}

/** Own texts of pages, such as `login_title`, by language and name. `{company}` stands for the company. */
export type PageTexts = {
  readonly [Language in 'en' | 'de']?: Readonly<Record<string, string>>
}
