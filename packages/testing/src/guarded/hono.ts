import { type Entry, isKit, kindOf } from './entries.ts'

interface HonoRoute {
  readonly method: string
  readonly path: string
  readonly handler: { readonly name: string }
}

const INNER = '__COMPOSED_HANDLER'

/** The routes of an application of Hono, `undefined` for anything else. */
export function honoEntries(app: unknown): Entry[] | undefined {
  const { routes, fetch } = (app ?? {}) as { routes?: unknown; fetch?: unknown }
  if (!Array.isArray(routes) || typeof fetch !== 'function') return undefined
  const own = (routes as HonoRoute[]).filter(({ handler }) => !isKit(handler))
  return own.map((route, index, all): Entry => {
    const isPrefix = route.path.endsWith('*')
    const path = isPrefix ? route.path.replace(/\/?\*$/, '') || '/' : route.path
    const method = route.method === 'ALL' ? undefined : route.method
    const next = all[index + 1]
    const isLast = next?.path !== route.path || next.method !== route.method
    const otherwise = isLast && !(isPrefix && !method) ? 'handler' : 'middleware'
    const { handler } = route
    // Hono wraps the handlers of an application with an error handler of its own.
    const inner = (handler as unknown as Record<string, unknown>)[INNER] ?? handler
    const sees = isPrefix ? 'all' : 'path'
    return { method, path, sees, kind: kindOf(inner, otherwise), name: handler.name }
  })
}
