import type { AuthRequest } from '../http/request.ts'
import type { AuthSession } from '../session/session.ts'
import type { StoredSession } from '../session/stored-session.ts'

/** A form that waits for its writer to log in. */
export interface KeptForm {
  /** The path that it was sent to, with the query. */
  readonly target: string
  /** The page that it was written on. */
  readonly from: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The names of the fields that were not kept. */
  readonly leftOut: readonly string[]
  /** The hash of the user who wrote it; `undefined` if no user had logged in with the browser before. */
  readonly user?: string | undefined
}

/** The content of the cookie by which a browser is known. */
export interface FormCookie {
  /** A random key, which opens the forms of this browser alone. */
  readonly key: string
  /** The hash of the user who logged in last. */
  readonly user?: string | undefined
}

/** The request of a form, and the session that it came with. */
export interface FormRequest {
  readonly request: AuthRequest
  readonly session: StoredSession
}

/** Keeps forms that were sent without a session until their writers have logged in. */
export interface FormKeeping {
  /** Keeps the form of a request. Resolves to the page that shows it after the login; `undefined` where none is kept. */
  keep(asked: FormRequest): Promise<{ path: string; setCookie: string } | undefined>
  /** The kept form of a request, if this browser and this user wrote it. */
  find(asked: FormRequest, login: AuthSession): Promise<KeptForm | undefined>
  /** Uses a kept form up: `true` for the first caller, `false` for every other. */
  spend(asked: FormRequest): Promise<boolean>
  /** The `Set-Cookie` values after a login: forms that are sent from now on are this user's. */
  remember(request: AuthRequest, login: AuthSession): string[]
}
