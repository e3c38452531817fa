import type { IncomingMessage } from 'node:http'

const routes = new WeakMap<IncomingMessage, string>()

/**
 * Sets the route of a request for metrics and traces.
 *
 * @param route - A pattern from a fixed list, such as `/v1/tenants/:tenant_id`. It must never be
 *   the path of a request, which could be any text.
 */
export function nameRoute(request: IncomingMessage, route: string): void {
  routes.set(request, route)
}

/**
 * The route of a request, set by {@link nameRoute} or found by Express; `other` without a route.
 */
export function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const { path } = request.route ?? {}
  return routes.get(request) ?? (typeof path === 'string' ? path : 'other')
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])

/** The method of a request; `other` for a method that is not in the list. */
export function methodOf({ method }: IncomingMessage): string {
  return method !== undefined && METHODS.has(method) ? method : 'other'
}
