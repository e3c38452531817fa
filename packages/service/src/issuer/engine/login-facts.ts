import { Provider } from 'oidc-provider'
import type { Clock } from '../../clock.ts'
import { replace, storeAlso } from './replace.ts'
import type { LoginAccount, LoginFacts, Session } from './session.ts'

type Save = (this: LoginFacts) => Promise<string>

/**
 * Stores {@link LoginFacts} with a session, and hands them on to its codes and refresh tokens. So the time of
 * a login says when the user has proven who they are, and nothing else; how long ago that is, the clock says.
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

/** The facts of the login for which the request under way makes a code or a refresh token. */
function loginFactsOf(made: 'AuthorizationCode' | 'DeviceCode' | 'RefreshToken'): LoginFacts {
  const session = Provider.ctx?.oidc.session as Session | undefined
  const source = made === 'RefreshToken' ? loginOfTokens() : session
  return { keptAt: source?.keptAt, provenAt: source?.provenAt, acting: source?.acting }
}

/** The facts of the login for which the request under way makes tokens. */
export function loginOfTokens(): LoginFacts {
  const { AuthorizationCode, DeviceCode, RotatedRefreshToken, RefreshToken } =
    Provider.ctx?.oidc.entities ?? {}
  return (AuthorizationCode ??
    DeviceCode ??
    RotatedRefreshToken ??
    RefreshToken ??
    {}) as LoginFacts
}

/** The seconds that a token of the login under way may live: no longer than an operator may act for its user. */
export function withinActing(seconds: number, clock: Clock): number {
  const { acting } = loginOfTokens()
  if (!acting) return seconds
  return Math.max(1, Math.min(seconds, Math.floor(acting.until - clock.now() / 1000)))
}

/** The time at which the user of a session has proven who they are, in seconds since the epoch; 0: it is not known. */
export function authTimeOf({ provenAt, loginTs = 0 }: Session): number {
  return provenAt ?? loginTs
}
