import { TestingError } from '../errors.ts'
import { type Entry, kindOf } from './entries.ts'

/** The records that the plugin of `@latchkey/fastify` keeps on the application. */
interface Kept {
  /** Whether the records include every route, because none was added before the plugin. */
  readonly isWhole: boolean
  readonly routes: readonly { readonly route: Route; readonly scope: object }[]
}

/** The hooks that run before the handler of a route. A scope has hooks under the same names. */
interface Hooks {
  readonly onRequest?: unknown
  readonly preParsing?: unknown
  readonly preValidation?: unknown
  readonly preHandler?: unknown
}

interface Route extends Hooks {
  readonly method: string | readonly string[]
  readonly url: string
  readonly handler: { readonly name: string }
}

const ROUTES = Symbol.for('latchkey.routes')

/**
 * The handlers of a Fastify application with `@latchkey/fastify`, each after the guard of its
 * route. `undefined` for anything else.
 *
 * @throws {@link TestingError} with `LATCHKEY_TEST_APP_UNKNOWN` if a route was added before the
 *   plugin.
 */
export function fastifyEntries(app: unknown): Entry[] | undefined {
  const kept = (app as { [ROUTES]?: Kept } | undefined)?.[ROUTES]
  if (!kept) return undefined
  if (!kept.isWhole) throw new TestingError('LATCHKEY_TEST_APP_UNKNOWN', TOO_EARLY)
  const routes = kept.routes.map((one) => ({ ...one.route, isGuarded: isGuarded(one) }))
  return routes
    .filter((route) => !routes.some((other) => isHeadOf(route, other)))
    .flatMap((route) => [route.method].flat().flatMap((method) => entriesOf(route, method)))
}

function entriesOf({ url: path, handler, isGuarded }: Judged, method: string): Entry[] {
  const entry: Entry = { method, path, sees: 'path', kind: 'handler', name: handler.name }
  return isGuarded ? [{ ...entry, kind: 'guard' }, entry] : [entry]
}

type Judged = Route & { readonly isGuarded: boolean }

/**
 * Whether `route` is the HEAD route that Fastify adds to the GET route `get`: the same handler,
 * guarded equally.
 */
function isHeadOf(route: Judged, get: Judged): boolean {
  return (
    route.method === 'HEAD' &&
    get.method === 'GET' &&
    route.url === get.url &&
    route.handler === get.handler &&
    route.isGuarded === get.isGuarded
  )
}

function isGuarded({ route, scope }: Kept['routes'][number]): boolean {
  const hooks = [...hooksOf(route), ...hooksOf(scopeHooks(scope))]
  return hooks.some((hook) => kindOf(hook, 'middleware') === 'guard')
}

function hooksOf({ onRequest, preParsing, preValidation, preHandler }: Hooks): unknown[] {
  return [onRequest, preParsing, preValidation, preHandler].flat()
}

/** The hooks of a Fastify instance, which include the hooks of its parent instances. */
function scopeHooks(scope: object | null): Hooks {
  if (scope === null) return {}
  const symbol = Object.getOwnPropertySymbols(scope).find(
    ({ description }) => description === 'fastify.hooks',
  )
  return symbol
    ? ((scope as Record<symbol, Hooks>)[symbol] ?? {})
    : scopeHooks(Object.getPrototypeOf(scope))
}

const TOO_EARLY =
  'assertGuarded() cannot see the routes that were added before the login. Write await app.register(createAuth(…)) in front of them.'
