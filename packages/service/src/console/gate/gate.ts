/**
 * A check of a request. Returns the context for the next check, or `undefined` if it has answered
 * the request.
 */
export type Check<Before, After> = (
  context: Before,
) => After | undefined | Promise<After | undefined>

/**
 * A sequence of checks. Each check needs the context that the one before returns, so that checks in
 * a wrong order do not compile.
 */
export interface Gate<Before, After extends object> {
  /**
   * Runs the checks in order. Resolves to the context of the last one, or to `undefined` if one of
   * them has answered the request.
   */
  readonly pass: (context: Before) => Promise<After | undefined>
  /** Makes a gate with the same checks and one more at the end. */
  check<Next extends object>(next: Check<After, Next>): Gate<Before, Next>
}

/** Makes a gate with one check. */
export function gate<Before, After extends object>(
  first: Check<Before, After>,
): Gate<Before, After> {
  return {
    pass: async (context) => first(context),
    check: (next) =>
      gate(async (context) => {
        const passed = await first(context)
        return passed && next(passed)
      }),
  }
}
