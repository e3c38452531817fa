import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AuthOptions,
  createAuth,
  type Requirement,
  type User,
  type Visit,
} from '@latchkey/core'
import { requirementOf } from '@latchkey/core/adapter'
import { nodePlatform, serveNode } from '@latchkey/core/node'

/**
 * A request and its response under node:http: what the framework has, and what the hook `onError`
 * receives.
 */
export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** A handler of one route. `visit.auth` is whose request it is, `visit.data` the application's own data. */
export type Handler = (visit: Visit<User, void>, exchange: Exchange) => Promise<void>

// #region serve
/** Answers the routes of the login; every other request goes to `next`, with its visit. */
export function createListener(
  options: AuthOptions<User, Exchange>,
  next: Handler,
): (req: IncomingMessage, res: ServerResponse, body?: unknown) => Promise<void> {
  const auth = createAuth(options, nodePlatform())
  return async (req, res, body) => {
    const exchange = { req, res }
    await serveNode(auth, req, res, (visit) => next(visit, exchange), { body, exchange })
  }
}
// #endregion

// #region guard
/** Lets logged-in users through. A page is redirected to the login; an API request is answered with 401. */
export function requireUser(requirement: Requirement<Exchange>, handle: Handler): Handler {
  // A requirement that is misspelt is refused now, not at the first request.
  requirementOf([requirement])
  return async (visit, exchange) => {
    const refusal = await visit.admit(requirement, exchange)
    if (refusal) visit.send(refusal)
    else await handle(visit, exchange)
  }
}
// #endregion
