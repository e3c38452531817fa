import { LatchkeyError } from '../errors/errors.ts'
import type { ResponsePort } from './visit.ts'

/**
 * Makes the response to a request that was answered already. It can send no cookie and no redirect
 * to the browser.
 */
export function sentResponse(): ResponsePort<never> {
  // No class extends `Headers`: Node would load all of `fetch` with this module, which takes longer
  // than loading the kit.
  return Object.assign(new Headers(), { isSent: true, send: refuse })
}

function refuse(): never {
  const message =
    'An open connection cannot send its browser to log in or out. Let the page open the address of the login or logout.'
  throw new LatchkeyError('LATCHKEY_REQUEST_INVALID', message)
}
