/** One step of a router, in the order in which requests reach it. */
export interface Entry {
  /** The method in upper case; `undefined` for all methods. */
  readonly method: string | undefined
  /** The path as the application wrote it, including mount paths. */
  readonly path: string
  /** Whether requests reach the entry only at the path, only below the path, or at both (`all`). */
  readonly sees: 'path' | 'below' | 'all'
  /**
   * `guard`; `handler`, which answers; `middleware`, which may answer or pass the request on; or
   * `mounted`: an application or folder of files, which answers and cannot be inspected.
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
   * The names of the middleware that runs for every path. Such middleware needs no guard, because
   * it did not answer a request for a missing page.
   */
  readonly middleware: string[]
}

const GUARD = Symbol.for('latchkey.guard')

/** `guard` for a function that `requireUser()` made; `otherwise` for any other function. */
export function kindOf(handler: unknown, otherwise: 'handler' | 'middleware'): Entry['kind'] {
  return Object.hasOwn(Object(handler), GUARD) ? 'guard' : otherwise
}

/** Whether a function is the login itself, made by `createAuthRouter()` or `createAuth()`. */
export function isKit(handler: unknown): boolean {
  const { health, ready } = Object(handler) as { health?: unknown; ready?: unknown }
  return typeof handler === 'function' && 'sessions' in handler && !!health && !!ready
}

/** Joins a path to a prefix, each as the application wrote it. */
export function joined(prefix: string, path: string): string {
  if (path === '/' || path === '') return prefix === '' ? '/' : prefix
  return prefix.replace(/\/$/, '') + (path.startsWith('/') ? path : `/${path}`)
}

/** A placeholder for a path that cannot be read. It equals no path of the application. */
export function hidden(what: string): string {
  return `/‹${what}›`
}

/** Whether every request that reaches the route also reaches the guard. */
export function covers(guard: Entry, route: Entry): boolean {
  if (guard.router && guard.router !== route.router) return false
  if (guard.method !== undefined && guard.method !== route.method) return false
  if (guard.path === route.path) return guard.sees === 'all' || guard.sees === route.sees
  return guard.sees !== 'path' && isUnder(route.path, guard.path)
}

/** Whether a path is below another one. */
export function isUnder(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
