import type { AppUser, Requirement } from '@latchkey/core'
import { asGuard, type GuardArguments, requirementOf } from '@latchkey/core/adapter'
import type { Request, RequestHandler } from 'express'
import { visits } from './visits.ts'

/**
 * Lets logged-in users through. Redirects pages to the login; answers API requests with 401.
 *
 * @throws {@link ConfigError} for a requirement with an unknown name, a wrong type, or a member
 *   that is `undefined` or empty, because such a guard could let every user in.
 */
export function requireUser<U = AppUser>(
  ...given: GuardArguments<Requirement<Request, U>>
): RequestHandler {
  const requirement = requirementOf(given)
  return asGuard<RequestHandler>((req, _res, next) => {
    const visit = visits.of<U>(req)
    const refusal = visit.admit(requirement, req)
    if (refusal === undefined) return next()
    Promise.resolve(refusal)
      .then((answer) => (answer ? visit.send(answer) : next()))
      .catch(next)
  })
}
