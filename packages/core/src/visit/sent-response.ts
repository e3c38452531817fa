import { LatchkeyError } from '../errors/errors.ts'
import type { ResponsePort } from './visit.ts'

/**
 * The response to a request that was answered already. It can send no cookie and no redirect to the
 * browser.
 */
export class SentResponse extends Headers implements ResponsePort<never> {
  readonly isSent = true

  send(): never {
    const message =
      'An open connection cannot send its browser to log in or out. Let the page open the address of the login or logout.'
    throw new LatchkeyError('LATCHKEY_REQUEST_INVALID', message)
  }
}
