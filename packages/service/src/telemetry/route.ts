import type { IncomingMessage } from 'node:http'

const routes = new WeakMap<IncomingMessage, string>()

/**
 * Sets the route of a request for metrics and traces.
 *
 * @param route - A pattern from a fixed list, such as `/v1/tenants/:tenant_id`. Never a path with parts that can be
 *   anything.
 */
export function nameRoute(request: IncomingMessage, route: string): void {
  routes.set(request, route)
}

/** The route of a request, set by its router or found by Express. */
export function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const { path } = request.route ?? {}
  return routes.get(request) ?? (typeof path === 'string' ? path : 'other')
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])

/** The method of a request; `other` for those that no route has. */
export function methodOf({ method }: IncomingMessage): string {
  return method !== undefined && METHODS.has(method) ? method : 'other'
}
