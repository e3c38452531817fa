/** An option of `createSessionStore` cannot be used. */
export class StoreConfigError extends TypeError {
  override readonly name = 'StoreConfigError'
  readonly code = 'LATCHKEY_CONFIG_INVALID'
}

/**
 * Redis did not answer, or refused to. Nothing is known about any session, so nobody is signed out.
 *
 * `status` and `headers` are what Express answers with when express-session hands the error on.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  readonly code = 'LATCHKEY_STORE_UNAVAILABLE'
  readonly status = 503
  readonly headers = { 'retry-after': '5' }
}
