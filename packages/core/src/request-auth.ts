import type { AuthSession } from './session.ts'

/**
 * The claims of the signed-in user. Extend it to name your own:
 * `declare module '@latchkey/core' { interface User { roles: string[] } }`.
 */
export interface User {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean
  preferred_username?: string
  picture?: string
  [claim: string]: unknown
}

/** What a request knows about its user. Turned into JSON it holds no token. */
export interface RequestAuth<U = User> {
  readonly isAuthenticated: boolean
  /**
   * The user. Present behind a guard; elsewhere it is `undefined` for a visitor who is not signed
   * in, so look at `isAuthenticated` first.
   */
  readonly user: U
  toJSON(): unknown
}

/** Describes a request by the session it came with. */
export function describeRequest(session: () => AuthSession | undefined): RequestAuth {
  return {
    get isAuthenticated() {
      return session() !== undefined
    },
    get user() {
      return session()?.user as User
    },
    toJSON() {
      return { isAuthenticated: this.isAuthenticated, user: this.user }
    },
  }
}
