import { createVisits, type Visits } from '@latchkey/core/adapter'
import type { Request } from 'express'

/** The visits of requests of Express. */
export const visits: Visits<Request> = createVisits('app.use(createAuthRouter(…))')

/**
 * The user of a request and their session: `req.auth`, even if another package has replaced that.
 */
export const getAuth: typeof visits.getAuth = visits.getAuth

/**
 * The logged-in user of a request.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
 */
export const getUser: typeof visits.getUser = visits.getUser

/**
 * The bearer token of a request, in the shape of the SDK of the Model Context Protocol
 * (`AuthInfo`). Throws `LATCHKEY_LOGIN_REQUIRED` if no guard has accepted a bearer token.
 */
export const mcpAuth: typeof visits.mcpAuth = visits.mcpAuth

/**
 * Requires scopes that are known only after the body has been read. A session needs none. Throws
 * `LATCHKEY_SCOPE_MISSING` if the bearer token lacks one.
 */
export const requireScopes: typeof visits.requireScopes = visits.requireScopes
