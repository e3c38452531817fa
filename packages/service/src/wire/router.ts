import { match } from 'path-to-regexp'

/** The method and the path by which a route is found. */
interface Routed {
  readonly method: string
  /** The path. A part such as `:tenant` matches letters, digits, `_` and `-`. */
  readonly path: string
}

/** The routes with a path. */
interface Routing<R> {
  /** The route with the requested method. */
  readonly found: R | undefined
  readonly params: Readonly<Record<string, string>>
  /** The methods of all these routes; empty if no route has the path. */
  readonly methods: readonly string[]
  /** The pattern of the path, from any of these routes. */
  readonly path: string | undefined
}

const WORD = /^[\w-]+$/

/**
 * Finds routes like Express for `/v1`, with path-to-regexp: case-sensitive, and without a slash at the end. A path
 * without parameters comes before one with them. HEAD is answered like GET (RFC 9110 §9.3.2).
 *
 * @returns A function of the path and the method of a request.
 */
export function createRouter<R extends Routed>(
  routes: readonly R[],
): (path: string, method: string) => Routing<R> {
  const options = { sensitive: true, trailing: false, decode: false } as const
  const isPattern = ({ path }: R) => path.includes(':')
  const fixed = Map.groupBy(
    routes.filter((route) => !isPattern(route)),
    ({ path }) => path,
  )
  const patterns = [...Map.groupBy(routes.filter(isPattern), ({ path }) => path)].map(
    ([path, ofPath]) => ({ ofPath, matches: match<Record<string, string>>(path, options) }),
  )

  return (path, method) => {
    const met = patterns.flatMap(({ ofPath, matches }) => {
      const { params } = matches(path) || {}
      const isFound = params && Object.values(params).every((part) => WORD.test(part))
      return isFound ? ofPath.map((route) => ({ route, params })) : []
    })
    const all = [...(fixed.get(path) ?? []).map((route) => ({ route, params: {} })), ...met]
    const wanted = method === 'HEAD' ? 'GET' : method
    const first = all.find(({ route }) => route.method === wanted)
    return {
      found: first?.route,
      params: first?.params ?? {},
      methods: all.flatMap(({ route }) =>
        route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      ),
      path: (first ?? all[0])?.route.path,
    }
  }
}
