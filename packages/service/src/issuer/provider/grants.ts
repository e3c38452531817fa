import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { lifetimes, loginSeconds } from '../../domain/writes/lifetimes.ts'
import type { IssuerContext } from '../context.ts'
import { isOfDevice, rememberAuthorization } from '../engine/device-code.ts'
import type { Session } from '../engine/session.ts'
import { factsOf } from '../requests/request-facts.ts'
import { isSelfDescribed } from './clients/self-described.ts'
import { isAgreed, isConfirmed } from './consents.ts'

type Grant = InstanceType<Provider['Grant']>

/**
 * Loads the client's grant in the session, and extends it if needed. The tenant's own applications
 * need no consent of the user: their grant is extended by all missing scopes, including those of
 * APIs. The grant of a self-described client is extended only if the user has agreed to the access.
 * `undefined` without a grant that the user has agreed to.
 *
 * One grant serves all logins of an application within a session, so that a second tab does not
 * revoke the tokens of the first tab. Each device login gets its own grant when its user confirms
 * it.
 */
export async function loadGrant(
  context: IssuerContext,
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, session, account, provider } = ctx.oidc
  if (!client || !session || !account) return undefined

  const forDevice = isOfDevice(ctx)
  if (forDevice) rememberAuthorization(ctx)
  if (forDevice && !isConfirmed(ctx)) return undefined
  const known = forDevice ? undefined : session.grantIdFor(client.clientId)
  const stored = known === undefined ? undefined : await provider.Grant.find(known)
  const grant =
    stored?.accountId === account.accountId
      ? stored
      : new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  if (isSelfDescribed(client) && !(await isAgreed(context, ctx)))
    return grant.jti ? grant : undefined

  const isActing = (session as Session).acting !== undefined
  const asked = [...ctx.oidc.requestParamOIDCScopes].filter(
    // An operator who acts for the user gets no access that outlives the session.
    (scope) => !(isActing && scope === 'offline_access'),
  )
  const granted = new Set(grant.getOIDCScope().split(' '))
  const missing = asked.filter((scope) => !granted.has(scope))
  const missingOfApis = missingScopes(ctx, grant)
  const expiresAt = Math.floor(Date.now() / 1000) + grantSeconds(ctx, asked)
  const isComplete = missing.length === 0 && missingOfApis.length === 0
  if (isComplete && (grant.exp ?? 0) >= expiresAt - EXTEND_AFTER_SECONDS) return grant

  if (missing.length > 0) grant.addOIDCScope(missing)
  for (const { api, scopes } of missingOfApis) grant.addResourceScope(api, scopes)
  grant.exp = Math.max(grant.exp ?? 0, expiresAt)
  await grant.save()
  return grant
}

/** The scopes of the requested APIs that a grant lacks. */
function missingScopes(
  { oidc }: KoaContextWithOIDC,
  grant: Grant,
): { api: string; scopes: string[] }[] {
  const asked = [...oidc.requestParamScopes]
  return Object.entries(oidc.resourceServers ?? {}).flatMap(([api, { scopes: known }]) => {
    const granted = new Set(grant.getResourceScope(api).split(' '))
    const scopes = asked.filter((scope) => known.has(scope) && !granted.has(scope))
    return scopes.length > 0 ? [{ api, scopes }] : []
  })
}

/** The minimum gain for which the expiry of a stored grant is extended. */
const EXTEND_AFTER_SECONDS = 3600

/**
 * The lifetime of a grant, in seconds. It exceeds that of the session and of the tokens that depend
 * on the grant.
 */
function grantSeconds(ctx: KoaContextWithOIDC, scopes: string[]): number {
  if (scopes.includes('offline_access')) return lifetimes.offlineGrantSeconds
  return loginSeconds(factsOf(ctx.req).tenant) + lifetimes.accessTokenSeconds + EXTEND_AFTER_SECONDS
}
