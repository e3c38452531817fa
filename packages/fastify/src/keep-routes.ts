import type { FastifyInstance, RouteOptions } from 'fastify'

const ROUTES = Symbol.for('latchkey.routes')

/** A route, with the Fastify instance whose hooks apply to it. */
interface KeptRoute {
  readonly route: RouteOptions
  readonly scope: FastifyInstance
}

/**
 * Records the routes that are added after this call, for `assertGuarded()` of `@latchkey/testing`.
 * Fastify reports routes only to hooks.
 */
export function keepRoutes(app: FastifyInstance): void {
  if (ROUTES in app) return
  const routes: KeptRoute[] = []
  const isWhole = /^(\(empty tree\))?$/.test(app.printRoutes())
  Object.defineProperty(app, ROUTES, { value: { routes, isWhole } })
  app.addHook('onRoute', function (route) {
    routes.push({ route, scope: this })
  })
}
