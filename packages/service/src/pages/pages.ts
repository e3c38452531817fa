import type { FactorKind, SecondStepKind } from '../resources/credentials.ts'
import type { TextKey } from './texts/index.ts'

/** A link with which the visitor continues, such as back to the application. */
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

/** A problem with a submitted form: in one field, or in the whole form without `field`. */
export interface Problem<Field extends string> {
  field?: Field | undefined
  text: TextKey
  values?: Readonly<Record<string, string>>
}

/** The rules for a new password, as a page shows them. */
export interface PasswordRules {
  /** The minimum number of characters. */
  least: number
  /** Whether the password is checked against known data leaks. */
  refusesLeaked: boolean
}

/** A login method on the login page. `action` is the target of its form. */
export type LoginWay =
  | { kind: 'password'; action: string; resetPath: string }
  | { kind: 'totp_email'; action: string }
  /** `options`: the WebAuthn request options, as JSON. */
  | { kind: 'hardware'; action: string; options: string }

/** A page that can run a script. */
interface Scripted {
  /** The path of the page's script; `undefined` if the page has no script of its own. */
  script?: string | undefined
}

/** A passkey or security key of the user. */
interface ShownKey {
  id: string
  /** The name that the user gave to the key; may be empty. */
  name: string
  isPasskey: boolean
  /** The days of adding and last use, in the format of the visitor's language. */
  added: string
  used: string | undefined
}

/** A session of a user. */
interface ShownDevice {
  id: string
  /** The browser and the system, such as `Firefox on macOS`. */
  device: string
  /** A date and a time in UTC, in the format of the visitor's language. */
  since: string
}

/** The access of a client, in words. */
export interface ShownAccess {
  apis: { name: string; sentences: string[] }[]
  /** The texts about the user data that the client gets, and about the duration of its access. */
  ofLogin: TextKey[]
}

/** The providers for which a page has buttons. `action` is the target of their form. */
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
 * The way to leave the page without adding a second step. `skip` and `later`: continue the login;
 * with `later`, a second step is required from `day` on. `security`: return to the login methods of
 * the account. `none` (for an operator) and `due` (for a user): a second step is required now.
 */
type WayOut = { kind: 'skip' | 'security' | 'none' | 'due' } | { kind: 'later'; day: string }

/** The members that all pages for adding a second step share. */
interface Enrolment {
  csrf: string
  action: string
  others: OtherStep[]
  /** The way to continue without a second step. */
  wayOut: WayOut
  problem?: Problem<'code'> | undefined
}

/**
 * A login of an operator as the user. `asked`, `begun` and `ended` are times in UTC, in the format
 * of the visitor's language. A time that is not known is empty.
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
  /** The email address of the user. */
  email: string
  /** The time in UTC at which the operator is logged out, such as `14:05`. */
  time: string
  action: string
  csrf: string
}

/** The data that each hosted page shows, by the name of the page. Rendering escapes the values. */
export interface Pages {
  login: Scripted & {
    csrf: string
    email: string
    /** The login methods, the main one first. */
    ways: LoginWay[]
    /** A signal to the browser about a passkey, as JSON. */
    signal?: string | undefined
    problem?: Problem<'email' | 'password'> | undefined
    notice?: TextKey | undefined
    info?: TextKey | undefined
    social: ShownConnections
    /** The reason why a login at a provider did not succeed. */
    socialProblem?: { text: TextKey; values: { name: string } } | undefined
    /** The account at a provider that is connected with the user when the login completes. */
    link?: { name: string; account: { email: string } } | undefined
    signupPath?: string | undefined
  }
  /** The visitor must verify the email address that a provider has sent. */
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
  /** The visitor enters a mailed code as the first step of a login. */
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
    /** The WebAuthn request options for a key, as JSON. */
    keyOptions?: string | undefined
    /** The page for removing a lost key, for a user who has authenticated well enough for it. */
    lostKeyPath?: string | undefined
    email: string
    /** Whether the page asks for the code; `false` until a mailed code is requested. */
    isSent: boolean
    /** Whether the code has digits only. */
    isNumeric: boolean
    action: string
    others: OtherStep[]
    /** The time for which the device can be trusted, in words; `undefined` if it cannot be. */
    trustFor: string | undefined
    /** Whether the visitor has chosen to trust the device. */
    trust?: boolean | undefined
    otherPath: string
    problem?: Problem<'code'> | undefined
    notice?: TextKey | undefined
  }
  enrolApp: Enrolment & {
    /** The QR code of the `seed`, as an SVG image. */
    qr: string
    seed: string
  }
  enrolMail: Enrolment & { email: string; isSent: boolean }
  /**
   * The WebAuthn options for a new key, as JSON: `passkey` for a key that can log in alone,
   * `second` for a key that is only a second step.
   */
  enrolKey: Enrolment & Scripted & { passkey: string; second: string; name: string }
  /** New recovery codes, which are shown once. */
  recoveryCodes: { csrf: string; codes: string[]; action: string }
  /** The login methods and second steps of a logged-in user. */
  security: Scripted & {
    csrf: string
    email: string
    problem?: Problem<never> | undefined
    /** The reason why an account at a provider was not connected. */
    socialProblem?: { text: TextKey; values: { name: string } } | undefined
    accounts: ShownAccount[]
    /** The providers at which the user has connected no account. */
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
  /** The account page of a logged-in user. Its rows link to the pages for changes. */
  account: {
    /** The rows. A row has a `value` of the user, or `about`, a text about the linked page. */
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
  /** The page for a new email address. `isSent`: a code was mailed to that address. */
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
    /** The trusted devices, on which logins do not ask for a second step. */
    devices: ShownDevice[]
  }
  /** The clients that may act on behalf of the user. */
  access: {
    csrf: string
    /** Whether the access of a client has just been withdrawn. */
    isDone: boolean
    clients: (ShownAccess & {
      id: string
      /**
       * The host of the client, or the name of an application; `undefined` for a program on the
       * user's device.
       */
      host: string | undefined
      name: string | undefined
      since: string
      /** The day on which the client last got tokens; `undefined` if it never got tokens. */
      used: string | undefined
    })[]
  }
  deleteAccount: { csrf: string; email: string; problem?: Problem<'confirm'> | undefined }
  /**
   * A logged-in user chooses the account to use. An application can ask for this page. For a native
   * application (`native`: its name), it is always shown.
   */
  selectAccount: { csrf: string; email: string; otherPath: string; native: string | undefined }
  /** An unregistered client asks to act on behalf of the user. */
  consent: ShownAccess & {
    csrf: string
    email: string
    /** The client's host, with the port; `undefined` for a program on the user's device. */
    host: string | undefined
    /** The name that the client claims. */
    name: string | undefined
    /**
     * The host that gets the authorization code; `undefined` for a program on the user's device.
     */
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
    /** The origin of the request. `device` may be empty; `time` is in UTC. */
    from: { device: string; address: string; time: string }
    /** Whether the request came from the network of the user. */
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
  /** The user must open the link in a mailed message to continue. */
  checkMail: {
    text: TextKey
    email: string
    /** The CSRF token of the form to continue or to resend; without it, there is no form. */
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
    /** The address of the account before the change that the visitor can contest. */
    email: string
    /** Whether an operator has changed the address. Otherwise, a person took the account back. */
    isOfOperator: boolean
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
  /** An operator confirms the login as a user. */
  impersonate: { csrf: string; email: string; operator: string; minutes: string }
  /** The logins of operators as the user. */
  support: { csrf: string; isDone: boolean; logins: ShownSupportLogin[] }
}

export type PageName = keyof Pages

/** The company that a page belongs to, and the language of the visitor. */
export interface Branding {
  language: string
  companyName: string
  logoText: string
  supportEmail: string
  /** The tenant's color: six hexadecimal digits after a `#`, in lower case. */
  color?: string | undefined
  /** The URL of the logo: an https URL, or a path of this service. */
  logoUrl?: string | undefined
  /** The color scheme; without it, the visitor's own. */
  scheme?: 'light' | 'dark'
  /** Whether the pages are for operators, who log in to the console. */
  isForOperators?: boolean
  /** The tenant's own titles and help texts of pages, by language. */
  texts?: PageTexts | undefined
}

/**
 * A tenant's own texts of pages, by language and by a name such as `login_title`. `{company}`
 * stands for the company's name.
 */
export type PageTexts = {
  readonly [Language in 'en' | 'de']?: Readonly<Record<string, string>>
}
