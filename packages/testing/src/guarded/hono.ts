import { type Entry, isKit, kindOf } from './entries.ts'

interface HonoRoute {
  readonly method: string
  readonly path: string
  readonly handler: { readonly name: string }
}

const INNER = '__COMPOSED_HANDLER'

/** The entries of a Hono application; `undefined` for any other value. */
export function honoEntries(app: unknown): Entry[] | undefined {
  const { routes, fetch } = (app ?? {}) as { routes?: unknown; fetch?: unknown }
  if (!Array.isArray(routes) || typeof fetch !== 'function') return undefined
  const own = (routes as HonoRoute[]).filter(({ handler }) => !isKit(handler))
  return own.map((route, index, all): Entry => {
    const isPrefix = route.path.endsWith('*')
    const path = isPrefix ? route.path.replace(/\/?\*$/, '') || '/' : route.path
    const method = route.method === 'ALL' ? undefined : route.method
    // A guard after the handler comes too late, so it does not count as the next handler.
    const next = all.slice(index + 1).find((later) => kindOf(innerOf(later), 'handler') !== 'guard')
    const isLast = next?.path !== route.path || next.method !== route.method
    const otherwise = isLast && !(isPrefix && !method) ? 'handler' : 'middleware'
    const sees = isPrefix ? 'all' : 'path'
    const kind = kindOf(innerOf(route), otherwise)
    return { method, path, sees, kind, name: route.handler.name }
  })
}

/** The original handler of a route, because Hono wraps the handlers of a mounted application. */
function innerOf({ handler }: HonoRoute): unknown {
  return (handler as unknown as Record<string, unknown>)[INNER] ?? handler
}
