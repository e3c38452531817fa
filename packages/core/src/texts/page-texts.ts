import type { LatchkeyErrorCode, VisitorText } from '../errors/codes.ts'

/** The texts of the kit's own pages. A language may have some of them; English stands in for the others. */
export interface PageTexts {
  /** Buttons and links. */
  readonly logIn: string
  readonly logInAgain: string
  readonly startPage: string
  readonly logOut: string
  readonly stayLoggedIn: string
  readonly continue: string
  readonly send: string
  readonly doNotSend: string
  /** Titles. */
  readonly askLogout: string
  readonly loggedOut: string
  readonly oneMoment: string
  /** The title of the page that shows what was written before the login, and its sentences. */
  readonly askSend: string
  readonly notSentYet: string
  /** Stands in front of the names of fields that were not kept. */
  readonly fieldsLeftOut: string
  /** A form that was sent without a login, and was not kept. The button of its page is {@link logIn}. */
  readonly formLost: VisitorText
  /** Errors by code. The English ones are in the table of codes. */
  readonly errors: Readonly<Partial<Record<LatchkeyErrorCode, VisitorText>>>
  /** The text of every other error. */
  readonly otherError: VisitorText
  /** A login that could not be stored: no session is lost, because there is none yet. */
  readonly loginNotStored: VisitorText
}
