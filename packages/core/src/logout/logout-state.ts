import { safeReturnTo } from '../http/return-to.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { createSealer } from '../shared/sealing.ts'

/**
 * The `state` parameter of a logout: the page to show after the logout, sealed for the way through
 * the provider.
 */
export interface LogoutState {
  seal(returnTo: string): string
  /** The page to show after the logout; `undefined` for a state that was not made here. */
  open(state: string): string | undefined
}

/** Makes the {@link LogoutState} of a set of options. */
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
