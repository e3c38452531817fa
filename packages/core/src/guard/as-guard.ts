const GUARD = Symbol.for('latchkey.guard')

/**
 * Marks what an adapter makes of `requireUser()`, so that `assertGuarded()` of `@latchkey/testing` finds
 * it in front of a route. The handler stays as it is.
 */
export function asGuard<Handler extends object>(handler: Handler): Handler {
  return Object.defineProperty(handler, GUARD, { value: true })
}
