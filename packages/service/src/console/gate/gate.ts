/** A check of a request: the context for the next check, or `undefined` where it has answered the request. */
export type Check<Before, After> = (
  context: Before,
) => After | undefined | Promise<After | undefined>

/** Checks in their order. Each takes what those before it have found: further up, it does not compile. */
export interface Gate<Before, After extends object> {
  /** Runs the checks; the context of the last one, or `undefined` where the request is answered. */
  readonly pass: (context: Before) => Promise<After | undefined>
  /** The same checks, and one more behind them. */
  check<Next extends object>(next: Check<After, Next>): Gate<Before, Next>
}

/** A gate with its first check. */
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
