/** One step of a router, in the order in which requests pass it. */
export interface Entry {
  /** The method in upper case; `undefined` for every one. */
  readonly method: string | undefined
  /** As the application wrote it, mount paths included. */
  readonly path: string
  /** Whether it sees requests to the path, to paths below it, or all of them. */
  readonly sees: 'path' | 'below' | 'all'
  /**
   * The kind of entry: a guard; a handler, which answers; a middleware, which may answer or pass
   * the request on; or an application or folder of files that is mounted, which answers and cannot
   * be looked into.
   */
  readonly kind: 'guard' | 'handler' | 'middleware' | 'mounted'
  readonly name: string
  /** The router, for a guard that covers only the routes of one router, and for these routes. */
  readonly router?: object
}

/** The result of `assertGuarded()`. */
export interface GuardReport {
  /** The routes whose guard refused a visitor, such as `GET /account`. */
  readonly guarded: string[]
  /** The routes that `public` lists. */
  readonly public: string[]
  /**
   * The names of the middleware that runs for every path. It needs no guard, because it did not
   * answer a request for a missing page.
   */
  readonly middleware: string[]
}

const GUARD = Symbol.for('latchkey.guard')

/** The kind of a function of the application, as far as it can be seen from outside. */
export function kindOf(handler: unknown, otherwise: 'handler' | 'middleware'): Entry['kind'] {
  return Object.hasOwn(Object(handler), GUARD) ? 'guard' : otherwise
}

/** Whether a function is the login itself, as `createAuthRouter()` and `createAuth()` make it. */
export function isKit(handler: unknown): boolean {
  const { health, ready } = Object(handler) as { health?: unknown; ready?: unknown }
  return typeof handler === 'function' && 'sessions' in handler && !!health && !!ready
}

/** A path under another one, each as the application wrote it. */
export function joined(prefix: string, path: string): string {
  if (path === '/' || path === '') return prefix === '' ? '/' : prefix
  return prefix.replace(/\/$/, '') + (path.startsWith('/') ? path : `/${path}`)
}

/** A path that cannot be read; it equals no other. */
export function hidden(what: string): string {
  return `/‹${what}›`
}

/** Whether an entry sees every request that another one sees. */
export function covers(guard: Entry, route: Entry): boolean {
  if (guard.router && guard.router !== route.router) return false
  if (guard.method !== undefined && guard.method !== route.method) return false
  if (guard.path === route.path) return guard.sees === 'all' || guard.sees === route.sees
  return guard.sees !== 'path' && isUnder(route.path, guard.path)
}

/** Whether a path is under another one. */
export function isUnder(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
