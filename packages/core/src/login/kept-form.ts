import type { AuthRequest } from '../http/request.ts'
import type { AuthSession } from '../session/session.ts'
import type { StoredSession } from '../session/stored-session.ts'

/** A form that waits for its writer to log in. */
export interface KeptForm {
  /** The path, with the query, to which it was sent. */
  readonly target: string
  /** The address of the page on which it was written. */
  readonly from: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The names of the fields that were not kept. */
  readonly leftOut: readonly string[]
  /** The hash of the user who wrote it; `undefined` if no user had logged in in this browser before. */
  readonly user?: string | undefined
}

/** The content of the cookie by which a browser is recognized. */
export interface FormCookie {
  /** A random key that opens only the forms of this browser. */
  readonly key: string
  /** The hash of the user who logged in last. */
  readonly user?: string | undefined
}

/** The request of a form, with its session. */
export interface FormRequest {
  readonly request: AuthRequest
  readonly session: StoredSession
}

/** Keeps forms that were sent without a session until their writers have logged in. */
export interface FormKeeping {
  /**
   * Keeps the form of a request. Resolves to the page that shows it after the login; `undefined` if the form is not
   * kept.
   */
  keep(asked: FormRequest): Promise<{ path: string; setCookie: string } | undefined>
  /** The kept form of a request, if this browser and this user wrote it. */
  find(asked: FormRequest, login: AuthSession): Promise<KeptForm | undefined>
  /** Uses a kept form up: `true` for the first caller, `false` for every other. */
  spend(asked: FormRequest): Promise<boolean>
  /** The `Set-Cookie` values after a login, by which forms sent from now on belong to this user. */
  remember(request: AuthRequest, login: AuthSession): string[]
}
