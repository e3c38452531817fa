import type { UserOf } from '../session/claims-schema.ts'

/**
 * The claims of the logged-in user of an application without a schema. Add your own in the package that your
 * application imports: `declare module '@latchkey/express' { interface User { roles: string[] } }`.
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
 * Names the schema of the claims, so that the user has its type everywhere: `declare module
 * '@latchkey/express' { interface AppTypes { claims: typeof claims } }`. Default: {@link User}.
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications add to it.
export interface AppTypes {}

/** The logged-in user: as the schema of {@link AppTypes} types it, otherwise a {@link User}. */
export type AppUser = AppTypes extends { readonly claims: infer Schema } ? UserOf<Schema> : User

/** The roles that a user can have: those that the type of the claim `roles` lists, otherwise any text. */
export type RoleOf<U> = [U] extends [never]
  ? string
  : 'roles' extends keyof U
    ? NonNullable<U['roles']> extends readonly (infer Role extends string)[]
      ? Role
      : string
    : string
