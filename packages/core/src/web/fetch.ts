import type { AuthRequest } from '../http/request.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { ResponsePort, Visit } from '../visit.ts'
import { WebResponse } from './response.ts'

type OpenVisit<U> = (
  request: AuthRequest,
  response: ResponsePort<Response>,
) => MaybePromise<Visit<U, Response>>

/** Serves one `Request`; see `Auth.fetch`. */
export async function serveFetch<U>(
  open: OpenVisit<U>,
  request: AuthRequest,
  next: (visit: Visit<U, Response>) => MaybePromise<Response>,
): Promise<Response> {
  const response = new WebResponse()
  const visit = await open(request, response)
  if (visit.answer) return response.finish(visit.send(visit.answer))
  try {
    return response.finish(await next(visit))
  } catch (error) {
    return response.finish(visit.send(await visit.answerError(error)))
  }
}
