import type { Provider } from 'oidc-provider'
import type { ClaimsOf } from '../../domain/users/users.ts'
import { loginOfTokens } from './login-facts.ts'
import { replace } from './replace.ts'

type PayloadOf = (this: object) => Promise<{ auth_time?: number }>

/**
 * Rounds the claim `auth_time` down to whole seconds. Times of logins are stored with milliseconds,
 * so that a login right after a password reset differs from a login right before the reset.
 *
 * For a login at another provider, the claim is the time at which that provider authenticated the
 * user. If the provider does not say, the claim is left out.
 */
export function keepAuthTimeWhole(provider: Provider): void {
  const payload: PayloadOf = replace(provider, 'IdToken.prototype.payload', async function () {
    const claims = await payload.call(this)
    const { provenAt } = loginOfTokens()
    if (claims.auth_time === undefined || provenAt === 0) delete claims.auth_time
    else claims.auth_time = Math.floor(provenAt ?? claims.auth_time)
    return claims
  })
}

interface IdToken {
  readonly available: { readonly sub?: string }
  readonly extra: Readonly<Record<string, unknown>>
  set(name: string, value: unknown): void
}

type Issue = (this: IdToken, options: { use: string }) => Promise<string>

/** The claims of the protocol, which cannot be set. */
const RESERVED = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'azp', 'auth_time'])

/**
 * Adds the claims of `claimsOf` about the user to every ID Token, and the claim `act` if an
 * operator acts for the user. Claims of the protocol, and claims that the token already has, stay
 * unchanged.
 *
 * @see RFC 8693 §4.1
 */
export function addClaims(provider: Provider, claimsOf: ClaimsOf | undefined): void {
  const issue: Issue = replace(provider, 'IdToken.prototype.issue', async function (options) {
    const { sub } = this.available
    if (options.use === 'idtoken' && sub !== undefined) {
      for (const [name, value] of Object.entries((await claimsOf?.(sub)) ?? {})) {
        if (!RESERVED.has(name) && !Object.hasOwn(this.extra, name)) this.set(name, value)
      }
      const { acting } = loginOfTokens()
      if (acting) this.set('act', { sub: acting.by })
    }
    return issue.call(this, options)
  })
}
