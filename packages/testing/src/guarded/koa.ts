import { METHODS } from 'node:http'
import { type Entry, hidden, isKit, kindOf } from './entries.ts'

type Handler = ((...args: unknown[]) => unknown) & { readonly router?: KoaRouter }

/** The members of a router of @koa/router and koa-router that are used. */
interface KoaRouter {
  readonly stack: readonly Layer[]
}

interface Layer {
  readonly path: string | RegExp
  /** The HTTP methods; empty for layers of `router.use()`. */
  readonly methods: readonly string[]
  readonly stack: readonly Handler[]
}

/** The entries of a Koa application; `undefined` for any other value. */
export function koaEntries(app: unknown): Entry[] | undefined {
  const { middleware, callback } = (app ?? {}) as { middleware?: unknown; callback?: unknown }
  if (!Array.isArray(middleware) || typeof callback !== 'function') return undefined
  return (middleware as Handler[]).flatMap((handler): Entry[] => {
    if (isKit(handler)) return []
    const { router } = handler
    // A router's functions run only before its own routes.
    if (router) return router.stack.flatMap(entriesOf).map((entry) => ({ ...entry, router }))
    const kind = kindOf(handler, 'middleware')
    return [{ method: undefined, path: '/', sees: 'all', kind, name: handler.name }]
  })
}

/**
 * The entries of a layer. A guard after the handler comes too late, so it does not count as the
 * handler.
 */
function entriesOf({ path, methods, stack }: Layer): Entry[] {
  const answers = methods.length > 0
  const last = stack.findLast((handler) => kindOf(handler, 'handler') !== 'guard')
  return stack.flatMap((handler): Entry[] => {
    const kind = kindOf(handler, answers && handler === last ? 'handler' : 'middleware')
    if (answers && kind === 'middleware') return []
    const where = { path: pathOf(path), sees: answers ? ('path' as const) : ('all' as const) }
    return methodsOf(methods).map((method) => ({ method, ...where, kind, name: handler.name }))
  })
}

/**
 * The methods of a layer. HEAD beside GET is left out, because `router.get()` adds it. All methods,
 * as of `router.all()`, are one `undefined`.
 */
function methodsOf(methods: readonly string[]): (string | undefined)[] {
  if (methods.length === 0 || METHODS.every((method) => methods.includes(method)))
    return [undefined]
  return methods.filter((method) => method !== 'HEAD' || !methods.includes('GET'))
}

/**
 * The path of a layer, without the ending that `router.use()` adds to the router's prefix, such as
 * `(?:\/|$)`.
 */
function pathOf(path: string | RegExp): string {
  if (path instanceof RegExp) return hidden(String(path))
  return path.replace(/(\(\?:\\\/\|\$\)|\(\[\^\\\/\]\*\)|\{\/\*\w+\}|\(\.\*\))$/, '') || '/'
}
