import { type Entry, hidden, isKit, joined, kindOf } from './entries.ts'

type Path = string | RegExp

/** The members of a layer of Express 4 and 5 that are used. */
interface Layer {
  readonly name: string
  readonly handle: ((...args: unknown[]) => unknown) & { readonly stack?: readonly Layer[] }
  readonly route?: { readonly stack: readonly Layer[] } | undefined
  /** The method of a route's handlers; `undefined` for `all`. */
  readonly method?: string | undefined
  /** The path as the application wrote it; since Express 5.3. */
  readonly rawPath?: Path | readonly Path[]
  /** Whether the layer matches every path; only in Express 5. */
  readonly slash?: boolean
  /** The pattern of the path in Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean }
  readonly keys?: readonly { readonly name: string | number }[]
}

/** An application of Express 4 or 5. */
interface ExpressApp {
  /** Exists only in Express 4, where `_router` is the router and reading `router` throws. */
  readonly lazyrouter?: unknown
  readonly _router?: { readonly stack: readonly Layer[] }
  readonly router?: { readonly stack: readonly Layer[] }
}

/** The entries of an Express application; `undefined` for any other value. */
export function expressEntries(app: unknown): Entry[] | undefined {
  if (typeof app !== 'function' || !('handle' in app)) return undefined
  const { lazyrouter, _router } = app as ExpressApp
  const router = lazyrouter ? _router : (app as ExpressApp).router
  return entriesOf(router?.stack ?? [], '')
}

function entriesOf(stack: readonly Layer[], prefix: string): Entry[] {
  return stack.flatMap((layer, index) =>
    pathsOf(layer, index).flatMap((path) => entriesAt(layer, joined(prefix, path))),
  )
}

function entriesAt({ route, handle, name }: Layer, path: string): Entry[] {
  if (route) return route.stack.flatMap((one, index) => entryOf(one, path, route.stack, index))
  if (Array.isArray(handle.stack)) return entriesOf(handle.stack, path)
  // A function with four parameters handles errors.
  if (handle.length === 4 || isKit(handle)) return []
  const isMounted = name === 'mounted_app' || name === 'serveStatic'
  const kind = isMounted ? 'mounted' : kindOf(handle, 'middleware')
  return [{ method: undefined, path, sees: 'all', kind, name }]
}

/**
 * The entry of a function of a route; none if the function only passes requests on. The last
 * handler of a method answers. A guard after that handler comes too late.
 */
function entryOf(layer: Layer, path: string, all: readonly Layer[], index: number): Entry[] {
  const { handle, name } = layer
  const method = layer.method?.toUpperCase()
  const isLast = !all.slice(index + 1).some((later) => {
    if (kindOf(later.handle, 'handler') === 'guard') return false
    return later.method === undefined || method === undefined || later.method === layer.method
  })
  const kind = kindOf(handle, isLast ? 'handler' : 'middleware')
  if (kind === 'guard') return [{ method, ...guardedPath(path), kind, name }]
  return kind === 'handler' ? [{ method, path, sees: 'path', kind, name }] : []
}

/**
 * The path of a guard. At `/api/*rest` (Express 5) or `/api/*` (Express 4), it covers the paths
 * below `/api`, but not `/api` itself.
 */
function guardedPath(path: string): Pick<Entry, 'path' | 'sees'> {
  if (path === '*') return { path: '/', sees: 'all' }
  const [, folder, name] = /^(.*?)\/(\{?\*\w*\}?)$/.exec(path) ?? []
  if (folder === undefined) return { path, sees: 'path' }
  return { path: folder || '/', sees: name?.startsWith('{') && folder === '' ? 'all' : 'below' }
}

/** The paths of a layer. A placeholder that equals no path replaces each unreadable path. */
function pathsOf({ rawPath, slash, regexp, keys = [], route }: Layer, index: number): string[] {
  if (rawPath !== undefined) {
    return [rawPath].flat().map((path) => (path instanceof RegExp ? hidden(String(path)) : path))
  }
  const written = (route as { path?: Path | Path[] } | undefined)?.path
  if (written !== undefined) {
    return [written].flat().map((path) => (path instanceof RegExp ? hidden(String(path)) : path))
  }
  if (slash || regexp?.fast_slash) return ['/']
  return [regexp ? pathOfRegexp(regexp.source, keys) : hidden(`mount path ${index}`)]
}

/** The mount path in a regular expression of Express 4: `^\/api\/?(?=\/|$)`. */
function pathOfRegexp(source: string, keys: NonNullable<Layer['keys']>): string {
  let key = 0
  const path = source
    .replace(/^\^/, '')
    .replace(/\\\/\?\(\?=\\\/\|\$\)$/, '')
    .replace(/\(\?:\\?\/?\(\[\^\\?\/\]\+\?\)\)/g, () => `/:${keys[key++]?.name ?? key}`)
    .replace(/\\([/.-])/g, '$1')
  return /[\\()^$?*+[\]{}|]/.test(path) ? hidden(source) : path
}
