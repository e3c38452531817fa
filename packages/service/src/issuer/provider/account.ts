import type { Account, FindAccount, KoaContextWithOIDC } from 'oidc-provider'
import { SECOND_STEP_KEY } from '../../domain/tenants/second-step-rule.ts'
import { lookUpUser } from '../../domain/users/users.ts'
import { isLoginValid } from '../../domain/ways/valid-logins.ts'
import type { User } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { DEVICE_GRANT, isFromDevice } from '../engine/device-code.ts'
import type { LoginFacts, Session } from '../engine/session.ts'
import { lacksSecondStep } from '../interaction/progress/second-step.ts'
import { factsOf } from '../requests/request-facts.ts'
import { isActing } from '../sessions/acting.ts'
import { isSelfDescribed } from './clients/self-described.ts'
import { noteUse, readConsent } from './consents.ts'

/**
 * The claims of each scope. Every ID Token has the time and the factors of the login, so that
 * applications can check for a recent login without `max_age`.
 *
 * @see OpenID Connect Core 1.0 §2, §5.4
 */
export const claimsOfScope = {
  openid: ['sub', 'amr', 'acr', 'auth_time'],
  email: ['email', 'email_verified'],
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
}

/**
 * Creates the function that finds the user of a session or token. The function returns `undefined`
 * if:
 *
 * - the user is deleted or disabled;
 * - the user's sessions were revoked after the login;
 * - the login of a refresh token lacks a required second step;
 * - the user's consent was withdrawn, or the application may no longer log in on devices;
 * - an operator may no longer act for the user.
 */
export function createFindAccount(context: IssuerContext, tenantId: string): FindAccount {
  return async (ctx, sub, token) => {
    const user = await lookUpUser(context.domain, tenantId, sub)
    const { loggedInAt, keptAt, acting } = token === undefined ? ofSession(ctx) : ofToken(token)
    if (!user || !isLoginValid(user, loggedInAt, keptAt)) return undefined
    const { tenant } = factsOf(ctx.req)
    if (acting !== undefined && !(await isActing(context, tenant, acting))) return undefined
    if (token?.kind === 'RefreshToken' && ctx.oidc.client) {
      const { acr } = token as { acr?: string }
      const ofApplication = ctx.oidc.client[SECOND_STEP_KEY]
      const login = { context, tenant, user, acr, ofApplication }
      if (await lacksSecondStep(login, undefined)) return undefined
    }
    // Withdrawing a consent revokes all tokens that depend on it.
    const { client } = ctx.oidc
    const isFromConsent = token !== undefined && (isSelfDescribed(client) || isFromDevice(token))
    if (isFromConsent && client) {
      if (isFromDevice(token) && !client.grantTypeAllowed(DEVICE_GRANT)) return undefined
      const holder = { context, tenant }
      const consent = await readConsent(holder, user.id, client.clientId)
      if (!consent) return undefined
      await noteUse(holder, consent)
    }
    return account(user)
  }
}

type Token = NonNullable<Parameters<FindAccount>[2]>

interface LoginTimes {
  loggedInAt?: number | undefined
  keptAt?: number | undefined
  /** The id of an operator's login as the user. */
  acting?: string | undefined
}

function ofSession({ oidc }: KoaContextWithOIDC): LoginTimes {
  const { loginTs, keptAt, acting } = (oidc.session ?? {}) as Partial<Session>
  return { loggedInAt: loginTs, keptAt, acting: acting?.id }
}

/**
 * The times of a token's login. Codes and refresh tokens have them as members, access tokens in
 * `extra`.
 */
function ofToken(token: Token): LoginTimes {
  if ('authTime' in token && token.authTime !== undefined) {
    const { keptAt, acting } = token as LoginFacts
    return { loggedInAt: token.authTime, keptAt, acting: acting?.id }
  }
  type Extra = { login_at?: number; kept_at?: number; acting?: string } | undefined
  const extra = 'extra' in token ? (token.extra as Extra) : undefined
  return { loggedInAt: extra?.login_at, keptAt: extra?.kept_at, acting: extra?.acting }
}

function account(user: User): Account {
  return {
    accountId: user.id,
    isVerified: user.verifiedAt !== undefined,
    claims: () => ({
      ...user.profile,
      sub: user.id,
      email: user.email,
      email_verified: user.verifiedAt !== undefined,
      updated_at: Math.floor(user.updatedAt / 1e6),
    }),
  }
}
