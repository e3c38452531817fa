import type { LatchkeyErrorCode, VisitorText } from '../errors/codes.ts'

/** The texts of the kit's pages. Texts that a language lacks are shown in English. */
export interface PageTexts {
  /** The labels of buttons and links. */
  readonly logIn: string
  readonly logInAgain: string
  readonly startPage: string
  readonly logOut: string
  readonly stayLoggedIn: string
  readonly continue: string
  readonly send: string
  readonly doNotSend: string
  /** The titles of pages. */
  readonly askLogout: string
  readonly loggedOut: string
  readonly oneMoment: string
  /** The title and the text of the page that shows a kept form after the login. */
  readonly askSend: string
  readonly notSentYet: string
  /** The words in front of the names of fields that were not kept. */
  readonly fieldsLeftOut: string
  /**
   * The page for a form that was sent without a login and not kept. Its button is {@link logIn}.
   */
  readonly formLost: VisitorText
  /** The texts of errors by code. */
  readonly errors: Readonly<Partial<Record<LatchkeyErrorCode, VisitorText>>>
  /** The text of every other error. */
  readonly otherError: VisitorText
  /** The error page if a login could not be stored in the session store. */
  readonly loginNotStored: VisitorText
}
