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

/** The roles that a user can have: those that the type of the claim `roles` lists, otherwise any text. */
export type RoleOf<U> = [U] extends [never]
  ? string
  : 'roles' extends keyof U
    ? NonNullable<U['roles']> extends readonly (infer Role extends string)[]
      ? Role
      : string
    : string
