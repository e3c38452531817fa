import { type AdapterPayload, Provider } from 'oidc-provider'
import type { Clock } from '../../clock.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { entryName } from '../../store/protocol-store.ts'
import type { IssuerContext } from '../context.ts'
import type { NewRefreshToken } from '../engine/refresh-token.ts'
import { findChanged } from './request-changes.ts'

/**
 * The text of a new refresh token: a random part, its grant, its expiry and the time of its login.
 * If the login survived a revocation of the user's sessions, also the time of that revocation.
 *
 * With these facts in its text, a used token needs no record until its expiry. Otherwise each
 * refresh would leave a record. A forged token gains nothing: it needs the id of a grant, which
 * only the grant's tokens contain, and each of these tokens can revoke the grant anyway.
 */
export function refreshToken(random: string, token: NewRefreshToken, clock: Clock): string {
  const { grantId, authTime = 0, keptAt } = token
  const end = clock.now() / 1_000 + lifetimes.refreshTokenSeconds
  return [random, grantId, ...[end, authTime, keptAt].map(textOf)].join('~')
}

const FORM = /^[\w-]{43}~([\w-]{43})~([0-9a-z]{1,12})~([0-9a-z]{1,12})~([0-9a-z]{0,12})$/

/**
 * The facts in the text of a refresh token, with times in seconds since the epoch. `undefined` for
 * any other text, and for a token of release 0.2.0.
 */
export function readRefreshToken(token: string) {
  const [, grantId, end, authTime, keptAt] = FORM.exec(token) ?? []
  if (grantId === undefined) return undefined
  return {
    grantId,
    expiresAt: timeOf(end) ?? 0,
    authTime: timeOf(authTime),
    keptAt: timeOf(keptAt),
  }
}

/** A time in microseconds and base 36. Times are compared with this precision. */
const textOf = (seconds: number | undefined): string =>
  seconds === undefined ? '' : Math.round(seconds * 1e6).toString(36)

const timeOf = (text = ''): number | undefined =>
  text === '' ? undefined : Number.parseInt(text, 36) / 1e6

/**
 * The payload of a refresh token without a record, marked as used, so that oidc-provider revokes
 * the grant. `undefined` if the token has expired, or its grant was revoked.
 *
 * @see RFC 9700 §4.14.2
 */
export async function spentToken(
  { protocol, domain }: IssuerContext,
  tenantId: string,
  token: string,
): Promise<AdapterPayload | undefined> {
  const { grantId, expiresAt, authTime, keptAt } = readRefreshToken(token) ?? {}
  const left = (expiresAt ?? 0) - domain.clock.now() / 1_000
  if (grantId === undefined || left <= 0) return undefined
  const grant = await findChanged(protocol, entryName(tenantId, 'Grant', grantId))
  if (!grant) return undefined
  const { accountId, clientId } = JSON.parse(grant.payload) as AdapterPayload
  const exp = Math.floor(Date.now() / 1_000 + left)
  const times = { iat: exp - lifetimes.refreshTokenSeconds, exp, authTime, keptAt, consumed: 1 }
  return {
    kind: 'RefreshToken',
    jti: token,
    grantId,
    accountId,
    clientId,
    scope: askedScope(),
    ...times,
  } as AdapterPayload
}

/**
 * The scopes that the request asks for. oidc-provider refuses a scope that the token lacks before
 * it looks whether the token was used, so a used token would not end its grant.
 */
function askedScope(): string | undefined {
  const scope = Provider.ctx?.oidc?.params?.scope
  return typeof scope === 'string' ? scope : undefined
}
