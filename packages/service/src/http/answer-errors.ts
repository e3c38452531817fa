import type express from 'express'
import type { Logger } from 'pino'
import { type Caller, reaches } from '../domain/keys/api-keys.ts'
import { noteRefusal } from '../domain/writes/audit.ts'
import type { DomainContext, ServiceScope } from '../domain/writes/context.ts'
import type { ClientIp } from '../wire/client.ts'
import { errorOf, sendError } from '../wire/errors.ts'
import { pathOf } from '../wire/path-of.ts'
import { actorOf, type Locals } from './locals.ts'
import { createRefusalCount } from './refusal-count.ts'

interface ErrorOptions {
  readonly context: DomainContext
  readonly logger: Logger
  readonly clientIp: ClientIp
}

/**
 * Makes the error handler of the API. It answers with the documented body, logs the request with
 * its id, and adds refusals to the audit log.
 */
export function answerErrors({
  context,
  logger,
  clientIp,
}: ErrorOptions): express.ErrorRequestHandler {
  const unauthenticated = createRefusalCount()

  async function note(scope: ServiceScope, code: string, path: string): Promise<void> {
    const isAuthenticated = code !== 'authentication_failure'
    if (!isAuthenticated && !(await unauthenticated.count(scope.actor.address ?? ''))) return
    await noteRefusal(scope, code, path)
  }

  return (cause, req, res, next) => {
    const { requestId, caller } = res.locals as Locals
    const error = errorOf(cause)
    const entry = { requestId, code: error.code, method: req.method, path: pathOf(req) }
    if (error.statusCode >= 500) logger.error({ ...entry, err: cause }, 'request failed')
    else logger.info(entry, 'request refused')

    const isWrite = req.method === 'POST' || req.method === 'DELETE'
    const isTransient = error.code === 'rate_limited' || error.code === 'unavailable'
    if (caller ? isWrite && !isTransient : error.code === 'authentication_failure') {
      const actor = actorOf(clientIp, req, res)
      const scope = { context, actor, tenantId: caller && reachedTenant(caller, req.path) }
      note(scope, error.code, req.path.slice(0, 200)).catch((err) =>
        logger.error({ err }, 'audit failed'),
      )
    }

    if (res.headersSent) return next(cause)
    sendError(res, requestId, error)
  }
}

/** The id of the tenant in the path; `undefined` if the sender has no access to the tenant. */
function reachedTenant(caller: Caller, path: string): string | undefined {
  const id = /^(?:\/x)?\/v1\/tenants\/([^/]+)/.exec(path)?.[1]
  return id !== undefined && reaches(caller, id) ? id : undefined
}
