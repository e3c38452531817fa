import { match } from 'path-to-regexp'

/** The members of a route by which the router finds it. */
interface Routed {
  readonly method: string
  /** The pattern of the path. A part such as `:tenant` matches letters, digits, `_` and `-`. */
  readonly path: string
}

/** The result of a look-up: the route, and all methods of its path. */
interface Routing<R> {
  /** The route with the path and the method; `undefined` if no route has both. */
  readonly found: R | undefined
  /** The values of the parts such as `:tenant`; empty if no route was found. */
  readonly params: Readonly<Record<string, string>>
  /** The methods of all routes with the path; empty if no route has the path. */
  readonly methods: readonly string[]
  /**
   * The path pattern of the route found, or of the first route with the path. `undefined` if no
   * route has the path.
   */
  readonly path: string | undefined
}

const WORD = /^[\w-]+$/

/**
 * Makes a router with the rules of Express for `/v1`: paths are case-sensitive and have no slash at
 * the end. A path without parameters comes before paths with parameters. HEAD finds the route for
 * GET (RFC 9110 §9.3.2).
 *
 * @returns A function that finds the route for the path and the method of a request.
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
