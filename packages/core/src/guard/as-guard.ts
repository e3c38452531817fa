import type { Requirement } from './requirement.ts'
import { noAudience } from './requirement.ts'

const GUARD = Symbol.for('latchkey.guard')

/**
 * Marks the handler that an adapter's `requireUser()` returns. `assertGuarded()` of
 * `@latchkey/testing` then recognizes it, and {@link checkGuard} can read its requirement. Returns
 * the same handler.
 */
export function asGuard<Handler extends object>(
  handler: Handler,
  requirement?: Requirement<never, never>,
): Handler {
  return Object.defineProperty(handler, GUARD, { value: requirement ?? true })
}

/**
 * Checks the requirement of a guard against the options, in frameworks that know their routes
 * before the first request. A handler that is no guard passes.
 *
 * @throws {@link ConfigError} if the guard accepts bearer tokens and neither the option `bearer`
 *   nor `resources` is set.
 */
export function checkGuard(
  handler: unknown,
  options: { readonly bearer?: unknown; readonly resources?: readonly unknown[] | undefined },
): void {
  const marked = (handler as { [GUARD]?: true | Requirement<never, never> } | undefined)?.[GUARD]
  const accepts = typeof marked === 'object' ? marked.accept : undefined
  if (accepts?.includes('bearer') && !options.bearer && !options.resources?.length) {
    throw noAudience()
  }
}
