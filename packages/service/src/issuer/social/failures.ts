/**
 * The error for a request that did not reach the provider, or to which the provider answered with a
 * server error.
 */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/** Sends a request. @throws {@link Unreachable} when there is no response. */
export async function reach(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (cause) {
    const { message } = cause as Error
    throw new Unreachable(message, { cause })
  }
}

/**
 * The facts of an error for the log. The error itself is never logged, because openid-client keeps
 * the refused tokens in the error.
 */
export function factsOf(error: unknown): Record<string, string | undefined> {
  const { code, error: said, message, cause } = error as Error & { code?: string; error?: unknown }
  const reason = cause instanceof Unreachable ? cause.message : message
  return {
    reason,
    code,
    // A provider may send any text, so only error codes are logged.
    error: typeof said === 'string' && /^[a-z_]{1,40}$/.test(said) ? said : undefined,
  }
}
