import type { AuthRequest } from '../http/request.ts'
import type { AuthSession } from '../session/session.ts'
import type { StoredSession } from '../session/stored-session.ts'

/** A form that is kept while the visitor who sent it logs in. */
export interface KeptForm {
  /** The path and query to which the form was sent. */
  readonly target: string
  /** The page that sent the form, as a path of this site. */
  readonly from: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The names of the fields that were not kept. */
  readonly leftOut: readonly string[]
  /**
   * The hash of the user who sent the form; `undefined` if no user had logged in in this browser
   * before.
   */
  readonly user?: string | undefined
}

/** The content of the cookie by which a browser is recognized. */
export interface FormCookie {
  /** A random key that is needed to open the forms of this browser. */
  readonly key: string
  /** The hash of the user who logged in last in this browser. */
  readonly user?: string | undefined
}

/** A request that sends a form or asks for a kept one, with its session. */
export interface FormRequest {
  readonly request: AuthRequest
  readonly session: StoredSession
}

/** Keeps the forms of visitors who have to log in before a route accepts the form. */
export interface FormKeeping {
  /**
   * Keeps the form of a request. Resolves to the page that shows the form after the login, with the
   * cookie to set; `undefined` if the form is not kept.
   */
  keep(asked: FormRequest): Promise<{ path: string; setCookie: string } | undefined>
  /**
   * The kept form that a request names; `undefined` if the form has expired, or another browser or
   * user sent it.
   */
  find(asked: FormRequest, login: AuthSession): Promise<KeptForm | undefined>
  /**
   * Removes the kept form that a request names. Resolves to `true` for the first caller, and to
   * `false` for every other, so that a form is sent once.
   */
  spend(asked: FormRequest): Promise<boolean>
  /**
   * The `Set-Cookie` values to send after a login, so that the forms of this browser belong to this
   * user from now on.
   */
  remember(request: AuthRequest, login: AuthSession): string[]
}
