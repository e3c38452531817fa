import { safeReturnTo } from '../http/return-to.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { createSealer } from '../shared/sealing.ts'

/** The `state` of a logout: where it ends, carried by the provider and sealed. */
export interface LogoutState {
  seal(returnTo: string): string
  /** The page that the logout ends at; `undefined` for a state that was not made here. */
  open(state: string): string | undefined
}

/** Makes the states of logouts of one set of options. */
export function createLogoutState({ secrets, baseUrl }: ResolvedAuthOptions): LogoutState {
  const sealer = createSealer(secrets, 'logout')
  return {
    seal: (returnTo) => sealer.seal(returnTo),
    open(state) {
      const returnTo = sealer.open(state)
      return returnTo === undefined ? undefined : safeReturnTo(returnTo, baseUrl)
    },
  }
}
