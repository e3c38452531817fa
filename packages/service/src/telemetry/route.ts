import type { IncomingMessage } from 'node:http'

const routes = new WeakMap<IncomingMessage, string>()

/**
 * Names the route of a request for metrics and traces.
 *
 * @param route - A pattern from a closed list, such as `/v1/tenants/:tenant_id`; never the path itself where a
 *   part of it can be anything.
 */
export function nameRoute(request: IncomingMessage, route: string): void {
  routes.set(request, route)
}

/** The route of a request, as its router named it, or as Express found it. */
export function routeOf(request: IncomingMessage & { route?: { path?: unknown } }): string {
  const { path } = request.route ?? {}
  return routes.get(request) ?? (typeof path === 'string' ? path : 'other')
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])

/** The method of a request; `other` for those that no route has. */
export function methodOf({ method }: IncomingMessage): string {
  return method !== undefined && METHODS.has(method) ? method : 'other'
}
