import { type FlowRequest, show } from './flow-request.ts'

/** The parts of a path that its route names. */
type Params = Readonly<Record<string, string>>

/** The handler of a request for a page, or of a form of it. */
type Run = (flow: FlowRequest, params: Params) => void | Promise<void>

/** An address at an issuer that people ask for, or to which a page sends its form. */
export interface PageRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The name for metrics and traces. Default: the path. */
  readonly name?: string
  /** Whether it is there in the session of an operator who acts for a user: every other one is refused. */
  readonly isForActing?: boolean
  readonly run: Run
}

/** The routes of a page. Without `submit`, it has no form. */
export function pageAt(
  path: string,
  { show, submit }: { readonly show: Run; readonly submit?: Run | undefined },
): PageRoute[] {
  const page: PageRoute = { method: 'GET', path, run: show }
  if (!submit) return [page]
  const run: Run = (flow, params) => (isCrossSite(flow) ? refuseForm(flow) : submit(flow, params))
  return [page, { method: 'POST', path, run }]
}

/** Refuses a form that was not sent from a page which this browser has opened. */
export function refuseForm(flow: FlowRequest): void {
  show(flow, 403, 'message', { title: 'errorTitle', text: 'errorForm' })
}

/**
 * Browsers say from where a form was sent; no form of ours is on another site. `none` means that
 * the user has reloaded a response.
 */
function isCrossSite({ request }: FlowRequest): boolean {
  const site = request.headers['sec-fetch-site'] ?? 'none'
  return site !== 'same-origin' && site !== 'none'
}
