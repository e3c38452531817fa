/** The reason why a login or an assertion in a test failed. */
export type TestingErrorCode =
  | 'LATCHKEY_TEST_LOGIN_REFUSED' // the login page or the application refused the user
  | 'LATCHKEY_TEST_NO_LOGIN' // the application does not redirect to the login page of the identity
  | 'LATCHKEY_TEST_SECURE_COOKIE' // the agent speaks http and would not send the cookies of an https application
  | 'LATCHKEY_TEST_NO_SOCKET' // a browser needs an identity that listens
  | 'LATCHKEY_TEST_UNGUARDED' // a route has no working guard
  | 'LATCHKEY_TEST_APP_UNKNOWN' // the routes of the application cannot be seen
  | 'LATCHKEY_TEST_NO_EVENT' // an event that a test waited for did not arrive
  | 'LATCHKEY_TEST_PEER_MISSING' // a required package is not installed

/** A failure in a test. `message` names the fault and how to fix it. */
export class TestingError extends Error {
  override readonly name = 'TestingError'
  readonly code: TestingErrorCode

  constructor(code: TestingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
