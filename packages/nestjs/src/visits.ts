import { createVisits, type Visits } from '@latchkey/core/adapter'

/** The visits by request, of Express or Fastify. */
export const visits: Visits<object, unknown> = createVisits(
  'LatchkeyModule.forRoot(…) in the imports of the root module',
)

/** The user of a request and their session. */
export const getAuth: typeof visits.getAuth = visits.getAuth
/** The logged-in user of a request; throws `LATCHKEY_LOGIN_REQUIRED` when no user is logged in. */
export const getUser: typeof visits.getUser = visits.getUser
/** The application's own data in the session of a request. */
export const getData: typeof visits.getData = visits.getData
/**
 * The bearer token of a request, as the `AuthInfo` of the Model Context Protocol SDK. Throws
 * `LATCHKEY_LOGIN_REQUIRED` if no guard has accepted a bearer token.
 */
export const mcpAuth: typeof visits.mcpAuth = visits.mcpAuth
/**
 * Requires scopes that depend on the body of the request. A request with a session needs no scopes.
 * Throws `LATCHKEY_SCOPE_MISSING` if the bearer token lacks a scope.
 */
export const requireScopes: typeof visits.requireScopes = visits.requireScopes
