import type { SessionStore } from '@latchkey/core'

/** A store that can be made to fail, and that records the calls of its methods. */
export interface WatchedStore {
  readonly store: SessionStore
  /** The names of the called methods, in order. */
  readonly calls: string[]
  /** Whether every call fails. */
  isDown: boolean
  /** The index in `calls` of the only call that fails. */
  failsAt: number | undefined
}

type Method = (...args: unknown[]) => unknown

/** Makes a watched store from a store. */
export function watchStore(store: SessionStore): WatchedStore {
  const watched: WatchedStore = {
    store: watch(store),
    calls: [],
    isDown: false,
    failsAt: undefined,
  }
  return watched

  function watch<T extends object>(target: T): T {
    return new Proxy(target, {
      get(_target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value === 'object' && value !== null) return watch(value)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => call(target, String(name), value as Method, args)
      },
    })
  }

  function call(target: object, name: string, method: Method, args: unknown[]): unknown {
    if (SILENT.has(name)) return method.apply(target, args)
    watched.calls.push(name)
    const fails = watched.isDown || watched.calls.length - 1 === watched.failsAt
    if (!fails) return method.apply(target, args)
    const error = new Error('connect ECONNREFUSED')
    const done = args.at(-1)
    return typeof done === 'function' ? done(error) : Promise.reject(error)
  }
}

/** The methods that send no request to a server. They are not recorded, and never fail. */
const SILENT: ReadonlySet<string> = new Set(['health', 'useSecrets', 'on', 'once', 'emit'])
