import { Provider } from 'oidc-provider'
import type { Clock } from '../../clock.ts'
import { replace, storeAlso } from './replace.ts'
import type { LoginAccount, LoginFacts, Session } from './session.ts'

type Save = (this: LoginFacts) => Promise<string>

/**
 * Stores {@link LoginFacts} with a session, and copies them to its codes and refresh tokens. The
 * age of a login is measured from the time at which the user authenticated, by the service's clock.
 */
export function carryLoginFacts(provider: Provider, clock: Clock): void {
  for (const name of ['Session', 'AuthorizationCode', 'DeviceCode', 'RefreshToken'] as const) {
    storeAlso(provider, name, ['keptAt', 'provenAt', 'acting'])
  }
  for (const name of ['AuthorizationCode', 'DeviceCode', 'RefreshToken'] as const) {
    const save: Save = replace(provider, `${name}.prototype.save`, function () {
      Object.assign(this, loginFactsOf(name))
      return save.call(this)
    })
  }
  const loginAccount: LoginAccount = replace(
    provider,
    'Session.prototype.loginAccount',
    function (details) {
      loginAccount.call(this, details)
      const { result } = Provider.ctx?.oidc.entities.Interaction ?? {}
      const { keptAt, provenAt, acting } = (result?.login ?? {}) as LoginFacts
      Object.assign(this, { keptAt, provenAt, acting })
    },
  )
  replace(provider, 'Session.prototype.past', function (this: Session, age: unknown) {
    return clock.now() / 1000 - authTimeOf(this) > Number(age)
  })
}

/** The facts of the login that the new code or refresh token belongs to. */
function loginFactsOf(made: 'AuthorizationCode' | 'DeviceCode' | 'RefreshToken'): LoginFacts {
  const session = Provider.ctx?.oidc.session as Session | undefined
  const source = made === 'RefreshToken' ? loginOfTokens() : session
  return { keptAt: source?.keptAt, provenAt: source?.provenAt, acting: source?.acting }
}

/** The facts of the login for which the current request issues tokens. */
export function loginOfTokens(): LoginFacts {
  const { AuthorizationCode, DeviceCode, RotatedRefreshToken, RefreshToken } =
    Provider.ctx?.oidc.entities ?? {}
  return (AuthorizationCode ??
    DeviceCode ??
    RotatedRefreshToken ??
    RefreshToken ??
    {}) as LoginFacts
}

/**
 * The lifetime of a token of the current login, in seconds. It is at most `seconds`, and ends with
 * an operator's login as the user.
 */
export function withinActing(seconds: number, clock: Clock): number {
  const { acting } = loginOfTokens()
  if (!acting) return seconds
  return Math.max(1, Math.min(seconds, Math.floor(acting.until - clock.now() / 1000)))
}

/**
 * The time at which the user of a session authenticated, in seconds since the epoch; 0 if unknown.
 */
export function authTimeOf({ provenAt, loginTs = 0 }: Session): number {
  return provenAt ?? loginTs
}
