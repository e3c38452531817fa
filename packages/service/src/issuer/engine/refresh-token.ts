import type { Provider } from 'oidc-provider'
import { replace } from './replace.ts'
import type { LoginFacts } from './session.ts'

/** The data of a refresh token that is being issued. */
export interface NewRefreshToken extends Pick<LoginFacts, 'keptAt'> {
  readonly grantId: string
  readonly authTime?: number | undefined
}

type Generate = (this: NewRefreshToken) => string

/**
 * Sets the text of every new refresh token, whose {@link LoginFacts} are already set.
 *
 * @param nameOf - Returns the text. `random` is the text that oidc-provider would use.
 */
export function nameRefreshTokens(
  provider: Provider,
  nameOf: (random: string, token: NewRefreshToken) => string,
): void {
  const generate: Generate = replace(
    provider,
    'RefreshToken.prototype.generateTokenId',
    function () {
      return nameOf(generate.call(this), this)
    },
  )
}
