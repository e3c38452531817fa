import type { LatchkeyError } from '../errors/errors.ts'
import type { AuthRequest } from './request.ts'

/** A step of a login, a logout or a refusal, for the login recorder of development. */
export type Observation =
  /** The visitor is redirected to the provider. */
  | {
      readonly kind: 'redirected'
      readonly state: string
      readonly location: string
      readonly returnTo: string
      /** The number of times that the login was started again. */
      readonly restarts: number
      readonly setCookies: readonly string[]
    }
  /** The visitor is back, and the login of `state` was looked up in this browser. */
  | {
      readonly kind: 'returned'
      readonly state: string
      readonly parameters: URLSearchParams
      readonly login: 'begun' | 'lost' | 'unknown'
    }
  /** Provider, client and redirect URI are the same as at the start of the login. */
  | { readonly kind: 'matched' }
  /** The code was redeemed, and the ID token passed every check. */
  | {
      readonly kind: 'redeemed'
      readonly claims: Readonly<Record<string, unknown>>
      readonly scope: string | undefined
      readonly refreshToken: boolean
    }
  /**
   * The claims of the user are complete: userinfo was read and the schema fits, if the options ask
   * for it.
   */
  | { readonly kind: 'described'; readonly user: Readonly<Record<string, unknown>> }
  /** The hooks of the application let the user in. */
  | { readonly kind: 'admitted' }
  /** The session is stored under a new id. */
  | { readonly kind: 'stored' }
  /** The request is answered with an error. */
  | { readonly kind: 'failed'; readonly error: LatchkeyError }
  /** A route of the kit has answered. */
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly location: string | undefined
      readonly setCookies: readonly string[]
    }

/** Receives a step of a request. It never throws, and returns at once. */
export type Observe = (request: AuthRequest, seen: Observation) => void
