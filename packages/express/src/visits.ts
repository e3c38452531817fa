import { createVisits, type Visits } from '@latchkey/core/adapter'
import type { Request } from 'express'

/** The visits of requests of Express. */
export const visits: Visits<Request> = createVisits('app.use(createAuthRouter(…))')

/**
 * The user of a request and their session. It is `req.auth`, also where another package has put
 * something else there.
 */
export const getAuth: typeof visits.getAuth = visits.getAuth

/**
 * The logged-in user of a request.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` when no user is logged in.
 */
export const getUser: typeof visits.getUser = visits.getUser

/** The bearer token of a request, as the SDK of the Model Context Protocol describes it to tools. */
export const mcpAuth: typeof visits.mcpAuth = visits.mcpAuth

/** Demands scopes that only the body of a request tells; throws `LATCHKEY_SCOPE_MISSING` when the bearer token lacks one. */
export const requireScopes: typeof visits.requireScopes = visits.requireScopes
