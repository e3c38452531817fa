import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace } from './replace.ts'

/**
 * Puts the `sid` into every ID token. oidc-provider itself does so only for applications with a
 * back-channel logout URI.
 */
export function nameSessions(provider: Provider): void {
  replace(provider, 'Client.prototype.includeSid', () => true)
}

type FindClient = (this: object, id: string) => Promise<unknown>

/** Matches the routes of requests by or for a client. */
const FOR_CLIENTS =
  /^(authorization|resume|pushed_authorization_request|token|userinfo|revocation)$/

/**
 * Finds self-described clients only for their own requests. A logout does not notify such clients,
 * so the logout must not wait for the hosts of these clients, or fail because of them.
 *
 * @param toThrow - Returns the error to throw in place of oidc-provider's.
 */
export function findSelfDescribedForLogins(
  provider: Provider,
  isSelfDescribed: (id: string) => boolean,
  toThrow: (error: unknown, ctx: KoaContextWithOIDC | undefined) => unknown,
): void {
  const find: FindClient = replace(provider, 'Client.find', async function (id) {
    const isAsked = FOR_CLIENTS.test(Provider.ctx?.oidc.route ?? '')
    if (typeof id !== 'string' || !isSelfDescribed(id)) return find.call(this, id)
    if (!isAsked) return undefined
    try {
      return await find.call(this, id)
    } catch (error) {
      throw toThrow(error, Provider.ctx)
    }
  })
}

type IsGrantAllowed = (this: object, type: string) => boolean

/**
 * Answers `unauthorized_client` if a client may not use the grant of its request. oidc-provider
 * would answer `invalid_request`.
 *
 * @param describe - Returns a sentence about the metadata that the application needs for a grant
 *   type.
 * @see RFC 6749 §5.2
 */
export function nameForbiddenGrants(provider: Provider, describe: (type: string) => string): void {
  const isAllowed: IsGrantAllowed = replace(
    provider,
    'Client.prototype.grantTypeAllowed',
    function (type) {
      const allowed = isAllowed.call(this, type)
      const { route, params } = Provider.ctx?.oidc ?? {}
      const isAsked =
        route === 'token' ? params?.grant_type === type : route === 'device_authorization'
      if (!allowed && isAsked) throw new errors.UnauthorizedClient(describe(type))
      return allowed
    },
  )
}

type Compare = (
  this: Readonly<Record<string, unknown>>,
  presented: string,
) => Promise<boolean> | boolean

/**
 * Accepts a second client secret.
 *
 * @param other - Returns the second secret that a client has now, if any.
 */
export function acceptSecondSecret(
  provider: Provider,
  other: (client: Readonly<Record<string, unknown>>) => string | undefined,
): void {
  const compare: Compare = replace(
    provider,
    'Client.prototype.compareClientSecret',
    async function (presented) {
      // Both secrets are always compared, so that the time does not tell which one is right.
      const isFirst = await compare.call(this, presented)
      const clientSecret = other(this)
      if (clientSecret === undefined) return isFirst
      const isSecond = await compare.call({ clientSecret }, presented)
      return isFirst || isSecond
    },
  )
}

type IsModeAllowed = (this: object, mode: string, responseType: string, profile: unknown) => boolean

/** Refuses `response_mode=fragment` for codes, also in pushed requests. */
export function refusePushedFragments(provider: Provider): void {
  const isAllowed: IsModeAllowed = replace(
    provider,
    'Client.prototype.responseModeAllowed',
    function (mode, responseType, profile) {
      // `fragment` is the default of other response types, which are refused anyway.
      if (mode === 'fragment' && responseType === 'code') return false
      return isAllowed.call(this, mode, responseType, profile)
    },
  )
}

interface LogoutClient {
  clientId: string
  backchannelLogoutUri?: string
}

type Send = (this: LogoutClient, sub: string, sid: string | undefined) => Promise<void>

/** An ended session of a user at an application. */
export interface EndedSession {
  clientId: string
  sub: string
  sid: string | undefined
}

/**
 * Passes every ended session at an application with a back-channel logout URI to `keep`.
 * oidc-provider would send the logout token once, while the browser waits. If `keep` rejects, the
 * logout fails, and the session stays.
 *
 * @returns A function that sends the logout token. It resolves to `false` if the application or its
 *   URI no longer exists, and rejects if the token was not accepted.
 */
export function interceptLogoutTokens(
  provider: Provider,
  keep: (ended: EndedSession) => Promise<void>,
): (ended: EndedSession) => Promise<boolean> {
  const send: Send = replace(provider, 'Client.prototype.backchannelLogout', function (sub, sid) {
    return keep({ clientId: this.clientId, sub, sid })
  })
  // oidc-provider would only report the error, and destroy the session nevertheless. So the user
  // could not try again, and the application would never be notified.
  provider.on('backchannel.error', (_ctx, error) => {
    throw error
  })
  return async ({ clientId, sub, sid }) => {
    const client = (await provider.Client.find(clientId)) as LogoutClient | undefined
    if (!client?.backchannelLogoutUri) return false
    await send.call(client, sub, sid)
    return true
  }
}

/** Whether an application has a back-channel logout URI. */
export async function hasBackchannel(provider: Provider, clientId: string): Promise<boolean> {
  const client = (await provider.Client.find(clientId)) as LogoutClient | undefined
  return Boolean(client?.backchannelLogoutUri)
}
