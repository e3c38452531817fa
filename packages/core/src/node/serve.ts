import type { Auth } from '../auth.ts'
import type { RequestDetails } from '../http/request.ts'
import { type MaybePromise, when } from '../shared/maybe-promise.ts'
import type { Visit } from '../visit/visit.ts'
import { type NodeRequest, toAuthRequest } from './request.ts'
import { type NodeResponse, toResponsePort } from './response.ts'

/**
 * Serves a request of node:http: answers the kit's own routes, and passes every other request to
 * `next`. If `next` rejects with an error of the kit, that error is answered, unless a response has
 * begun.
 *
 * Returns a promise only when it has to wait. If it need not wait, it throws errors directly.
 */
export function serveNode<U>(
  auth: Auth<U>,
  request: NodeRequest,
  response: NodeResponse,
  next: (visit: Visit<U, void>) => MaybePromise<void>,
  details?: RequestDetails,
): MaybePromise<void> {
  const opened = auth.visit(
    toAuthRequest(request, auth.baseUrl, details, response),
    toResponsePort(response),
  )
  return when(opened, (visit) => {
    if (visit.answer) return visit.send(visit.answer)
    const done = next(visit)
    if (!(done instanceof Promise)) return done
    return done.catch(async (error) => {
      if (response.headersSent) throw error
      visit.send(await visit.answerError(error))
    })
  })
}
