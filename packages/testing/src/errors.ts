/** The reason why a login in a test or an assertion failed. */
export type TestingErrorCode =
  | 'LATCHKEY_TEST_LOGIN_REFUSED' // the login page, or the application, did not let the user in
  | 'LATCHKEY_TEST_NO_LOGIN' // what was asked for does not lead to the login page of the identity
  | 'LATCHKEY_TEST_SECURE_COOKIE' // the agent speaks http and would not send the cookies of an https application
  | 'LATCHKEY_TEST_NO_SOCKET' // a browser needs an identity that listens
  | 'LATCHKEY_TEST_UNGUARDED' // a route has no guard in front
  | 'LATCHKEY_TEST_APP_UNKNOWN' // the routes of the application cannot be seen
  | 'LATCHKEY_TEST_NO_EVENT' // an event that a test waited for did not arrive
  | 'LATCHKEY_TEST_PEER_MISSING' // a package that this needs is not installed

/** A failure in a test. `message` names the fault and how to fix it. */
export class TestingError extends Error {
  override readonly name = 'TestingError'
  readonly code: TestingErrorCode

  constructor(code: TestingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
