import { LatchkeyError } from './errors.ts'
import type { Visit } from './visit.ts'

const VISIT = Symbol('latchkey')

interface WithVisit {
  [VISIT]?: Visit<never, never>
}

/** Remembers the visit of a framework's request, for the guards and handlers that follow; the last counts. */
export function setVisit<U, Sent>(request: object, visit: Visit<U, Sent>): void {
  ;(request as WithVisit)[VISIT] = visit as never
}

/** The visit of a request, if it passed an adapter. */
export function findVisit<U, Sent>(request: object): Visit<U, Sent> | undefined {
  return (request as WithVisit)[VISIT] as Visit<U, Sent> | undefined
}

/**
 * The visit of a request.
 *
 * @param mount - The line that an application is missing, such as `app.use(createAuth(…))`.
 * @throws {@link LatchkeyError} with `LATCHKEY_ROUTER_NOT_MOUNTED` when the request passed no adapter.
 */
export function visitOf<U, Sent>(request: object, mount: string): Visit<U, Sent> {
  const visit = findVisit<U, Sent>(request)
  if (visit) return visit
  throw new LatchkeyError(
    'LATCHKEY_ROUTER_NOT_MOUNTED',
    `This request has not passed the login; call ${mount} in front of the routes.`,
  )
}
