/**
 * The claims of the logged-in user. Add your own in the package that your application imports:
 * `declare module '@latchkey/express' { interface User { roles: string[] } }`.
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
