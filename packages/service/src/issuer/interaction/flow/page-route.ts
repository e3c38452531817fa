import { type FlowRequest, show } from './flow-request.ts'

/** The named parts of a path. */
type Params = Readonly<Record<string, string>>

/** Handles a request for a page, or a submitted form of the page. */
type Run = (flow: FlowRequest, params: Params) => void | Promise<void>

/** A route of an issuer for people: a page, or the target of its form. */
export interface PageRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The name for metrics and traces. Default: the path. */
  readonly name?: string
  /**
   * Whether the route is available while an operator acts for a user. By default, it is refused.
   */
  readonly isForActing?: boolean
  readonly run: Run
}

/**
 * The routes of a page and its form. Without `submit`, the page has no form. A form from another
 * site is refused.
 */
export function pageAt(
  path: string,
  { show, submit }: { readonly show: Run; readonly submit?: Run | undefined },
): PageRoute[] {
  const page: PageRoute = { method: 'GET', path, run: show }
  if (!submit) return [page]
  const run: Run = (flow, params) => (isCrossSite(flow) ? refuseForm(flow) : submit(flow, params))
  return [page, { method: 'POST', path, run }]
}

/** Refuses a form that does not come from a page in this browser. */
export function refuseForm(flow: FlowRequest): void {
  show(flow, 403, 'message', { title: 'errorTitle', text: 'errorForm' })
}

/**
 * Whether a form comes from another site, by the header `sec-fetch-site`. Requests without the
 * header are accepted, and so is `none`, which browsers send when the user reloads a response.
 */
function isCrossSite({ request }: FlowRequest): boolean {
  const site = request.headers['sec-fetch-site'] ?? 'none'
  return site !== 'same-origin' && site !== 'none'
}
