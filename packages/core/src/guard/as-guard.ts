import type { Requirement } from './requirement.ts'
import { noAudience } from './requirement.ts'

const GUARD = Symbol.for('latchkey.guard')

/**
 * Marks what an adapter makes of `requireUser()`, so that `assertGuarded()` of `@latchkey/testing` finds
 * it in front of a route, and {@link checkGuard} knows what it asks for. The handler stays as it is.
 */
export function asGuard<Handler extends object>(
  handler: Handler,
  requirement?: Requirement<never, never>,
): Handler {
  return Object.defineProperty(handler, GUARD, { value: requirement ?? true })
}

/**
 * Checks a handler of a route against the options of the login in front of it, where a framework tells of
 * its routes before the first request.
 *
 * @throws {@link ConfigError} for a guard that accepts bearer tokens where the option `bearer` is missing.
 */
export function checkGuard(handler: unknown, options: { readonly bearer?: unknown }): void {
  const marked = (handler as { [GUARD]?: true | Requirement<never, never> } | undefined)?.[GUARD]
  const accepts = typeof marked === 'object' ? marked.accept : undefined
  if (accepts?.includes('bearer') && !options.bearer) throw noAudience()
}
