import { createVisits, type Visits } from '@latchkey/core/adapter'
import type { Request } from 'express'

/** The visits by request of Express. */
export const visits: Visits<Request> = createVisits('app.use(createAuthRouter(…))')

/**
 * The user of a request and their session. This is `req.auth`, even if another package has replaced
 * that property.
 */
export const getAuth: typeof visits.getAuth = visits.getAuth

/**
 * The logged-in user of a request.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
 */
export const getUser: typeof visits.getUser = visits.getUser

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
