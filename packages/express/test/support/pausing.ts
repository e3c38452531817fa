import type { SessionStore } from '@latchkey/core'

type Method = 'get' | 'set' | 'update' | 'destroy'

/** A store, and the way to let something happen in it. */
interface Paused {
  readonly store: SessionStore
  /** Lets something happen before the `nth` call of a method from now on. */
  before(method: Method, calls: number, happens: () => Promise<unknown>): void
}

/** A store in which something else happens before a call of a method. */
export function pausing(store: SessionStore): Paused {
  let awaited: { method: Method; calls: number; happens: () => Promise<unknown> } | undefined
  const pause = async (method: Method): Promise<void> => {
    if (awaited?.method !== method || --awaited.calls > 0) return
    const { happens } = awaited
    awaited = undefined
    await happens()
  }
  const paused = <T extends object>(part: T, methods: Readonly<Record<string, Method>>): T =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (key === 'index') return value && paused(value, { begin: 'set', end: 'destroy' })
        if (typeof value !== 'function') return value
        const method = methods[String(key)]
        if (!method) return value.bind(target)
        return async (...args: unknown[]) => {
          await pause(method)
          return value.apply(target, args)
        }
      },
    })
  return {
    store: paused(store, { get: 'get', set: 'set', update: 'update', destroy: 'destroy' }),
    before(method, calls, happens) {
      awaited = { method, calls, happens }
    },
  }
}
