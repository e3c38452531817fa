import type { AuthRequest } from '../http/request.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import type { ResponsePort, Visit } from '../visit/visit.ts'
import type { WebResponse } from './response.ts'

type OpenVisit<U> = (
  request: AuthRequest,
  response: ResponsePort<Response>,
) => MaybePromise<Visit<U, Response>>

/**
 * Serves one `Request`; see `Auth.fetch`.
 *
 * @param response - An unused response for this request.
 */
export async function serveFetch<U>(
  open: OpenVisit<U>,
  request: AuthRequest,
  response: WebResponse,
  next: (visit: Visit<U, Response>) => MaybePromise<Response>,
): Promise<Response> {
  const visit = await open(request, response)
  if (visit.answer) return response.finish(visit.send(visit.answer))
  try {
    return response.finish(await next(visit))
  } catch (error) {
    return response.finish(visit.send(await visit.answerError(error)))
  }
}
