import type { UserOf } from '../session/claims-schema.ts'

/**
 * The claims of the logged-in user, if the application has no schema (option `claims`). Add your
 * own claims to the package that you import:
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

/**
 * The types of the application. Extend this interface to give the user the type of your schema
 * everywhere: `declare module '@latchkey/express' { interface AppTypes { claims: typeof claims } }`.
 * Without it, the user is a {@link User}.
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications add to it.
export interface AppTypes {}

/**
 * The type of the logged-in user: that of the schema in {@link AppTypes}, otherwise {@link User}.
 */
export type AppUser = AppTypes extends { readonly claims: infer Schema } ? UserOf<Schema> : User

/**
 * The roles that a user can have, if the type of the claim `roles` lists them; otherwise any text.
 */
export type RoleOf<U> = [U] extends [never]
  ? string
  : 'roles' extends keyof U
    ? NonNullable<U['roles']> extends readonly (infer Role extends string)[]
      ? Role
      : string
    : string
